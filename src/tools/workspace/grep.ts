import * as z from "zod/mini";

import { fanOut } from "../kit/arguments.ts";
import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { type WorkspaceFile, WORKSPACES } from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import type { Result } from "../../core/kit/result.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import { callPack, LOADER } from "../kit/call-pack.ts";
import { pathsOf } from "./glob.ts";
import { normalisePath } from "./workspace-path.ts";
import { readFiles, WORKSPACE } from "./open-workspace.ts";

/** Find lines of the caller's workspace that match a regular expression, in the pack `search`. */
export const grep = defineTool({
  ...WORKSPACE,
  name: "grep",
  summary: "Search files of the workspace with a regular expression",
  description:
    "Find the lines of your workspace's text files that match a regular expression (RE2: no lookaround, no backreferences; (?i) " +
    `at the beginning ignores case). At most ${LIMITS.workspaceMatches} lines; \`truncated\` says that there may be more. Size: ` +
    "about 600 tokens.",
  actions: ["search"],
  isWrite: false,
  input: () =>
    z.strictObject({
      pattern: z
        .string()
        .check(z.minLength(1), z.maxLength(500), z.describe("The regular expression, such as 'TODO|FIXME'.")),
      path: z
        .optional(z.string().check(z.maxLength(1_000)))
        .check(z.describe("A file, a folder, or a pattern such as 'src/**/*.ts'; all files unless said.")),
    }),
  bindings: [LOADER, WORKSPACES],
  timeoutMs: 15_000,
  typicalTokens: 600,
  // Each call may hold all of a workspace.
  orchestration: fanOut(2, 200),
  run: async ({ pattern, path = "" }, ctx) => {
    const files = await filesAt(path, ctx);
    const bounds = { matches: LIMITS.workspaceMatches, lineCharacters: LIMITS.workspaceLineCharacters };
    const found = await callPack<
      Result<{ readonly matches: readonly object[]; readonly isCut: boolean }, string>
    >(SEARCH, "findLines", [pattern, files, bounds], ctx);
    if (!found.ok) throw new ToolFailure("INVALID_ARGS", { hint: found.error });
    const { matches, isCut } = found.value;
    return { matches, files: files.length, ...(isCut && { truncated: true }) };
  },
});

const SEARCH = { name: "search", text: () => import("../../../dist/packs/search.txt") };

/** The files that a path stands for: a file, a folder, or else a pattern. */
async function filesAt(path: string, ctx: ToolContext): Promise<readonly WorkspaceFile[]> {
  const isPattern = /[*?[{]/.test(path);
  const normal = normalisePath(path);
  // The text before the first part with a special character is a folder.
  const under = isPattern ? normal.split(/\/?[^/]*[*?[{]/)[0]! : normal;
  const files = await readFiles(under, ctx);
  if (isPattern) {
    const paths = new Set(
      pathsOf(
        normal,
        files.map((file) => file.path),
      ),
    );
    return files.filter((file) => paths.has(file.path));
  }
  if (files.length === 0 && normal !== "")
    throw new ToolFailure("NOT_FOUND", {
      hint: `There is no file or folder ${quotedText(normal, 80)}; glob lists the files there are.`,
    });
  return files;
}
