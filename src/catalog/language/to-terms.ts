import { stem } from "./stem.ts";
import { isStopWord } from "./stop-words.ts";
import { type Meaning, meaningsOf, phraseAt } from "./synonyms.ts";
import { toWords } from "./to-words.ts";

/** One informative word or phrase of a request. */
export interface Unit {
  /** The word's stem; null for a phrase, which is known by its meaning only. */
  readonly stem: string | null;
  readonly meanings: readonly Meaning[];
}

/** Read a request as what it says about the tool it needs: stop words and bare numbers are not among that. */
export function toUnits(text: string): Unit[] {
  const words = toWords(text);
  const stems = words.map(stem);
  const units: Unit[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const phrase = phraseAt(stems, at);
    if (phrase !== null) {
      units.push({ stem: null, meanings: phrase.meanings });
      at += phrase.length - 1;
    } else if (isInformative(words[at]!) && !units.some((unit) => unit.stem === stems[at])) {
      units.push({ stem: stems[at]!, meanings: meaningsOf(stems[at]!) });
    }
  }
  return units;
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

function isInformative(word: string): boolean {
  return word.length > 1 && !isStopWord(word) && !/^\p{N}+$/u.test(word);
}
