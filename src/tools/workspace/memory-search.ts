import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { type WorkspaceFile, WORKSPACES } from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { cutText } from "../kit/cut-text.ts";
import { readFiles, textOf, WORKSPACE } from "./open-workspace.ts";
import { textArgument, fanOut } from "../kit/arguments.ts";

/** Where memories are kept: a file is one. */
export const MEMORY_FOLDER = "memory";

const MOST_FOUND = 10;
/** Words of a query that count. */
const MOST_WORDS = 16;
const SNIPPET = 240;

/** Find memories of the caller's workspace, the files under `memory/`, by words. */
export const memorySearch = defineTool({
  ...WORKSPACE,
  name: "memory_search",
  summary: "Search memories by what they are about",
  description:
    "Find memories, the notes that were written under memory/ in your workspace, by words, the best ten first. memory_get reads one " +
    "whole. Size: about 400 tokens.",
  actions: ["search"],
  isWrite: false,
  input: () => z.strictObject({ query: textArgument(500, "The subject to look for, in words.") }),
  bindings: [WORKSPACES],
  typicalTokens: 400,
  // Each call may hold all of a workspace.
  orchestration: fanOut(2, 200),
  run: async ({ query }, ctx) => {
    const files = await readFiles(MEMORY_FOLDER, ctx);
    return {
      memories: rank(query, newestOf(files)).map(({ id, title, snippet }) => ({ id, title, snippet })),
    };
  },
});

/** A memory's id is its path in the folder, without `.md`. */
export function toMemoryId(path: string): string {
  return path.slice(MEMORY_FOLDER.length + 1).replace(/\.md$/, "");
}

interface Memory {
  readonly id: string;
  readonly title: string;
  readonly snippet: string;
}

/** The newest files, as many as are looked through. */
function newestOf(files: readonly WorkspaceFile[]): WorkspaceFile[] {
  let room: number = LIMITS.memorySearchBytes;
  return files
    .toSorted((a, b) => b.version - a.version)
    .filter(({ content }) => (room -= content.length) >= 0);
}

/** The best memories for a query: by how many of its words they hold, the rare ones above all; the newest first among equals. */
function rank(query: string, files: readonly WorkspaceFile[]): Memory[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu))].slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const pattern = toPattern(words);
  const notes = files.flatMap((file) => {
    const text = attemptNow(() => textOf(file));
    if (!text.ok) return [];
    const id = toMemoryId(file.path);
    return [
      {
        id,
        text: text.value,
        version: file.version,
        held: findWords(`${id}\n${text.value}`, words, pattern),
      },
    ];
  });
  const holders = new Map(words.map((word) => [word, notes.filter(({ held }) => held.has(word)).length]));
  const weigh = (held: ReadonlySet<string>): number =>
    [...held].reduce((sum, word) => sum + Math.log(1 + notes.length / holders.get(word)!), 0);
  return notes
    .filter(({ held }) => held.size > 0)
    .map((note) => ({ ...note, weight: weigh(note.held) }))
    .sort((a, b) => b.weight - a.weight || b.version - a.version)
    .slice(0, MOST_FOUND)
    .map(({ id, text }) => ({ id, title: titleOf(text, id), snippet: snippetOf(text, pattern) }));
}

/** Matches where one of these words begins, or one that begins with it; scripts without blanks begin words anywhere. */
function toPattern(words: readonly string[]): RegExp {
  // Letters and digits only, so there is nothing to escape; the longest first, because the first that fits is taken.
  const sorted = words.toSorted((a, b) => b.length - a.length);
  const choices = sorted.map((word) => (SPACED.test(word) ? `(?<![\\p{L}\\p{N}])${word}` : word));
  return new RegExp(choices.join("|"), "giu");
}

const SPACED = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}\p{M}]+$/u;

function findWords(text: string, words: readonly string[], pattern: RegExp): Set<string> {
  const held = new Set<string>();
  for (const [match] of text.matchAll(pattern)) {
    const found = match.toLowerCase();
    for (const word of words) if (found.startsWith(word)) held.add(word);
    if (held.size === words.length) break;
  }
  return held;
}

/** The first heading, or the first line that says anything. */
function titleOf(text: string, id: string): string {
  const heading = /^#+\s+(.+)$/m.exec(text)?.[1] ?? /\S.*/.exec(text)?.[0];
  return cutText(heading ?? id, 80);
}

/** The text around the first word that was found. */
function snippetOf(text: string, pattern: RegExp): string {
  const at = Math.max(0, text.search(pattern) - SNIPPET / 4);
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  return `${start > 0 ? "…" : ""}${cutText(text.slice(start, start + 4 * SNIPPET), SNIPPET)}`;
}
