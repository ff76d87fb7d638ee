import { stem } from "./stem.ts";
import { isStopWord } from "./stop-words.ts";
import { type Meaning, meaningsOf, phraseAt } from "./synonyms.ts";
import { toWords } from "./to-words.ts";

/** One informative word or phrase of a request. */
export interface Unit {
  /** The word's stem; null for a phrase, which is known by its meaning only. */
  readonly stem: string | null;
  readonly meanings: readonly Meaning[];
  /** Looks like a name or a number: something that the tool is to be given, unless a tool is about it. */
  readonly isData: boolean;
  /** A phrase's informative words, for a reader who does not know the phrase. */
  readonly words: readonly Unit[];
}

/** Addresses, and what stands in quotation marks: arguments of a call, not words about it. */
const DATA = /"[^"]*"|“[^”]*”|\S+@\S+|\b\w+:\/\/\S+/g;

/** Read a request as what it says about the tool it needs: stop words, numbers and addresses are not among that. */
export function toUnits(text: string): Unit[] {
  const outside = text.replaceAll(DATA, " . ");
  const words = readWords(/[\p{L}\p{N}]/u.test(outside) ? outside : text);
  const stems = words.map(({ word }) => stem(word));
  const toUnit = (at: number, isArgument: boolean): Unit => {
    const stemmed = stems[at]!;
    return { stem: stemmed, meanings: meaningsOf(stemmed), isData: isArgument, words: [] };
  };
  const taken = new Set<number>();
  const units: Unit[] = [];
  for (const [at, { word, isData }] of words.entries()) {
    if (taken.has(at)) continue;
    const phrase = phraseAt(stems, at);
    if (phrase !== null) {
      const inside = phrase.at.filter((place) => isInformative(words[place]!.word));
      units.push({
        stem: null,
        meanings: phrase.meanings,
        isData: false,
        words: inside.map((place) => toUnit(place, words[place]!.isData || followsPreposition(words, place))),
      });
      for (const place of phrase.at) taken.add(place);
    } else if (isInformative(word)) {
      units.push(toUnit(at, isData || followsPreposition(words, at)));
    }
  }
  return units;
}

/** Words after which a request says where, when, whom or with what: that is for the tool to be given. */
const PREPOSITIONS = new Set(
  "from to in into at on near about for with without by under over between until towards around".split(" "),
);

/** Whether only words that say nothing stand between a preposition and a place. */
function followsPreposition(words: readonly { readonly word: string }[], at: number): boolean {
  for (let before = at - 1; before >= 0; before -= 1) {
    if (PREPOSITIONS.has(words[before]!.word)) return true;
    if (isInformative(words[before]!.word)) return false;
  }
  return false;
}

/** The terms under which a text about a tool is found: its stems, and whatever they and its phrases can mean. */
export function toTerms(text: string): string[] {
  const words = toWords(text);
  const stems = words.map(stem);
  return words.flatMap((word, at): readonly string[] => {
    const phrase = phraseAt(stems, at)?.meanings ?? [];
    return isInformative(word) ? [stems[at]!, ...meaningsOf(stems[at]!), ...phrase] : phrase;
  });
}

/** Words with whether they look like data: capitalised inside a sentence, or with digits. */
function readWords(text: string): { readonly word: string; readonly isData: boolean }[] {
  const chunks = text.match(/[\p{L}\p{N}'’_-]+|[.!?]/gu) ?? [];
  return chunks.flatMap((chunk, at) => {
    const begins = at === 0 || /^[.!?]$/.test(chunks[at - 1]!);
    const isName = !begins && /^\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)*(?:['’]s?)?$/u.test(chunk);
    return toWords(chunk).map((word) => ({ word, isData: isName || /\p{N}/u.test(word) }));
  });
}

function isInformative(word: string): boolean {
  return word.length > 1 && !isStopWord(word) && !/^\p{N}+$/u.test(word);
}
