import * as LIMITS from "../../../core/contract/limits.ts";
import { err, type Result } from "../../../core/kit/result.ts";
import type { Budget } from "../json-schema/position-automaton.ts";
import { type PatternCost, weighPattern } from "../json-schema/weigh-pattern.ts";

/** Cost of compiling and parsing a pattern, besides its way through all texts. */
const PATTERN_UNITS = 100;

interface Weighed {
  readonly result: Result<PatternCost, string>;
  /** Units that the pattern took of its schema's own budget, and takes in every schema. */
  readonly units: number;
}

/** The work that the patterns of many schemas may take together. Each pattern is weighed once, however many schemas have it. */
export class PatternWork {
  readonly #known = new Map<string, Weighed>();
  #left: number;
  #refused = false;

  constructor(left: number = LIMITS.importPatternUnits) {
    this.#left = left;
  }

  /** Units that are not used yet. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** Whether a pattern was refused for want of work. */
  get isSpent(): boolean {
    return this.#refused;
  }

  /** Weigh a pattern, see `weighPattern`. @param own what the patterns of its schema may take */
  weigh(source: string, own: Budget): Result<PatternCost, string> {
    const known = this.#known.get(source);
    if (known !== undefined && own.left > 0) {
      own.left -= known.units;
      return known.result;
    }
    if (this.#left <= 0) {
      this.#refused = true;
      return err("the schemas before it took all the work that patterns of one import may");
    }
    const before = own.left;
    const result = weighPattern(source, own);
    const units = before - own.left;
    this.#left -= units + PATTERN_UNITS + source.length;
    // A pattern that was refused for want of the schema's own budget may be fine in another.
    if (result.ok || own.left > 0) this.#known.set(source, { result, units });
    return result;
  }
}
