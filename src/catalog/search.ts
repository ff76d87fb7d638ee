import MiniSearch, { type SearchResult } from "minisearch";

import { editDistance } from "../kit/edit-distance.ts";
import type { Tool } from "./define-tool.ts";
import { knownStems } from "./language/synonyms.ts";
import { toTerms, toUnits, type Unit } from "./language/to-terms.ts";

/** What is indexed of a tool, and how much a word counts there: a name says more about a tool than its description. */
const BOOST = { name: 3, summary: 2, category: 1.5, actions: 1.5, description: 1 };

/** A word that only means the same counts less than the word itself. */
const MEANING_WEIGHT = 0.5;
/** So does a word that was only spelt almost like one. */
const CORRECTED_WEIGHT = 0.7;

/** How much of what a request says a tool must take up to be an answer to it. */
const LEAST_COVERAGE = 0.4;
/** A tool that scores less than this share of the best one is not what was meant. */
const LEAST_OF_BEST = 0.3;
/** What a word that no tool of the catalog uses weighs against one that only one tool uses. Often it is a name. */
const UNKNOWN_WORD_WEIGHT = 0.5;

/** A unit of the query, as the index can be asked for it. */
interface Weighted extends Unit {
  /** How much it tells tools apart: 1 for a term of a single tool, near 0 for a term of all. */
  readonly weight: number;
  readonly corrected: boolean;
}

/**
 * A full-text index (BM25) over name, summary, category, actions and description of a list of tools.
 *
 * Words are found in all their forms and, with less weight, by others of the same meaning. A tool is an answer only
 * when it takes up enough of what was asked, so a request that no tool fits has none.
 */
export class ToolSearch {
  readonly #tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #index: MiniSearch<Tool>;
  /** In how many tools a term occurs. */
  readonly #frequency = new Map<string, number>();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#index = new MiniSearch<Tool>({
      idField: "name",
      fields: Object.keys(BOOST),
      extractField: (tool, field) => {
        const value = tool[field as keyof typeof BOOST];
        return typeof value === "string" ? value : value.join(" ");
      },
      tokenize: (text) => toTerms(text),
      processTerm: (term) => term,
    });
    this.#index.addAll(tools);
    for (const tool of tools) {
      const { name, summary, category, actions, description } = tool;
      const text = [name, summary, category, ...actions, description].join(" . ");
      for (const term of new Set(toTerms(text)))
        this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1);
    }
  }

  /**
   * The tools that fit a request, best first; none when nothing does. A tool whose name the request is, or contains
   * as it is written, comes before all others.
   */
  find(query: string): readonly Tool[] {
    const named = this.#tools.filter(({ name }) => isNamed(name, query));
    const others = this.#rank(query).filter((tool) => !named.includes(tool));
    return [...named, ...others];
  }

  #rank(query: string): readonly Tool[] {
    const units = toUnits(query).map((unit) => this.#weigh(unit));
    const boosts = new Map<string, number>();
    for (const { stem, meanings, corrected } of units) {
      const factor = corrected ? CORRECTED_WEIGHT : 1;
      for (const meaning of meanings) boosts.set(meaning, factor * MEANING_WEIGHT);
      if (stem !== null) boosts.set(stem, factor);
    }
    const terms = [...boosts.keys()];
    const results = this.#index.search(query, {
      tokenize: () => terms,
      processTerm: (term) => term,
      boost: BOOST,
      boostTerm: (term) => boosts.get(term) ?? 1,
    });
    const asked = units.reduce((sum, { weight }) => sum + weight, 0);
    const fitting = results.filter((result) => coverage(result, units) >= LEAST_COVERAGE * asked);
    const best = fitting[0]?.score ?? 0;
    return fitting
      .filter(({ score }) => score >= LEAST_OF_BEST * best)
      .map(({ id }) => this.#byName.get(id as string)!);
  }

  #weigh(unit: Unit): Weighted {
    const known = [unit.stem ?? "", ...unit.meanings].filter((term) => this.#frequency.has(term));
    if (known.length > 0) {
      const frequency = Math.max(...known.map((term) => this.#frequency.get(term)!));
      const all = this.#tools.length;
      return { ...unit, corrected: false, weight: Math.log(1 + all / frequency) / Math.log(1 + all) };
    }
    const spelt = unit.stem === null || unit.meanings.length > 0 ? null : this.#correct(unit.stem);
    if (spelt === null) return { ...unit, corrected: false, weight: UNKNOWN_WORD_WEIGHT };
    const [right] = toUnits(spelt);
    return { ...this.#weigh(right ?? { stem: spelt, meanings: [] }), corrected: true };
  }

  /** The one known word a misspelt one is nearest to; only long words have a neighbour that is not another word. */
  #correct(word: string): string | null {
    if (word.length < 5) return null;
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

/** How much of what was asked a tool takes up. */
function coverage({ queryTerms }: SearchResult, units: readonly Weighted[]): number {
  return units.reduce((sum, { stem, meanings, weight }) => {
    const met =
      (stem !== null && queryTerms.includes(stem)) ||
      meanings.some((meaning) => queryTerms.includes(meaning));
    return met ? sum + weight : sum;
  }, 0);
}

/** Whether a request is a tool's name, in whatever case and punctuation, or has it among its words as it is written. */
function isNamed(name: string, query: string): boolean {
  if (fold(name) === fold(query)) return true;
  const isOneWord = /^[A-Za-z][a-z]*$/.test(name);
  return !isOneWord && query.split(/[^A-Za-z0-9_-]+/).includes(name);
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
