import { stem } from "./stem.ts";
import { SYNONYM_TABLE } from "./synonym-table.ts";

/** A meaning, as a term that no word of a text can be. */
export type Meaning = `~${number}`;

/** From the stems of a word or phrase, joined by spaces, to what it can mean. */
let meanings: ReadonlyMap<string, readonly Meaning[]> | undefined;

/** The most words a phrase of the table has: longer ones are never looked for. */
const LONGEST_PHRASE = 4;

/** One place in a text: how many words it takes, and what they can mean. */
export interface Phrase {
  readonly length: number;
  readonly meanings: readonly Meaning[];
}

/** What a single word, by its stem, can mean. */
export function meaningsOf(stemmed: string): readonly Meaning[] {
  return table().get(stemmed) ?? [];
}

/** The longest phrase of two or more words that begins at a place of a text given as stems; null when there is none. */
export function phraseAt(stems: readonly string[], start: number): Phrase | null {
  for (let length = Math.min(LONGEST_PHRASE, stems.length - start); length >= 2; length -= 1) {
    const found = table().get(stems.slice(start, start + length).join(" "));
    if (found !== undefined) return { length, meanings: found };
  }
  return null;
}

/** Every single word of the table, by its stem. */
export function knownStems(): Iterable<string> {
  return table().keys();
}

/** Read on first use: a Worker that is never asked to search does not pay for it. */
function table(): ReadonlyMap<string, readonly Meaning[]> {
  meanings ??= readTable(SYNONYM_TABLE);
  return meanings;
}

function readTable(text: string): ReadonlyMap<string, readonly Meaning[]> {
  const read = new Map<string, Meaning[]>();
  for (const [line, words] of text.trim().split("\n").entries()) {
    for (const word of words.split(" ")) {
      const key = word.split("_").map(stem).join(" ");
      const known = read.get(key);
      if (known === undefined) read.set(key, [`~${line}`]);
      else if (!known.includes(`~${line}`)) known.push(`~${line}`);
    }
  }
  return read;
}
