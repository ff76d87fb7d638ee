import { ACTION_WORDS } from "./action-words.ts";
import { BUSINESS_WORDS } from "./business-words.ts";
import { DAILY_LIFE_WORDS } from "./daily-life-words.ts";
import { HOUSEHOLD_WORDS } from "./household-words.ts";
import { OFFICE_WORDS } from "./office-words.ts";
import { ONLINE_WORDS } from "./online-words.ts";
import { OPERATIONS_WORDS } from "./operations-words.ts";
import { stem } from "./stem.ts";
import { TECHNICAL_WORDS } from "./technical-words.ts";
import { TRADE_WORDS } from "./trade-words.ts";
import { TRAVEL_WORDS } from "./travel-words.ts";

/**
 * The thesaurus: everyday words for the same thing, one meaning a line; `_` joins the words of a phrase. A word may have
 * several meanings and then stands in several lines.
 *
 * A line belongs here when two people would use its words for the same request. Lines may overlap: a word of many
 * meanings counts less in each. What it does for requests that nobody had seen is measured: docs/discovery.md.
 */
const TABLES = [
  ACTION_WORDS,
  BUSINESS_WORDS,
  DAILY_LIFE_WORDS,
  HOUSEHOLD_WORDS,
  OFFICE_WORDS,
  ONLINE_WORDS,
  OPERATIONS_WORDS,
  TECHNICAL_WORDS,
  TRADE_WORDS,
  TRAVEL_WORDS,
];

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
  return thesaurus().meanings.get(stemmed) ?? [];
}

/**
 * The longest phrase of two or more words that begins at a place of a text given as stems; null when there is none. A
 * particle may stand behind the object: `call off the party` and `call the party off` are the same phrase.
 */
export function phraseAt(stems: readonly string[], start: number): Phrase | null {
  if (!thesaurus().phraseStarts.has(stems[start]!)) return null;
  for (let length = Math.min(LONGEST_PHRASE, stems.length - start); length >= 2; length -= 1) {
    const found = thesaurus().meanings.get(stems.slice(start, start + length).join(" "));
    if (found !== undefined)
      return { at: stems.slice(start, start + length).map((_, n) => start + n), meanings: found };
  }
  for (let end = start + 2; end <= Math.min(start + 1 + LONGEST_OBJECT, stems.length - 1); end += 1) {
    if (!PARTICLES.has(stems[end]!)) continue;
    const found = thesaurus().meanings.get(`${stems[start]} ${stems[end]}`);
    if (found !== undefined) return { at: [start, end], meanings: found };
  }
  return null;
}

/** Every word and phrase of the table, by its stems. */
export function knownStems(): Iterable<string> {
  return thesaurus().meanings.keys();
}

interface Thesaurus {
  /** From the stems of a word or phrase, joined by spaces, to what it can mean. */
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>;
  /** First words of phrases: most words of a text begin none. */
  readonly phraseStarts: ReadonlySet<string>;
}

let read: Thesaurus | undefined;

/** Read on first use: a Worker that is never asked to search does not pay for it. */
function thesaurus(): Thesaurus {
  read ??= readThesaurus(synonymLines());
  return read;
}

/** Every line of the thesaurus, as its words and phrases. */
export function synonymLines(): readonly (readonly string[])[] {
  return TABLES.flatMap((text) => text.trim().split("\n")).map((line) => line.split(" "));
}

function readThesaurus(lines: readonly (readonly string[])[]): Thesaurus {
  const meanings = new Map<string, Meaning[]>();
  const phraseStarts = new Set<string>();
  const stems = new Map<string, string>();
  const stemOnce = (word: string): string => {
    const stemmed = stems.get(word) ?? stem(word);
    stems.set(word, stemmed);
    return stemmed;
  };
  for (const [line, words] of lines.entries()) {
    for (const word of words) {
      const parts = word.split("_").map(stemOnce);
      if (parts.length > 1) phraseStarts.add(parts[0]!);
      const key = parts.join(" ");
      const known = meanings.get(key);
      if (known === undefined) meanings.set(key, [`~${line}`]);
      else if (!known.includes(`~${line}`)) known.push(`~${line}`);
    }
  }
  return { meanings, phraseStarts };
}
