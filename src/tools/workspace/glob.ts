import * as z from "zod/mini";

import { fanOut } from "../kit/arguments.ts";
import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { type FileHead, WORKSPACES } from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import { matchGlob } from "./match-glob.ts";
import { listFiles, WORKSPACE } from "./open-workspace.ts";

/** List the files of the caller's workspace whose paths fit a pattern. */
export const glob = defineTool({
  ...WORKSPACE,
  name: "glob",
  summary: "List files of the workspace by a pattern",
  description:
    "List the paths of your workspace's files that fit a pattern: * and ? within a name, ** for any folders, [a-z], {a,b}. " +
    `'**' lists all. Sorted, at most ${LIMITS.workspacePaths}; \`total\` says how many there are. Size: about 300 tokens.`,
  actions: ["list", "search"],
  isWrite: false,
  input: () =>
    z.strictObject({
      pattern: z
        .string()
        .check(z.minLength(1), z.maxLength(500), z.describe("The pattern, such as 'src/**/*.ts' or '*.md'.")),
    }),
  bindings: [WORKSPACES],
  typicalTokens: 300,
  // All paths of a workspace are megabytes too.
  orchestration: fanOut(2, 200),
  run: async ({ pattern }, ctx) => {
    const heads = await listAll(ctx);
    const paths = pathsOf(
      pattern,
      heads.map(({ path }) => path),
    );
    return { paths: paths.slice(0, LIMITS.workspacePaths), total: paths.length };
  },
});

/** Files that are listed first: all that most workspaces have. */
const FIRST = 100;

async function listAll(ctx: ToolContext): Promise<readonly FileHead[]> {
  const heads = await listFiles("", FIRST, ctx);
  return heads.length < FIRST ? heads : listFiles("", LIMITS.workspaceFiles, ctx);
}

/** The paths that fit a pattern; throws `INVALID_ARGS` where that cannot be said. */
export function pathsOf(pattern: string, paths: readonly string[]): string[] {
  const matching = matchGlob(pattern, paths);
  if (matching.ok) return matching.value;
  throw new ToolFailure("INVALID_ARGS", { hint: matching.error });
}
