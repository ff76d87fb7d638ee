import type { Tool } from "../define-tool.ts";
import { isWeak } from "./is-weak.ts";
import { stem } from "./stem.ts";
import { compact, joinNeighbours, toCaselessParts, toChunks, toParts } from "./to-words.ts";
import { Vocabulary } from "./vocabulary.ts";
import { WordIndex } from "./word-index.ts";

/**
 * What a word counts in name, summary, category and description: a name is chosen to say what a tool does, a summary to
 * say it in full.
 */
const BOOSTS = [3, 2, 1, 1];
const NAME = 0;

/** A word of grammar or a number in a name is hardly ever why the tool was asked for. */
const WEAK = 0.1;

/** A word of a request: the stems it can mean, each with what it counts. */
type Meaning = ReadonlyMap<string, number>;

/**
 * A full-text index (BM25) over name, summary, category and description of a list of tools.
 *
 * Every tool that has a word of a request is found, in whatever case and form, a slip of spelling forgiven; the best
 * come first and whoever asked judges. Words of grammar, numbers and single letters look in names only, unless the
 * request has no other words. No weight was fitted to a catalogue; only the root was
 * chosen by looking (docs/discovery.md).
 */
export class ToolSearch {
  readonly #tools: readonly Tool[];
  /** By their names without case and punctuation. */
  readonly #byName: ReadonlyMap<string, readonly Tool[]>;
  readonly #index = new WordIndex(BOOSTS.length);
  readonly #vocabulary = new Vocabulary();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.#byName = Map.groupBy(tools, ({ name }) => compact(name));
    for (const { name, summary, category, description } of tools)
      this.#index.add([
        this.#vocabulary.learnName(name),
        this.#vocabulary.learn(summary),
        this.#vocabulary.learn(category),
        // In a long text words of grammar find nothing, and each would cost time.
        this.#vocabulary.learn(description, { withWeak: false }),
      ]);
  }

  /** The tools that have a word of the request, best first; before all others those it names. */
  find(request: string): readonly Tool[] {
    return [...new Set([...this.#named(request), ...this.#ranked(request)])];
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

  /**
   * By BM25, times the root of how many words of the request the tool has: by itself it is content with one rare word,
   * and times the whole number with many common ones.
   */
  #ranked(request: string): readonly Tool[] {
    const words = this.#read(request);
    const strong = words.filter((word) => !isWeak(word)).map((word) => this.#vocabulary.look(word));
    const weak = words.filter((word) => isWeak(word)).map((word): Meaning => new Map([[stem(word), WEAK]]));
    const evidence = new Float64Array(this.#tools.length);
    const had = new Float64Array(this.#tools.length).fill(WEAK);
    for (const meaning of strong) {
      const best = this.#weigh(meaning, evidence);
      for (const [tool, counts] of best) had[tool]! += counts;
    }
    for (const meaning of weak) this.#weigh(meaning, evidence, { isNameOnly: strong.length > 0 });
    const scores = evidence.map((sum, tool) => sum * Math.sqrt(had[tool]!));
    return this.#tools
      .map((tool, at) => ({ tool, score: scores[at]! }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ tool }) => tool);
  }

  /** Add what a word tells of each tool to the evidence; for those that have it, what it counts at best. */
  #weigh(meaning: Meaning, evidence: Float64Array, { isNameOnly = false } = {}): ReadonlyMap<number, number> {
    const best = new Map<number, number>();
    for (const [term, counts] of meaning)
      this.#index.look(term, (tool, field, says) => {
        if (isNameOnly && field !== NAME) return;
        evidence[tool]! += counts * BOOSTS[field]! * says;
        best.set(tool, Math.max(counts, best.get(tool) ?? 0));
      });
    return best;
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
