import MiniSearch, { type SearchResult } from "minisearch";

import type { Tool } from "./define-tool.ts";
import { isQuestion } from "./language/is-question.ts";
import { toTerms, toUnits } from "./language/to-terms.ts";
import { type KnownUnit, Vocabulary } from "./vocabulary.ts";

/** What a word is worth by where a tool has it: a name says more about a tool than its description. */
const WORTH = { name: 1.3, summary: 1.1, category: 1, actions: 0.5, description: 0.4 };
type Field = keyof typeof WORTH;
const FIELDS = Object.keys(WORTH) as Field[];

/** A word of the same meaning is less sure a sign than the word itself, and less sure the more it can mean. */
const MEANING = { worth: 0.85, power: 0.3 };
/** A word that was only spelt almost like one counts less than it. */
const CORRECTED = 0.7;
/** Names, numbers and what follows a preposition are mostly for the tool to be given. */
const DATA = 0.5;
/** A question wants to know something, so a tool that changes something is seldom the answer. */
const WRITE_FOR_QUESTION = 0.5;

/** BM25 orders the tools that take up the same words: it alone knows how often, and in how long a text. */
const ORDER = 0.2;
const BOOST = { name: 1.7, summary: 1.1, category: 1.5, actions: 0.5, description: 1 };
const MEANING_BOOST = 1.2;
/** A few short fields are no longer or shorter for a reason, so length counts less than in documents. */
const BM25 = { k: 1.6, b: 0.3, d: 0.55 };

/**
 * When the best tool is an answer at all: what speaks for it, less the share of the request that it does not take up. A
 * phrase counts twice, because it is hardly ever met by chance. The same numbers hold for a catalog of 20 tools as for one
 * of 350.
 */
const CONFIDENCE = { phrase: 2, missed: 1.2, least: 0.8 };
/** A tool that scores less than this share of the best one is not what was meant. */
const LEAST_OF_BEST = 0.4;

/** Words of a request that are looked at. Nobody describes a tool in more, and each costs CPU. */
const MOST_UNITS = 24;

/** A tool that has a word of the request, and what speaks for it. */
interface Candidate {
  readonly tool: Tool;
  /** For each unit, how well the tool takes it up: 0 for not at all. */
  readonly taken: readonly number[];
  readonly score: number;
}

/**
 * A full-text index (MiniSearch, BM25) over name, summary, category, actions and description of a list of tools.
 *
 * Words are found in all their forms and by others of the same meaning. Each word of a request counts once for a tool,
 * by the best of what it can mean there: added up, a word of many meanings would outweigh the rest of the request. When
 * the best tool takes up too little, none is an answer. The numbers above were chosen by `npm run bench:search`, on the
 * requests it calls tuning.
 */
export class ToolSearch {
  readonly #tools: readonly Tool[];
  /** By their names without case and punctuation. */
  readonly #byName: ReadonlyMap<string, readonly Tool[]>;
  readonly #index: MiniSearch;
  readonly #vocabulary: Vocabulary;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.#byName = Map.groupBy(tools, ({ name }) => fold(name));
    const terms = tools.map((tool) => FIELDS.map((field) => toTerms(textOf(tool, field))));
    this.#vocabulary = new Vocabulary(terms.map((fields) => fields.flat()));
    // No term has a space in it.
    this.#index = new MiniSearch({ fields: FIELDS, tokenize: (text) => text.split(" "), processTerm: asIs });
    this.#index.addAll(
      terms.map((fields, id) => ({
        id,
        ...Object.fromEntries(fields.map((inField, at) => [FIELDS[at]!, inField.join(" ")])),
      })),
    );
  }

  /**
   * The tools that fit a request, best first; none when nothing does. A tool whose name the request is, or contains
   * as it is written, comes before all others.
   */
  find(query: string): readonly Tool[] {
    const ranked = this.#rank(query);
    // Who says a category's name means all of it, even where that word says nothing because every tool has it.
    const category = query.trim().toLowerCase();
    const ofCategory = this.#tools.filter((tool) => tool.category === category);
    return [...new Set([...this.#named(query), ...ranked, ...ofCategory])];
  }

  /** Tools whose name a request is, in whatever case and punctuation, or has among its words as it is written. */
  #named(query: string): readonly Tool[] {
    const words = query.split(/[^A-Za-z0-9_-]+/).filter((word) => !/^[A-Za-z]?[a-z]*$/.test(word));
    const written = words.flatMap((word) =>
      (this.#byName.get(fold(word)) ?? []).filter(({ name }) => name === word),
    );
    return [...written, ...(this.#byName.get(fold(query)) ?? [])];
  }

  #rank(query: string): readonly Tool[] {
    const units = this.#vocabulary.look(toUnits(query).slice(0, MOST_UNITS));
    const boosts = toBoosts(units);
    const results = this.#index.search(query, {
      tokenize: () => [...boosts.keys()],
      processTerm: asIs,
      boost: BOOST,
      boostTerm: (term) => boosts.get(term) ?? 1,
      bm25: BM25,
    });
    const mostRelevant = results[0]?.score ?? 0;
    const isAsked = isQuestion(query);
    const candidates = results.map((result): Candidate => {
      const tool = this.#tools[result.id as number]!;
      const taken = units.map((unit) => this.#takenUp(unit, result));
      const order = 1 + (ORDER * result.score) / mostRelevant;
      return { tool, taken, score: sum(taken) * order * (isAsked && tool.isWrite ? WRITE_FOR_QUESTION : 1) };
    });
    candidates.sort((a, b) => b.score - a.score);
    const [best] = candidates;
    if (best === undefined || confidenceIn(best, units) < CONFIDENCE.least) return [];
    return candidates.filter(({ score }) => score >= LEAST_OF_BEST * best.score).map(({ tool }) => tool);
  }

  /** How well a tool takes a unit up: by the best of what it can mean, in the best of the fields that have it. */
  #takenUp({ stem, meanings, isData, isCorrected }: KnownUnit, { match }: SearchResult): number {
    const worth = (term: string): number => {
      const fields = match[term] as readonly Field[] | undefined;
      if (fields === undefined) return 0;
      return this.#vocabulary.rarity(term) * Math.max(...fields.map((field) => WORTH[field]));
    };
    const own = stem === null ? 0 : worth(stem);
    const ofMeaning = MEANING.worth / meanings.length ** MEANING.power;
    const best = Math.max(own, ...meanings.map((meaning) => ofMeaning * worth(meaning)));
    return best * (isData ? DATA : 1) * (isCorrected ? CORRECTED : 1);
  }
}

/** How sure it is that a tool is meant. What is for the tool to be given is not missed. */
function confidenceIn({ taken }: Candidate, units: readonly KnownUnit[]): number {
  const evidence = sum(taken.map((worth, at) => worth * (units[at]!.stem === null ? CONFIDENCE.phrase : 1)));
  const said = units.filter(({ isData }, at) => !isData || taken[at]! > 0);
  const missed = said.length - taken.filter((worth) => worth > 0).length;
  // One word missed of two is no more than a hint; five of ten are something else.
  return Math.sqrt(evidence) - (CONFIDENCE.missed * missed) / (said.length + 2);
}

/** How much BM25 counts each term to look for; a word of many meanings counts less in each. */
function toBoosts(units: readonly KnownUnit[]): ReadonlyMap<string, number> {
  const boosts = new Map<string, number>();
  for (const { stem, meanings, isCorrected } of units) {
    const factor = isCorrected ? CORRECTED : 1;
    if (stem !== null) boosts.set(stem, factor);
    const of = (MEANING_BOOST * factor) / Math.sqrt(meanings.length);
    for (const meaning of meanings) boosts.set(meaning, Math.max(boosts.get(meaning) ?? 0, of));
  }
  return boosts;
}

function textOf(tool: Tool, field: Field): string {
  const value = tool[field];
  return typeof value === "string" ? value : value.join(" ");
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

const asIs = (term: string): string => term;
