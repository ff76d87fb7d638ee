import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { WORKSPACES } from "../../core/contract/gate/workspace.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import { filePath, refuseChange, WORKSPACE, workspaceOf } from "./open-workspace.ts";

/** Put a file of the caller's workspace back to what it was before a write, unless it was changed since. */
export const restoreFile = defineTool({
  ...WORKSPACE,
  name: "restore_file",
  summary: "Put a file of the workspace back to what it was before a write",
  description:
    "Put a file of your workspace back to what it was before write or edit made this `version` of it: its text then, or no file. " +
    "It is refused where the file was changed since. Size: about 10 tokens.",
  actions: ["update"],
  isWrite: true,
  idempotent: true,
  input: () =>
    z.strictObject({
      path: filePath(),
      version: z.int().check(z.positive(), z.describe("The version, as write or edit gave it.")),
    }),
  bindings: [WORKSPACES],
  typicalTokens: 10,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 200 } },
  run: async ({ path, version }, ctx) => {
    const normal = normaliseFilePath(path);
    const refused = await workspaceOf(ctx).restore(normal, version);
    if (refused === null) return { path: normal };
    const nothing = `Nothing was put back in ${quotedText(normal, 80)}`;
    if (refused.reason === "forgotten")
      throw toFailure(
        "a version that a write made",
        `${nothing}: what it was before is not kept, or no more.`,
      );
    if (refused.reason === "changed")
      throw toFailure(
        "the version that the file has",
        `${nothing}: it was changed since. Read it, and mend it by hand.`,
      );
    throw new ToolFailure("INVALID_ARGS", { hint: `${nothing}. ${refuseChange(refused)}` });
  },
});

function toFailure(expected: string, hint: string): ToolFailure {
  const issues = [{ path: "/args/version", expected, received: "another" }];
  return new ToolFailure("INVALID_ARGS", { issues, hint });
}
