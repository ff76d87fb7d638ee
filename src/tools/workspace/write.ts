import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { WORKSPACES } from "../../core/contract/gate/workspace.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import { filePath, refuseChange, RESTORED, toContent, WORKSPACE, writeFile } from "./open-workspace.ts";

/** Write a file of the caller's workspace, whether there is one or not. */
export const write = defineTool({
  ...WORKSPACE,
  name: "write",
  summary: "Write a whole text file of the workspace",
  description:
    "Write a text file of your workspace: a new one, or in place of all that it was. Folders come with their files. To change a " +
    "part use edit. Files under memory/ are found by memory_search. `version` is for restore_file. Size: about 30 tokens.",
  actions: ["create", "update"],
  isWrite: true,
  idempotent: true,
  input: () =>
    z.strictObject({ path: filePath(), content: z.string().check(z.describe("All of the file's text.")) }),
  bindings: [WORKSPACES],
  typicalTokens: 30,
  orchestration: {
    mode: "parallel-safe",
    backoff: { strategy: "exponential", initial_ms: 200 },
    compensate: RESTORED,
  },
  run: async ({ path, content: text }, ctx) => {
    const normal = normaliseFilePath(path);
    const content = toContent(text);
    const written = await writeFile({ path: normal, content }, ctx);
    if ("version" in written) return { path: normal, bytes: content.length, version: written.version };
    throw new ToolFailure("INVALID_ARGS", { hint: refuseChange(written) });
  },
});
