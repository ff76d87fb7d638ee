import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { WORKSPACES } from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import { filePath, readFile, textOf, WORKSPACE } from "./open-workspace.ts";

/** Read a file of the caller's workspace, or some of its lines. */
export const read = defineTool({
  ...WORKSPACE,
  name: "read",
  summary: "Read a text file of the workspace, or some of its lines",
  description:
    "Read a text file of your workspace. `content` is the text as it is; where it is not all of the file, `next_offset` is the " +
    `line to go on from. At most ${LIMITS.workspaceReadCharacters} characters at once. Size: about 1000 tokens.`,
  isWrite: false,
  input: () =>
    z.strictObject({
      path: filePath(),
      offset: z
        .optional(z.int().check(z.minimum(1)))
        .check(z.describe("First line to read; the file's first is 1.")),
      limit: z
        .optional(z.int().check(z.minimum(1)))
        .check(z.describe("How many lines to read; as many as there is room for unless said.")),
    }),
  bindings: [WORKSPACES],
  typicalTokens: 1_000,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 200 } },
  run: async ({ path, offset = 1, limit = Number.POSITIVE_INFINITY }, ctx) => {
    const file = await readFile(normaliseFilePath(path), ctx);
    return { path: file.path, ...showLines(textOf(file), offset, limit) };
  },
});

interface ShownLines {
  /** Whole lines, as they are. */
  readonly content: string;
  readonly first_line: number;
  readonly last_line: number;
  readonly total_lines: number;
  /** The first line that is not shown, where there is one. */
  readonly next_offset?: number;
  /** The last line shown is longer than there is room for. */
  readonly cut?: true;
}

/** Show lines of a text, as many as there is room for. Text after the last line break is a line if it is not empty. */
export function showLines(text: string, offset: number, limit: number): ShownLines {
  const lines = text.split(/(?<=\n)/);
  const total = text === "" ? 0 : lines.length;
  if (offset > Math.max(1, total))
    throw new ToolFailure("INVALID_ARGS", {
      hint: `The file has ${total} lines, so none is line ${offset}; send an offset from 1 to ${Math.max(1, total)}.`,
    });
  let end = offset - 1;
  let room = LIMITS.workspaceReadCharacters;
  while (end < total && end < offset - 1 + limit && lines[end]!.length <= room) room -= lines[end++]!.length;
  const isCut = end === offset - 1 && end < total;
  const content = isCut
    ? lines[end++]!.slice(0, LIMITS.workspaceReadCharacters).replace(/[\ud800-\udbff]$/, "")
    : lines.slice(offset - 1, end).join("");
  return {
    content,
    first_line: offset,
    last_line: end,
    total_lines: total,
    ...(end < total && { next_offset: end + 1 }),
    ...(isCut && { cut: true }),
  };
}
