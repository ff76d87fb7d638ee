import * as LIMITS from "../../../core/contract/limits.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import { type CharSet, parsePattern, type Pattern } from "./parse-pattern.ts";
import { type Automaton, type Budget, buildAutomaton } from "./position-automaton.ts";

/** The most that searching for a pattern costs. */
export interface PatternCost {
  /** Ways that a search may have under way at once. */
  readonly paths: number;
  /** Characters that one try looks at, at the most. */
  readonly reach: number;
  /** It begins with `^`, so it is tried at one place only. */
  readonly isAnchored: boolean;
}

const PATTERN_WORK = 20_000;

/** Characters of a pattern: the longest in common use, an IPv6 address, has 700. */
const MOST_CHARACTERS = 2_048;

/** Ways to one text's beginning, all places together; more of them grow with the text, or do so for no good reason. */
const MOST_PATHS = 256;

/** Steps that a search makes in `length` characters at the most. */
export function stepsOf({ paths, reach, isAnchored }: PatternCost, length: number): number {
  return paths * (1 + Math.min(length, reach)) * (isAnchored ? 1 : length + 1);
}

/**
 * Weigh a pattern: how many ways a backtracking search can have under way at once, whatever the text. That is found by going
 * through all texts at the same time, each as the number of ways to every place (a determinisation with counts). Where the
 * number grows without end, as it does for `(a+)+`, `(a|aa)+` or `a*a*`, and where it cannot be told, the pattern is refused.
 * For all others the steps of a search are at most the ways times the characters, at each place where it is tried.
 *
 * @returns the cost, or what is wrong
 */
export function weighPattern(source: string, budget: Budget): Result<PatternCost, string> {
  const { length } = source;
  if (budget.left <= 0) return err("there are too many others beside it to look at it as well");
  if (length > MOST_CHARACTERS)
    return err(`a pattern has at most ${MOST_CHARACTERS} characters, and this one ${length}`);
  // Some patterns are found too large only when they are first used.
  const made = attemptNow(() => new RegExp(source, "u").test(""));
  if (!made.ok) return err("it is no regular expression of ECMAScript with the flag 'u'");
  const parsed = parsePattern(source);
  if (!parsed.ok) return err(`it has ${parsed.error}, whose cost cannot be told beforehand`);
  const paths = countPaths(parsed.value, budget);
  if (paths === null)
    return err("some text would take it very long: it can match the same text in many ways");
  return ok({ paths: paths.most, reach: paths.reach, isAnchored: isAnchored(parsed.value) });
}

interface Paths {
  readonly most: number;
  readonly reach: number;
}

function countPaths(pattern: Pattern, budget: Budget): Paths | null {
  const own: Budget = { left: Math.min(budget.left, PATTERN_WORK) };
  const granted = own.left;
  const automaton = buildAutomaton(pattern, own);
  const most = automaton === null ? null : explore(automaton, own);
  budget.left -= granted - Math.max(0, own.left);
  if (automaton === null || most === null) return null;
  let ahead = 0;
  let reach = automaton.loops ? Number.POSITIVE_INFINITY : automaton.sets.length;
  for (const part of automaton.aheads) {
    const paths = countPaths(part, budget);
    if (paths === null) return null;
    ahead += paths.most;
    reach = Math.max(reach, paths.reach);
  }
  return { most: most * (1 + ahead), reach };
}

/** Go through all texts at once; null where one has too many ways, or there are too many kinds of texts to tell. */
function explore({ first, follow, sets }: Automaton, budget: Budget): number | null {
  const letters = toLetters(sets, budget);
  const seen = new Set<string>();
  const waiting: ReadonlyMap<number, number>[] = [];
  let most = 1;
  const visit = (targets: Iterable<readonly [ReadonlyMap<number, number>, number]>): boolean => {
    const byLetter = new Map<number, Map<number, number>>();
    for (const [next, times] of targets)
      for (const [place, ways] of next) {
        budget.left -= letters[place]!.length;
        if (budget.left < 0) return false;
        for (const letter of letters[place]!) {
          let after = byLetter.get(letter);
          if (after === undefined) byLetter.set(letter, (after = new Map()));
          after.set(place, (after.get(place) ?? 0) + ways * times);
        }
      }
    for (const after of byLetter.values()) {
      let total = 0;
      for (const ways of after.values()) total += ways;
      if (total > MOST_PATHS) return false;
      most = Math.max(most, total);
      const key = [...after]
        .map(([place, ways]) => `${place}:${ways}`)
        .toSorted()
        .join();
      budget.left -= after.size;
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(after);
    }
    return true;
  };
  if (!visit([[first, 1]])) return null;
  for (let at = 0; at < waiting.length; at += 1)
    if (!visit(Array.from(waiting[at]!, ([place, times]) => [follow[place]!, times] as const))) return null;
  return budget.left < 0 ? null : most;
}

/**
 * For every place, the letters that it takes, where two characters are the same letter when no set of the pattern tells them
 * apart.
 */
function toLetters(sets: readonly CharSet[], budget: Budget): readonly (readonly number[])[] {
  const keys = sets.map((set) => set.join());
  const kinds = [...new Map(sets.map((set, at) => [keys[at]!, { key: keys[at]!, set, open: 0 }])).values()];
  const letters = new Map(kinds.map(({ key }): [string, number[]] => [key, []]));
  const edges = kinds
    .flatMap((kind) =>
      kind.set.flatMap(([from, to]) => [
        { kind, code: from, by: 1 },
        { kind, code: to + 1, by: -1 },
      ]),
    )
    .toSorted((a, b) => a.code - b.code);
  const known = new Set<string>();
  for (const [at, { kind, code, by }] of edges.entries()) {
    kind.open += by;
    // Only where all that begins or ends at a character has been seen.
    if (edges[at + 1]?.code === code) continue;
    budget.left -= kinds.length;
    if (budget.left < 0) break;
    const takers = kinds.filter(({ open }) => open > 0);
    const name = takers.map(({ key }) => key).join("|");
    if (takers.length === 0 || known.has(name)) continue;
    for (const { key } of takers) letters.get(key)!.push(known.size);
    known.add(name);
  }
  return keys.map((key) => letters.get(key)!);
}

function isAnchored(pattern: Pattern): boolean {
  if (pattern.kind === "start") return true;
  if (pattern.kind === "choice") return pattern.parts.every(isAnchored);
  if (pattern.kind === "repeat") return pattern.min > 0 && isAnchored(pattern.part);
  return pattern.kind === "sequence" && pattern.parts.length > 0 && isAnchored(pattern.parts[0]!);
}

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
