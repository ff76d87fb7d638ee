import MiniSearch, { type SearchResult } from "minisearch";
import type { Tool } from "../../../feature/tool.ts";
import { compact, joinNeighbours, stem, toCaselessParts, toChunks, toParts } from "./to-words.ts";
import { isWeak, Vocabulary } from "./vocabulary.ts";

/** The weight of a word by the place where a tool has it: a name is chosen to say the tool's purpose, a summary to say it in full. */
const BOOST = { name: 3, summary: 2, category: 1, description: 1 };
const FIELDS = Object.keys(BOOST) as (keyof typeof BOOST)[];

/** A word of grammar or a number in a name is hardly ever why the tool was asked for. */
const WEAK = 0.1;

/** A word of a request: the stems it can mean, each with what it counts. */
type Meaning = ReadonlyMap<string, number>;

/**
 * A full-text index (MiniSearch, BM25) over name, summary, category and description of a list of tools.
 *
 * Every tool that has a word of a request is found, in whatever case and form, a slip of spelling forgiven; the best come first
 * and the caller judges. Words of grammar, numbers and single letters look in names only, unless the request has no other words.
 * No weight was fitted to a catalogue; only the root was chosen by looking (lab/bench/search/report.md).
 */
export class ToolSearch {
  readonly #tools: readonly Tool[];
  /** By their names without case and punctuation. */
  readonly #byName: ReadonlyMap<string, readonly Tool[]>;
  readonly #index: MiniSearch;
  readonly #vocabulary = new Vocabulary();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.#byName = Map.groupBy(tools, ({ name }) => compact(name));
    // No word has a space in it.
    this.#index = new MiniSearch({ fields: FIELDS, tokenize: (text) => text.split(" "), processTerm: asIs });
    this.#index.addAll(tools.map((tool, id) => ({ id, ...this.#toDocument(tool) })));
  }

  /** The tools that have a word of the request, best first; before all others those it names. */
  find(request: string): readonly Tool[] {
    return [...new Set([...this.#named(request), ...this.#ranked(request)])];
  }

  /** In a long text words of grammar find nothing, and each would cost time. */
  #toDocument(tool: Tool): Record<keyof typeof BOOST, string> {
    return {
      name: toText(this.#vocabulary.learnName(tool.name)),
      summary: toText(this.#vocabulary.learn(tool.summary)),
      category: toText(this.#vocabulary.learn(tool.category)),
      description: toText(this.#vocabulary.learn(tool.description, { withWeak: false })),
    };
  }

  /**
   * Tools whose name the request is, in whatever case and punctuation, or has among its words. A name of a single word
   * counts as one only by itself: `status` in a sentence may be just a word. As it is written goes before other spellings.
   */
  #named(request: string): readonly Tool[] {
    const names = [request, ...toChunks(request).filter((chunk) => this.#isCompound(chunk))];
    const tools = names.flatMap((name) => this.#byName.get(compact(name)) ?? []);
    const written = new Set(names.map((name) => name.trim()));
    return [...tools.filter(({ name }) => written.has(name)), ...tools];
  }

  #isCompound(chunk: string): boolean {
    const [tool] = this.#byName.get(compact(chunk)) ?? [];
    return tool !== undefined && toParts(tool.name).length > 1;
  }

  #ranked(request: string): readonly Tool[] {
    const words = this.#read(request);
    const strong = words.filter((word) => !isWeak(word)).map((word) => this.#vocabulary.look(word));
    const weak = words.filter((word) => isWeak(word)).map((word): Meaning => new Map([[stem(word), WEAK]]));
    const worth = new Map<string, number>();
    for (const meaning of [...weak, ...strong])
      for (const [term, counts] of meaning) worth.set(term, Math.max(counts, worth.get(term) ?? 0));
    const weakFields = strong.length === 0 ? FIELDS : ["name" as const];
    const results = this.#index.search(
      {
        combineWith: "OR",
        queries: [
          { queries: [toQuery(strong)], fields: FIELDS },
          { queries: [toQuery(weak)], fields: weakFields },
        ],
      },
      { boost: BOOST, boostTerm: (term) => worth.get(term)! },
    );
    return results
      .map((result) => ({ tool: this.#tools[result.id as number]!, score: scoreOf(result, strong) }))
      .sort((a, b) => b.score - a.score)
      .map(({ tool }) => tool);
  }

  /** The different words of a request, and those that neighbours of it make where a tool has them: `log in`, `to-do`. */
  #read(request: string): readonly string[] {
    const chunks = toChunks(request);
    const words = chunks.flatMap((chunk) => this.#split(chunk));
    const joined = [...joinNeighbours(words), ...chunks.map(compact)];
    return [...new Set([...words, ...joined.filter((word) => !isWeak(word) && this.#vocabulary.has(word))])];
  }

  /** Case has no meaning, so it shows words only in what no tool has as a whole: `listUserOrders`. */
  #split(chunk: string): readonly string[] {
    const parts = toParts(chunk);
    return !this.#vocabulary.has(compact(chunk)) && parts.every((part) => this.#vocabulary.has(part))
      ? parts
      : toCaselessParts(chunk);
  }
}

/**
 * BM25 times the root of how many words of the request the tool has. By itself it is content with one rare word, and
 * times the whole number, as MiniSearch has it, with many common ones.
 */
function scoreOf({ score, queryTerms, match }: SearchResult, words: readonly Meaning[]): number {
  const bm25 = score / queryTerms.length;
  let had = WEAK;
  for (const meaning of words) {
    let best = 0;
    for (const [term, counts] of meaning) if (counts > best && Object.hasOwn(match, term)) best = counts;
    had += best;
  }
  return bm25 * Math.sqrt(had);
}

function toText(stems: Iterable<string>): string {
  return [...stems].join(" ");
}

function toQuery(words: readonly Meaning[]): string {
  return toText(new Set(words.flatMap((meaning) => [...meaning.keys()])));
}

const asIs = (term: string): string => term;
