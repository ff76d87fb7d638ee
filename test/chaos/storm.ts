import { setTimeout as sleep } from "node:timers/promises";
import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { eventually } from "../support/eventually.ts";
import { type ChaosUpstream, startChaosUpstream } from "./chaos-upstream.ts";
import { knock } from "./fault.ts";
import { findExcess, type Passage } from "./find-excess.ts";
import { startVictim, type Victim } from "./victim.ts";
import { exchange } from "./volley-client.ts";

/** The results of more callers than two limits allow, while the objects that count them broke. */
export interface StormResult {
  readonly faults: ReadonlyMap<string, number>;
  readonly kills: number;
  /** Writes that reached the upstream, by keys whose quota is far below what was asked. */
  readonly admitted: number;
  /** Writes turned away by the quota: proof that it was reached. */
  readonly denied: number;
  /** Writes above limit + refill in the worst window of a key. */
  readonly overQuota: number;
  /** Calls of a tool that all callers together may call twice at once. */
  readonly cappedCalls: number;
  /** Calls above those two. */
  readonly overCap: number;
}

/** The work of a round: however long it takes, so many faults struck and so many writes were turned away. */
const FAULTS_PER_ROUND = 14;
const DENIALS_PER_ROUND = 50;
/** Ends what gets nowhere, far beyond what a busy machine needs. */
const PATIENCE_MS = 100_000;
/** Refilled slowly, so that a slow machine uses it up too. */
const QUOTA = { limit: 400, windowS: 100 };
const CAP = 2;
/** The runtime is killed in this one. */
const KILLED_ROUND = 1;
const CAPPED_KEY = "chaos-capped-key";
/** Callers at each of the two isolates. */
const CALLERS = 4;
const BREAK_EVERY_MS = 150;
/** One of them after the other; each strikes the object that counts, or its isolate. */
const BREAKS = ["crash-after-write", "crash", "clock", "crash-before-write"] as const;

/**
 * Send more than a quota and a global cap allow to two isolates on the same objects. Every round has a key of its own,
 * with its burst, while objects crash, in admissions as well, and the clocks of both isolates are set back; in the second
 * one the runtime is killed. A tool's gate that comes back gives no place for up to 15 s, so that is once.
 *
 * The upstream is the witness: a write that reached it was admitted between its sending and its arrival. It has to be
 * writes, because a read may run uncounted while the limiter does not answer.
 */
export async function runStorm(rounds: number): Promise<StormResult> {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_KEYS: await makeKeys(rounds) };
  await using victim = await startVictim({ vars, twin: true });
  const faults = new Map<string, number>();
  const sums = { kills: 0, admitted: 0, denied: 0, overQuota: 0 };
  const clock = { ms: 0 };
  await during(
    (signal) => [0, 1].map((isolate) => callCapped(victim, isolate, signal)),
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const asked = await runRound(victim, { round, faults, clock });
        const passages = toPassages(asked, upstream);
        sums.kills += round === KILLED_ROUND ? 1 : 0;
        sums.admitted += passages.length;
        sums.denied += countDenied(asked);
        sums.overQuota += findExcess(passages, QUOTA);
      }
      const seen = (): true | undefined => upstream.capped.calls > 0 || undefined;
      await eventually("a call that the global cap lets through", seen, { withinMs: PATIENCE_MS });
    },
  );
  return {
    faults,
    ...sums,
    cappedCalls: upstream.capped.calls,
    overCap: Math.max(0, upstream.capped.peak - CAP),
  };
}

interface Round {
  readonly round: number;
  /** How often each fault has struck. */
  readonly faults: Map<string, number>;
  /** How far the clocks of both isolates are off. */
  readonly clock: { ms: number };
}

/** Write under one key while everything breaks, until the round's work is done; every write that was asked for. */
async function runRound(victim: Victim, { round, faults, clock }: Round): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const key = keyOf(round);
  const writers = (signal: AbortSignal): Promise<void>[] =>
    Array.from({ length: 2 * CALLERS }, (_, k) => write(victim, { isolate: k % 2, key, signal, asked }));
  await during(writers, async () => {
    if (round === KILLED_ROUND) {
      await sleep(200 + Math.random() * 400);
      victim.kill();
      await victim.bury();
      await victim.start({ CHAOS_CLOCK_MS: String(clock.ms) });
    }
    // Without an object there is nothing to break.
    const before = asked.length;
    const written = (): true | undefined =>
      asked.slice(before).some(({ status }) => status === 200) || undefined;
    await eventually("a write in the storm", written, { withinMs: PATIENCE_MS });
    const endsAt = performance.now() + PATIENCE_MS;
    for (let turn = 0; turn < FAULTS_PER_ROUND || countDenied(asked) < DENIALS_PER_ROUND; turn += 1) {
      if (performance.now() > endsAt)
        throw new Error(
          `Cannot end round ${round} of the storm within ${PATIENCE_MS} ms: of ${asked.length} writes ` +
            `${countDenied(asked)} were turned away, ${DENIALS_PER_ROUND} must be; ` +
            `${turn} faults struck, ${FAULTS_PER_ROUND} must`,
        );
      await sleep(BREAK_EVERY_MS * (0.5 + Math.random()));
      const fault = BREAKS[turn % BREAKS.length]!;
      if (fault === "clock") clock.ms -= Math.floor(Math.random() * 300);
      const urls = fault === "clock" ? urlsOf(victim) : [victim.current.url];
      for (const url of urls) await knock(url, `${fault}?ms=${clock.ms}`);
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
    }
  });
  return asked;
}

/** Have some callers call while something is done, and no longer, however it ends. */
async function during(
  call: (signal: AbortSignal) => readonly Promise<void>[],
  work: () => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const calling = Promise.all(call(over.signal));
  try {
    await work();
  } finally {
    over.abort();
    await calling;
  }
}

function countDenied(asked: readonly Asked[]): number {
  return asked.filter(({ status }) => status === 429).length;
}

interface Asked {
  readonly n: number;
  readonly at: number;
  /** The answer's status; null when there was none. */
  status: number | null;
}

let lastN = 0;

/** Send one write after the other. */
async function write(
  victim: Victim,
  { isolate, key, signal, asked }: { isolate: number; key: string; signal: AbortSignal; asked: Asked[] },
): Promise<void> {
  while (!signal.aborted) {
    lastN += 1;
    const one: Asked = { n: lastN, at: performance.now(), status: null };
    asked.push(one);
    one.status = await send(urlsOf(victim)[isolate]!, key, [{ tool: "probe-write", args: { n: one.n } }]);
    // Without a server, or with nothing left: not in a hot loop.
    if (one.status !== 200) await sleep(10);
  }
}

/**
 * Send batches of four calls of the capped tool, of which two at once are all there may be. One of the four is long enough
 * to be under way still when a killed runtime is back, so a place that is given too early is seen.
 */
async function callCapped(victim: Victim, isolate: number, signal: AbortSignal): Promise<void> {
  const call = (n: number): object => ({ tool: "probe-global", args: { n, d: n === 0 ? 1_500 : 40 } });
  while (!signal.aborted) {
    const actions = [call(0), call(1), call(2), call(3)];
    const status = await send(urlsOf(victim)[isolate]!, CAPPED_KEY, actions);
    if (status !== 200) await sleep(10);
  }
}

/** Send a batch; its status, or null when it broke off. */
async function send(url: string, key: string, actions: readonly object[]): Promise<number | null> {
  const answer = await exchange(`${url}/v1/execute_actions`, {
    method: "POST",
    key,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ actions, deadline_ms: 3_000 }),
  });
  return answer?.status ?? null;
}

function toPassages(asked: readonly Asked[], upstream: ChaosUpstream): Passage[] {
  return asked.flatMap(({ n, at }) => {
    const arrivedAt = upstream.writtenAt(n);
    return arrivedAt === undefined ? [] : [{ notBefore: at, notAfter: arrivedAt }];
  });
}

function urlsOf({ current }: Victim): readonly [string, string] {
  return [current.url, current.twinUrl!];
}

function keyOf(round: number): string {
  return `chaos-storm-key-${round}`;
}

async function makeKeys(rounds: number): Promise<string> {
  const entry = async (key: string, quota: { limit: number; windowS: number }): Promise<object> => ({
    name: key,
    tenant: key,
    hash: Buffer.from(await digestKey(key)).toString("hex"),
    tools: ["*"],
    quota: { limit: quota.limit, window_s: quota.windowS },
  });
  const storms = Array.from({ length: rounds }, (_, round) => entry(keyOf(round), QUOTA));
  return JSON.stringify(await Promise.all([...storms, entry(CAPPED_KEY, { limit: 1_000_000, windowS: 1 })]));
}
