import type { CharSet, Pattern } from "./parse-pattern.ts";

/** How often each place is come to, by the place. */
type Ways = ReadonlyMap<number, number>;

/** A part of a pattern seen from outside: the ways it matches nothing, and its places that come first and last. */
interface Part {
  readonly empties: number;
  readonly first: Ways;
  readonly last: Ways;
}

/** A pattern's places, one for each set of characters in it, and the ways from each to the next. */
export interface Automaton {
  readonly first: Ways;
  readonly follow: readonly Ways[];
  readonly sets: readonly CharSet[];
  /** Whether a text of any length may be matched. */
  readonly loops: boolean;
  /** The patterns inside of `(?=…)` and `(?!…)`, each of which is tried by itself. */
  readonly aheads: readonly Pattern[];
}

/** Work that may still be done; the rest goes on to the next pattern of the same declaration. */
export interface Budget {
  left: number;
}

/** Copies of repeated places that are made; a repetition that would take more is taken for one without an end. */
const MOST_COPIES = 256;

const NOTHING: Part = { empties: 1, first: new Map(), last: new Map() };

/**
 * Build a pattern's position automaton (Glushkov, 1961) with multiplicities: a way that a backtracking search can take twice is
 * counted twice, which tells `(a+)+` from `a+` although both match the same texts. Its counts are never less than such a search's
 * ways: a long repetition is taken for one without an end, an assertion for nothing.
 *
 * @returns null where the budget ends, or something is in it that cannot be counted so
 */
export function buildAutomaton(pattern: Pattern, budget: Budget): Automaton | null {
  const builder = new Builder(budget);
  const { first } = builder.build(pattern, false);
  if (budget.left < 0 || builder.isRefused) return null;
  const { follow, sets, loops, aheads } = builder;
  return { first, follow, sets, loops, aheads };
}

class Builder {
  readonly sets: CharSet[] = [];
  readonly follow: Map<number, number>[] = [];
  readonly aheads: Pattern[] = [];
  loops = false;
  isRefused = false;
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  build(pattern: Pattern, inLoop: boolean): Part {
    this.#budget.left -= 1;
    if (this.#budget.left < 0 || this.isRefused) return NOTHING;
    switch (pattern.kind) {
      case "set":
        return this.#place(pattern.set);
      case "sequence":
        return pattern.parts
          .map((part) => this.build(part, inLoop))
          .reduce((a, b) => this.#join(a, b), NOTHING);
      case "choice":
        return pattern.parts.map((part) => this.build(part, inLoop)).reduce((a, b) => this.#either(a, b));
      case "repeat":
        return this.#repeat(pattern, inLoop);
      case "ahead":
        // Tried on every way that comes by; in a loop that would be once for each character.
        if (inLoop) this.isRefused = true;
        this.aheads.push(pattern.part);
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #place(set: CharSet): Part {
    const at = this.sets.push(set) - 1;
    this.follow.push(new Map());
    const ways = new Map([[at, 1]]);
    return { empties: 0, first: ways, last: ways };
  }

  #repeat({ part, min, max }: Extract<Pattern, { kind: "repeat" }>, inLoop: boolean): Part {
    if (max === 0) return NOTHING;
    const isEndless = max === Number.POSITIVE_INFINITY;
    const before = this.sets.length;
    let next: Part | null = this.build(part, inLoop || max > 1);
    const { empties } = next;
    const copies = (this.sets.length - before) * (isEndless ? min + 1 : max);
    if (empties === 0 && ((isEndless && min <= 1) || copies > MOST_COPIES)) return this.#loop(next, min);
    // A part that may match nothing, many times over, is in no useful pattern.
    if (copies > MOST_COPIES || (isEndless ? min : max) > MOST_COPIES) this.isRefused = true;
    if (this.isRefused) return NOTHING;
    const copy = (): Part => {
      const made = next ?? this.build(part, true);
      next = null;
      return made;
    };
    let rest = isEndless ? this.#loop(copy(), 0) : NOTHING;
    for (let more = isEndless ? min : max; more > 0; more -= 1) {
      rest = this.#join(copy(), rest);
      if (more > min) rest = optional(rest);
    }
    return rest;
  }

  /** Again and again; a round that matches nothing ends it, as ECMAScript has it (22.2.2.3.1). */
  #loop(part: Part, min: number): Part {
    this.loops = true;
    this.#link(part.last, part.first);
    return min === 0 ? optional(part) : part;
  }

  #join(a: Part, b: Part): Part {
    this.#link(a.last, b.first);
    return {
      empties: Math.min(a.empties * b.empties, MANY),
      first: this.#sum(a.first, b.first, a.empties),
      last: this.#sum(b.last, a.last, b.empties),
    };
  }

  #either(a: Part, b: Part): Part {
    return {
      empties: Math.min(a.empties + b.empties, MANY),
      first: this.#sum(a.first, b.first, 1),
      last: this.#sum(a.last, b.last, 1),
    };
  }

  #sum(a: Ways, b: Ways, times: number): Ways {
    if (times === 0 || b.size === 0) return a;
    this.#budget.left -= a.size + b.size;
    if (this.#budget.left < 0) return a;
    const sum = new Map(a);
    for (const [at, ways] of b) sum.set(at, Math.min((sum.get(at) ?? 0) + ways * times, MANY));
    return sum;
  }

  #link(from: Ways, to: Ways): void {
    this.#budget.left -= from.size * to.size;
    if (this.#budget.left < 0) return;
    for (const [at, ways] of from) {
      const next = this.follow[at]!;
      for (const [other, more] of to) next.set(other, Math.min((next.get(other) ?? 0) + ways * more, MANY));
    }
  }
}

/** A round that matches nothing is none where none is needed. */
function optional(part: Part): Part {
  return { ...part, empties: 1 };
}

/** More than any pattern may have. */
const MANY = 1e6;
