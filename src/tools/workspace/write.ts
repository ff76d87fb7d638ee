import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { WORKSPACES } from "../../core/contract/gate/workspace.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import { changeWorkspace, filePath, refuseChange, toContent, WORKSPACE } from "./workspace.ts";

/** Write a file of the caller's workspace, whether there is one or not. */
export const write = defineTool({
  ...WORKSPACE,
  name: "write",
  summary: "Write a whole text file of the workspace",
  description:
    "Write a text file of your workspace: a new one, or in place of all that it was. Folders come with their files. To change a " +
    "part use edit. Files under memory/ are found by memory_search. Size: about 20 tokens.",
  actions: ["create", "update"],
  isWrite: true,
  idempotent: true,
  input: () =>
    z.strictObject({
      path: filePath(),
      content: z.string().check(z.describe("All of the file's text.")),
    }),
  bindings: [WORKSPACES],
  typicalTokens: 20,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 200 } },
  run: async ({ path, content: text }, ctx) => {
    const normal = normaliseFilePath(path);
    const content = toContent(text);
    const refused = await changeWorkspace([{ path: normal, content }], ctx);
    if (refused !== null && refused.reason !== "changed")
      throw new ToolFailure("INVALID_ARGS", { hint: refuseChange(refused) });
    return { path: normal, bytes: content.length };
  },
});
