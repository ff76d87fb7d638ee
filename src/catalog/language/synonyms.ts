import { BUSINESS_WORDS } from "./business-words.ts";
import { HOUSEHOLD_WORDS } from "./household-words.ts";
import { stem } from "./stem.ts";
import { SYNONYM_TABLE } from "./synonym-table.ts";
import { TECHNICAL_WORDS } from "./technical-words.ts";

/** A meaning, as a term that no word of a text can be. */
export type Meaning = `~${number}`;

/** The most words a phrase of the table has: longer ones are never looked for. */
const LONGEST_PHRASE = 4;

/** How many words may stand inside a phrase of a verb and its particle, as in `turn the kitchen lamp off`. */
const LONGEST_OBJECT = 3;
const PARTICLES = new Set(["off", "on", "up", "down", "out", "in", "back", "away", "over"]);

/** A phrase in a text: which places it takes, and what they can mean together. */
export interface Phrase {
  readonly at: readonly number[];
  readonly meanings: readonly Meaning[];
}

/** What a single word, by its stem, can mean. */
export function meaningsOf(stemmed: string): readonly Meaning[] {
  return table().get(stemmed) ?? [];
}

/**
 * The longest phrase of two or more words that begins at a place of a text given as stems; null when there is none. A
 * particle may stand behind the object: `call off the party` and `call the party off` are the same phrase.
 */
export function phraseAt(stems: readonly string[], start: number): Phrase | null {
  for (let length = Math.min(LONGEST_PHRASE, stems.length - start); length >= 2; length -= 1) {
    const found = table().get(stems.slice(start, start + length).join(" "));
    if (found !== undefined)
      return { at: stems.slice(start, start + length).map((_, n) => start + n), meanings: found };
  }
  for (let end = start + 2; end <= Math.min(start + 1 + LONGEST_OBJECT, stems.length - 1); end += 1) {
    if (!PARTICLES.has(stems[end]!)) continue;
    const found = table().get(`${stems[start]} ${stems[end]}`);
    if (found !== undefined) return { at: [start, end], meanings: found };
  }
  return null;
}

/** Every word and phrase of the table, by its stems. */
export function knownStems(): Iterable<string> {
  return table().keys();
}

/** From the stems of a word or phrase, joined by spaces, to what it can mean. */
let meanings: ReadonlyMap<string, readonly Meaning[]> | undefined;

/** Read on first use: a Worker that is never asked to search does not pay for it. */
function table(): ReadonlyMap<string, readonly Meaning[]> {
  meanings ??= readTable(
    [SYNONYM_TABLE, BUSINESS_WORDS, TECHNICAL_WORDS, HOUSEHOLD_WORDS].map((text) => text.trim()).join("\n"),
  );
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
