import { editDistance } from "../kit/edit-distance.ts";
import { knownStems, meaningsOf } from "./language/synonyms.ts";
import type { Unit } from "./language/to-terms.ts";

/** Words of a request that are compared with every known one. One that has more is in another language. */
const MOST_CORRECTIONS = 4;

/** A unit of a request as the tools of a list know it. */
export interface KnownUnit extends Unit {
  /** It was misspelt: this is the word it was taken for. */
  readonly isCorrected: boolean;
}

/** The terms by which the tools of a list are found, and in how many of them each occurs. */
export class Vocabulary {
  readonly #tools: number;
  readonly #frequency = new Map<string, number>();

  constructor(termsOfTools: readonly (readonly string[])[]) {
    this.#tools = termsOfTools.length;
    for (const terms of termsOfTools)
      for (const term of new Set(terms)) this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1);
  }

  /** How much a term tells tools apart: 1 when a single tool has it, near 0 when all do. Some tool must have it. */
  rarity(term: string): number {
    return Math.log(1 + this.#tools / this.#frequency.get(term)!) / Math.log(1 + this.#tools);
  }

  /**
   * Look up the units of a request. A phrase that no tool is found by is read as its words, and a word that neither the
   * tools nor the thesaurus know is taken for one nearby.
   */
  look(units: readonly Unit[]): readonly KnownUnit[] {
    const known: KnownUnit[] = [];
    let corrections = 0;
    for (const unit of units.flatMap((one) => this.#readPhrase(one))) {
      const isStrange = unit.stem !== null && unit.meanings.length === 0 && !this.#frequency.has(unit.stem);
      let spelt: string | null = null;
      if (isStrange && corrections < MOST_CORRECTIONS) {
        corrections += 1;
        spelt = this.#correct(unit.stem);
      }
      if (known.some(({ stem }) => stem !== null && stem === (spelt ?? unit.stem))) continue;
      known.push(
        spelt === null
          ? { ...unit, isCorrected: false }
          : { ...unit, stem: spelt, meanings: meaningsOf(spelt), isCorrected: true },
      );
    }
    return known;
  }

  /** `file a bug` is also about bugs; `out of my own pocket` is about nothing but what it means. */
  #readPhrase(unit: Unit): readonly Unit[] {
    if (unit.stem !== null) return [unit];
    if (!unit.meanings.some((meaning) => this.#frequency.has(meaning))) return unit.words;
    if (unit.words.length < 2) return [unit];
    return [
      unit,
      ...unit.words.map((word) => ({ ...word, isData: word.isData || word.meanings.length === 0 })),
    ];
  }

  /** The known word that a misspelt one is nearest to; only long words have a neighbour that is no other word. */
  #correct(word: string): string | null {
    if (word.length < 6) return null;
    const farthest = word.length >= 8 ? 2 : 1;
    let best: string | null = null;
    let least = farthest + 1;
    for (const candidates of [this.#frequency.keys(), knownStems()]) {
      for (const candidate of candidates) {
        if (candidate[0] !== word[0] || Math.abs(candidate.length - word.length) > farthest) continue;
        const distance = editDistance(word, candidate);
        if (distance < least) [best, least] = [candidate, distance];
      }
    }
    return best;
  }
}
