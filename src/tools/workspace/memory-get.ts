import * as z from "zod/mini";

import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { type WorkspaceFile, WORKSPACES } from "../../core/contract/gate/workspace.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import { nearest } from "../../core/kit/nearest.ts";
import { MEMORY_FOLDER, toMemoryId } from "./memory-search.ts";
import { showLines } from "./read.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import { listFiles, readFiles, textOf, WORKSPACE } from "./open-workspace.ts";

/** Read one memory of the caller's workspace: a note under `memory/`. */
export const memoryGet = defineTool({
  ...WORKSPACE,
  name: "memory_get",
  summary: "Read one memory by its id",
  description:
    "Read one memory, a note that was written under memory/ in your workspace, by the id that memory_search gives. Size: about " +
    "500 tokens.",
  isWrite: false,
  input: () =>
    z.strictObject({
      id: z
        .string()
        .check(
          z.minLength(1),
          z.maxLength(1_000),
          z.describe("The memory's id, such as 'decisions/database'."),
        ),
    }),
  bindings: [WORKSPACES],
  typicalTokens: 500,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 200 } },
  run: async ({ id }, ctx) => {
    const file = await findMemory(id, ctx);
    const { content, next_offset } = showLines(textOf(file), 1, Number.POSITIVE_INFINITY);
    return {
      id: toMemoryId(file.path),
      path: file.path,
      content,
      // The rest is read like that of any other file.
      ...(next_offset !== undefined && { next_offset }),
    };
  },
});

/** Memories that may have been meant. */
const MOST_LOOKED_AT = 200;

/** By its id or its path, with `.md` or without. */
async function findMemory(id: string, ctx: ToolContext): Promise<WorkspaceFile> {
  const named = normaliseFilePath(id);
  const path = named.startsWith(`${MEMORY_FOLDER}/`) ? named : normaliseFilePath(`${MEMORY_FOLDER}/${named}`);
  for (const candidate of [`${path}.md`, path]) {
    const found = await readFiles(candidate, ctx);
    const file = found.find((one) => one.path === candidate);
    if (file !== undefined) return file;
  }
  const heads = await listFiles(MEMORY_FOLDER, MOST_LOOKED_AT, ctx);
  const meant = nearest(
    named,
    heads.map((head) => toMemoryId(head.path)),
  );
  const hint =
    meant.length > 0
      ? `did you mean ${meant.map((one) => quotedText(one, 80)).join(" or ")}?`
      : "memory_search finds those there are.";
  throw new ToolFailure("NOT_FOUND", { hint: `There is no memory ${quotedText(named, 80)}; ${hint}` });
}
