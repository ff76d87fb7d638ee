import MiniSearch, { type SearchResult } from "minisearch";

import { editDistance } from "../kit/edit-distance.ts";
import type { Tool } from "./define-tool.ts";
import { isQuestion } from "./language/is-question.ts";
import { knownStems, meaningsOf } from "./language/synonyms.ts";
import { toTerms, toUnits, type Unit } from "./language/to-terms.ts";

/** What is indexed of a tool, and how much a word counts there: a name says more about a tool than its description. */
const BOOST = { name: 1.7, summary: 1.1, category: 1.5, actions: 0.5, description: 1 };
/** A few short fields are no longer or shorter for a reason, so length counts less than in documents. */
const BM25 = { k: 1.6, b: 0.3, d: 0.55 };

/** A word that was only spelt almost like one counts less than it. */
const CORRECTED_WEIGHT = 0.7;
/** A question wants to know something, so a tool that changes something is seldom the answer. */
const WRITE_FOR_QUESTION = 0.4;
/** A tool that scores less than this share of the best one is not what was meant. */
const LEAST_OF_BEST = 0.15;

/**
 * When a tool is an answer at all. What a request says is weighed word by word, by how few tools a word applies to; a
 * word that applies to none weighs more than one that applies to a single tool. A tool must take up this share of that weight:
 * more when only one word speaks for it, because any single word also turns up where something else is meant.
 */
const LEAST_SHARE = { ofOneWord: 0.45, ofSeveral: 0.27 };
/** What speaks for a tool must weigh this much: words that apply to half of the catalog say nothing about any of it. */
const LEAST_EVIDENCE = 0.25;
/** A word counts as one that speaks for a tool from this weight on. */
const LEAST_WORD = 0.2;
/** A word that is only mentioned in a description says little about what the tool is for. */
const MENTIONED = 0.12;
const UNKNOWN_WORD = 2.3;
/** An everyday word that only happens to be of no tool here (`email my boss`) is less of a sign than a strange one. */
const UNUSED_WORD = 0.65;
/** Names, numbers and what follows a preposition are for the tool to be given; no tool need know them. */
const UNKNOWN_DATA = 0.1;

/** A word of the same meaning is less sure a sign than the word itself, and is looked for by its whole line. */
const MEANING = { evidence: 0.87, boost: 1.2 };
/** How much more a tool counts that takes up more of what was asked. */
const SHARE_POWER = 1.6;

/** Words of a request that are looked at. Nobody describes a tool in more, and each costs CPU. */
const MOST_UNITS = 24;
/** Words of a request that are compared with every known one. One that has more is in another language. */
const MOST_CORRECTIONS = 4;

/** A unit of a request with what it weighs. */
interface Weighted extends Unit {
  readonly weight: number;
  readonly corrected: boolean;
}

/**
 * A full-text index (BM25) over name, summary, category, actions and description of a list of tools.
 *
 * Words are found in all their forms and by others of the same meaning. A tool is an answer only when it takes up enough
 * of what was asked, so a request that no tool fits mostly has none. The numbers above were chosen by
 * `npm run bench:search`, on one half of its requests.
 */
export class ToolSearch {
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #index: MiniSearch<Tool>;
  /** In how many tools a term occurs. */
  readonly #frequency = new Map<string, number>();

  constructor(tools: readonly Tool[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#index = new MiniSearch<Tool>({
      idField: "name",
      fields: Object.keys(BOOST),
      extractField: (tool, field) => textOf(tool, field as keyof typeof BOOST),
      tokenize: (text) => toTerms(text),
      processTerm: (term) => term,
    });
    this.#index.addAll(tools);
    for (const tool of tools) {
      const fields = Object.keys(BOOST) as (keyof typeof BOOST)[];
      for (const term of new Set(fields.flatMap((field) => toTerms(textOf(tool, field)))))
        this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1);
    }
  }

  /**
   * The tools that fit a request, best first; none when nothing does. A tool whose name the request is, or contains
   * as it is written, comes before all others.
   */
  find(query: string): readonly Tool[] {
    const named = [...this.#byName.values()].filter(({ name }) => isNamed(name, query));
    const ranked = this.#rank(query);
    // Who says a category's name means all of it, even where that word says nothing because every tool has it.
    const category = query.trim().toLowerCase();
    const ofCategory = [...this.#byName.values()].filter((tool) => tool.category === category);
    return [...new Set([...named, ...ranked, ...ofCategory])];
  }

  #rank(query: string): readonly Tool[] {
    const units = this.#weighAll(toUnits(query).slice(0, MOST_UNITS));
    const asked = units.reduce((sum, { weight }) => sum + weight, 0);
    const ask = isQuestion(query);
    const boosts = toBoosts(units);
    const results = this.#index.search(query, {
      tokenize: () => [...boosts.keys()],
      processTerm: (term) => term,
      boost: BOOST,
      boostTerm: (term) => boosts.get(term) ?? 1,
      bm25: BM25,
    });
    const fitting = results.flatMap((result) => {
      const share = this.#shareOf(result, units, asked);
      if (share === null) return [];
      const tool = this.#byName.get(result.id as string)!;
      return [
        { tool, score: result.score * share ** SHARE_POWER * (ask && tool.isWrite ? WRITE_FOR_QUESTION : 1) },
      ];
    });
    fitting.sort((a, b) => b.score - a.score);
    const best = fitting[0]?.score ?? 0;
    return fitting.filter(({ score }) => score >= LEAST_OF_BEST * best).map(({ tool }) => tool);
  }

  /** The share of what was asked that a tool takes up, or null when that is too little. */
  #shareOf({ match }: SearchResult, units: readonly Weighted[], asked: number): number | null {
    const worth = (term: string): number => {
      const fields = match[term];
      if (fields === undefined) return 0;
      const mentioned = fields.length === 1 && fields[0] === "description";
      return this.#rarity(term) * (mentioned ? MENTIONED : 1);
    };
    let evidence = 0;
    let words = 0;
    for (const { stem, meanings, weight } of units) {
      const own = stem === null ? 0 : Math.min(weight, worth(stem));
      const best = Math.max(own, ...meanings.map((meaning) => MEANING.evidence * worth(meaning)));
      evidence += best;
      if (best >= LEAST_WORD) words += 1;
    }
    const share = evidence / asked;
    const least = words > 1 ? LEAST_SHARE.ofSeveral : LEAST_SHARE.ofOneWord;
    return evidence < LEAST_EVIDENCE || share < least ? null : share;
  }

  #weighAll(units: readonly Unit[]): readonly Weighted[] {
    let corrections = 0;
    return units.map((unit) => {
      const weight = this.#weightOf(unit);
      if (weight !== null) return { ...unit, weight, corrected: false };
      if (unit.stem !== null && unit.meanings.length === 0 && corrections < MOST_CORRECTIONS) {
        corrections += 1;
        const spelt = this.#correct(unit.stem);
        if (spelt !== null)
          return { ...spelt, weight: this.#weightOf(spelt) ?? UNUSED_WORD, corrected: true };
      }
      const unused = unit.meanings.length > 0 ? UNUSED_WORD : UNKNOWN_WORD;
      return { ...unit, weight: unit.isData ? UNKNOWN_DATA : unused, corrected: false };
    });
  }

  /** What a unit weighs by the most common of its terms; null when no tool has any of them. */
  #weightOf({ stem, meanings }: Unit): number | null {
    const known = [stem ?? "", ...meanings].filter((term) => this.#frequency.has(term));
    return known.length === 0 ? null : Math.min(...known.map((term) => this.#rarity(term)));
  }

  /** How much a term tells tools apart: 1 when a single tool has it, near 0 when all do. */
  #rarity(term: string): number {
    const all = this.#byName.size;
    return Math.log(1 + all / this.#frequency.get(term)!) / Math.log(1 + all);
  }

  /** The known word that a misspelt one is nearest to; only long words have a neighbour that is no other word. */
  #correct(word: string): Unit | null {
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
    return best === null ? null : { stem: best, meanings: meaningsOf(best), isData: false };
  }
}

function textOf(tool: Tool, field: keyof typeof BOOST): string {
  const value = tool[field];
  return typeof value === "string" ? value : value.join(" ");
}

/** How much each term to look for counts; a word of many meanings counts less in each. */
function toBoosts(units: readonly Weighted[]): ReadonlyMap<string, number> {
  const boosts = new Map<string, number>();
  for (const { stem, meanings, corrected } of units) {
    const factor = corrected ? CORRECTED_WEIGHT : 1;
    if (stem !== null) boosts.set(stem, factor);
    const of = (MEANING.boost * factor) / Math.sqrt(meanings.length);
    for (const meaning of meanings) boosts.set(meaning, Math.max(boosts.get(meaning) ?? 0, of));
  }
  return boosts;
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
