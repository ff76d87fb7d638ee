import { stem, toChunks, toParts, toWords } from "./to-words.ts";

/** The weight of a word that was only meant by another: misspelt, begun, or part of a name written as one word. */
const GUESSED = 0.4;
/** And what when tools have the word itself, so that nothing has to be guessed. */
const GUESSED_THOUGH_KNOWN = 0.1;

/** Shorter words have too many neighbours that are words of their own. */
const SHORTEST = { begun: 3, swapped: 4, inside: 4, misspelt: 5 };

interface Word {
  readonly text: string;
  readonly stem: string;
  readonly isWeak: boolean;
}

/** The words by which the tools of a list are found. */
export class Vocabulary {
  readonly #words = new Map<string, Word>();
  /** Most of a text is chunks that other texts have as well. */
  readonly #wordsOfChunks = new Map<string, readonly Word[]>();
  readonly #known = new Set<string>();
  /** Words by their first letter: who misspells a word seldom does so there. */
  readonly #byInitial = new Map<string, Word[]>();
  readonly #inNames = new Set<string>();

  /** Take up the words of a text and give their stems, each once; without its weak words where those are of no use. */
  learn(text: string, { withWeak = true } = {}): ReadonlySet<string> {
    const stems = new Set<string>();
    for (const chunk of toChunks(text)) {
      let words = this.#wordsOfChunks.get(chunk);
      if (words === undefined) {
        words = toWords(chunk).map((word) => this.#learnWord(word));
        this.#wordsOfChunks.set(chunk, words);
      }
      for (const word of words) if (withWeak || !word.isWeak) stems.add(word.stem);
    }
    return stems;
  }

  /** Likewise of a name, in whose words others may stand: `quality` in `airquality`. */
  learnName(name: string): ReadonlySet<string> {
    for (const word of toParts(name)) if (word.length > SHORTEST.inside) this.#inNames.add(word);
    return this.learn(name);
  }

  /** Whether some tool has this word, in any of its forms. */
  has(word: string): boolean {
    return this.#known.has(stem(word));
  }

  /**
   * The stems that a word of a request can mean, each with what it counts: its own, those of words it may be a slip of,
   * of names it stands in and, when no tool has the word itself, of those it begins.
   */
  look(word: string): ReadonlyMap<string, number> {
    const own = stem(word);
    const isKnown = this.#known.has(own);
    const meant = new Map<string, number>();
    const guess = (other: Word | undefined): void => {
      if (other !== undefined) meant.set(other.stem, isKnown ? GUESSED_THOUGH_KNOWN : GUESSED);
    };
    if (word.length >= SHORTEST.swapped) for (const swapped of toSwaps(word)) guess(this.#words.get(swapped));
    if (word.length >= SHORTEST.inside)
      for (const name of this.#inNames) if (name.includes(word)) guess(this.#words.get(name));
    for (const other of this.#byInitial.get(word[0]!) ?? []) {
      const isBegun = !isKnown && word.length >= SHORTEST.begun && other.text.startsWith(word);
      if (isBegun || this.#isMisspelt(word, own, other)) guess(other);
    }
    if (isKnown) meant.set(own, 1);
    return meant;
  }

  #learnWord(text: string): Word {
    const before = this.#words.get(text);
    if (before !== undefined) return before;
    const word = { text, stem: stem(text), isWeak: isWeak(text) };
    this.#words.set(text, word);
    this.#known.add(word.stem);
    if (!word.isWeak) {
      const sameInitial = this.#byInitial.get(text[0]!);
      if (sameInitial === undefined) this.#byInitial.set(text[0]!, [word]);
      else sameInitial.push(word);
    }
    return word;
  }

  /** By itself or without its ending: `forcasts` is no slip of `forecast`, but `forcast` is. */
  #isMisspelt(word: string, own: string, other: Word): boolean {
    if (word.length >= SHORTEST.misspelt && isSlip(word, other.text)) return true;
    return own.length >= SHORTEST.misspelt && isSlip(own, other.stem);
  }
}

/** Whether one word is the other with a letter left out, put in, or struck instead of another. No word is its own slip. */
export function isSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  if (a.length > b.length) return a.slice(at + 1) === b.slice(at);
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  return at < a.length && a.slice(at + 1) === b.slice(at + 1);
}

/** A word with each two of its neighbouring letters swapped. */
export function toSwaps(word: string): string[] {
  return Array.from(
    { length: word.length - 1 },
    (_, at) => word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
  );
}

/** Words that hold a sentence together and say nothing about which tool it needs; none that a tool is likely to be about. */
const STOP_WORDS = new Set(
  `a an the this that these those it its they them their there here what which who whom whose when where why how
  i me my mine we us our ours you your yours he him his she her hers someone somebody something anyone anybody anything
  is are was were be been being am do does did has have had having will would shall should can could may might must let
  and or but nor so if then than as of at by for from in into on to with also just only some any
  please thank thanks hi hello ok okay want wants wanted ll ve re don doesn didn isn aren wasn`.split(/\s+/),
);

/**
 * Whether a word of a request says little about which tool it needs: a word of grammar, a number or a single letter.
 * It still finds the tools that are named by it.
 */
export function isWeak(word: string): boolean {
  return STOP_WORDS.has(word) || /^(?:\p{N}+|\p{ASCII})$/u.test(word);
}
