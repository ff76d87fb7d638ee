import { setTimeout as sleep } from "node:timers/promises";

import { comeBack } from "../run-loop.ts";
import { PAIRS } from "./pair-table.ts";
import { type Pair, PairWorld, type Round, STRANGERS } from "./pair-world.ts";

export interface KilledPairs {
  readonly seed: number;
  readonly kills: number;
  readonly pairs: readonly PairResult[];
  readonly violations: readonly string[];
}

export interface PairResult {
  readonly name: string;
  readonly kills: number;
  /** The kills that cut off an answer. */
  readonly cut: number;
  readonly violations: readonly string[];
}

/** The lists of a tenant's things. */
const LISTS = [
  "runs",
  "jobs",
  "confirmations",
  "connections",
  "events",
  "deliveries",
  "remembered",
  "endpoints",
];
/** The paths that show one of them. */
const ONES = ["runs/ID", "jobs/ID", "jobs/ID/results", "confirmations/ID", "connections/ID", "events/ID"];

/**
 * Take each pair of features that write, let both write at once, and kill the runtime at a random moment of that, again and again. In the end
 * nothing that was acknowledged is lost, no write was sent twice without a yes, and neither another subject nor another tenant sees any of it.
 *
 * @param seed makes the moments; how far the work is by then is the machine's own
 */
export async function killPairs(kills: number, seed: number): Promise<KilledPairs> {
  const pairs = await Promise.all(PAIRS.map((pair) => killPair(pair, kills, seed)));
  return {
    seed,
    kills: kills * PAIRS.length,
    pairs,
    violations: pairs.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
  };
}

async function killPair(pair: Pair, kills: number, seed: number): Promise<PairResult> {
  await using world = await PairWorld.start(seed);
  await pair.arrange?.(world);
  const rounds: Round[] = [];
  let cut = 0;
  let tookMs = Number.POSITIVE_INFINITY;
  // Nothing kills the first one: it shows how long the work takes, and that it succeeds.
  for (let kill = 0; kill <= kills; kill += 1) {
    const round = await pair.begin(world, 1_000_000 + 100 * kill);
    rounds.push(round);
    const beganAt = performance.now();
    let overMs: number | undefined;
    const working = round.work().then(() => (overMs = performance.now() - beganAt));
    if (kill === 0) await working;
    else await sleep(world.random() * tookMs);
    if (overMs === undefined) cut += 1;
    else tookMs = Math.min(tookMs, overMs);
    if (kill > 0) {
      world.victim.kill();
      await working;
      await comeBack(world.victim);
    }
    await round.settle();
  }
  const violations: string[] = [];
  for (const [at, round] of rounds.entries())
    for (const text of await round.judge()) violations.push(`round ${at} of seed ${seed}: ${text}`);
  violations.push(...(await findSeen(world, new Set(rounds.flatMap(({ ids }) => ids)))));
  return { name: pair.name, kills, cut, violations };
}

/** Find what strangers see of some ids, in lists and one by one. */
async function findSeen(world: PairWorld, ids: ReadonlySet<string>): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const key of STRANGERS) {
    for (const list of [...LISTS, "export"]) {
      const text = JSON.stringify(await world.ask("GET", `/v1/${list}?limit=100`, undefined, key));
      for (const id of ids) if (text.includes(id)) violations.push(`${key} sees ${id} in ${list}`);
    }
    for (const id of ids)
      for (const one of ONES) {
        const answer = await world.ask("GET", `/v1/${one.replace("ID", id)}`, undefined, key);
        if (answer === null || answer.status < 400) violations.push(`${key} sees ${one} of ${id}`);
      }
  }
  return violations;
}
