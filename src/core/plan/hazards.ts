import type { Needs } from "../kit/layers.ts";

/** The effect of a step on the world, as far as order goes. */
export interface Effect {
  readonly domain: string;
  readonly isWrite: boolean;
}

/**
 * Find what must be over before each step starts for the sake of order alone: within a domain, a sync write waits for
 * every sync step before it, and every sync step after it waits for the write. Reads never wait for reads, and
 * fire-and-forget steps take no part: they happen later than the batch.
 *
 * "Before" is the order asked. Where a dependency runs the other way the dependency wins: a hazard that would close a
 * cycle, with dependencies or with the hazards laid before it, is turned round, so the graph stays acyclic.
 *
 * Every two steps that conflict are ordered directly, by a dependency or by a hazard, and never only by way of a third:
 * a step that is skipped is over at once, and who comes after it must still wait for who came before it.
 *
 * @param effects what each step does; null for a step that takes no part
 * @param needs an acyclic graph
 */
export function findHazards(effects: readonly (Effect | null)[], needs: Needs): number[][] {
  const hazards: number[][] = effects.map(() => []);
  if (!effects.some((effect) => effect?.isWrite === true)) return hazards;

  const steps = effects.flatMap((effect, index) =>
    effect === null ? [] : [{ index, domain: effect.domain, isWrite: effect.isWrite }],
  );
  const closesCycle = createCycleCheck(needs);
  for (const [position, later] of steps.entries()) {
    for (const earlier of steps.slice(0, position)) {
      if (earlier.domain !== later.domain || !(earlier.isWrite || later.isWrite)) continue;
      const [first, second] = closesCycle(earlier.index, later.index) ? [later, earlier] : [earlier, later];
      if (!needs[second.index]!.includes(first.index)) hazards[second.index]!.push(first.index);
    }
  }
  return hazards;
}

/** Hazards point forwards in the batch. While dependencies do too nothing can close a cycle, and nothing is kept. */
function createCycleCheck(needs: Needs): (earlier: number, later: number) => boolean {
  if (needs.every((needed, index) => needed.every((at) => at < index))) return () => false;
  const order = new Reachability(needs.length);
  for (const [index, needed] of needs.entries()) for (const at of needed) order.add(at, index);
  return (earlier, later) => {
    if (order.reaches(later, earlier)) return true;
    order.add(earlier, later);
    return false;
  };
}

/**
 * Which node reaches which in a growing directed graph, kept as its transitive closure.
 *
 * One bit for every pair: a question is one look, an edge costs one pass over the nodes. Meant for graphs of at most
 * a few hundred nodes.
 */
export class Reachability {
  readonly #size: number;
  readonly #words: number;
  readonly #rows: Uint32Array;

  constructor(size: number) {
    this.#size = size;
    this.#words = Math.ceil(size / 32);
    this.#rows = new Uint32Array(size * this.#words);
  }

  /** Whether a path leads from one node to another. No node reaches itself unless a cycle was added. */
  reaches(from: number, to: number): boolean {
    return (this.#rows[from * this.#words + (to >>> 5)]! & (1 << (to & 31))) !== 0;
  }

  /** Add an edge: every node that reaches its start now reaches its end and all that the end reaches. */
  add(from: number, to: number): void {
    if (this.reaches(from, to)) return;
    for (let node = 0; node < this.#size; node += 1) {
      if (node !== from && !this.reaches(node, from)) continue;
      const row = node * this.#words;
      for (let word = 0; word < this.#words; word += 1)
        this.#rows[row + word]! |= this.#rows[to * this.#words + word]!;
      this.#rows[row + (to >>> 5)]! |= 1 << (to & 31);
    }
  }
}
