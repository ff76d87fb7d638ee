import { setTimeout as sleep } from "node:timers/promises";
import type { Forgetting } from "../../src/core/contract/limits.ts";
import { comeBack } from "../../test/chaos/run-loop.ts";
import { readObjects, type StoredObject } from "../../test/chaos/stored-objects.ts";
import { startVictim, type Victim } from "../../test/chaos/victim.ts";
import { createCanaryFinder, findCanariesInFiles } from "./find-canaries.ts";
import type { Outage } from "./judge/judge-promises.ts";
import { quantile } from "./judge/verdict.ts";
import { CANARIES, configureSoakKeys, SECRETS } from "./keys.ts";
import { forkLoad } from "./load/fork-load.ts";
import type { Evidence, Latency } from "./load/ledger.ts";
import { readHeap } from "./read-heap.ts";
import { type Sample, takeSample } from "./sample.ts";
import type { Schedule } from "./schedule.ts";
import { watchOutput } from "./watch-output.ts";

/** Everything that was seen of a run. */
export interface SoakResult {
  readonly schedule: Schedule;
  /** When the load began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly retentionMs: number;
  readonly samples: readonly Sample[];
  readonly latencies: readonly Latency[];
  readonly evidence: Evidence;
  readonly outages: readonly Outage[];
  /** The objects on disk when nothing was under way any more, and when that was. */
  readonly objects: readonly StoredObject[];
  readonly lookedAtMs: number;
  /** Secrets that stood in lines or files, by what they stood in. */
  readonly leaks: readonly string[];
  /** Lines of the runtime about uncaught errors. */
  readonly uncaught: readonly string[];
  readonly linesMb: number;
}

export interface SoakOptions {
  /** Times the usual load. */
  readonly rate: number;
  /** The state that is gone after each kill: then promises are broken, and a run that says nothing of it is worth nothing. */
  readonly forgets?: "storage" | undefined;
}

const SAMPLE_EVERY_MS = 5_000;
/** One in so many samples collects garbage, which stops the isolate for a moment. */
const HEAP_EVERY = 6;
const SAY_EVERY_MS = 30_000;
/** Longer than a run that is cut off takes until its event is told again: its lease, its deadline, and a while. */
const RETENTION_MS = 90_000;
/** After everything has ended: alarms that were set for something that has been done since come within it, and find nothing. */
const SETTLE_MS = 8_000;
const NOTHING_DUE_MS = 60_000;
/** A caller who was cut off by a kill is told so within this. */
const OUTAGE_MARGIN_MS = 1_500;
const PRUNE_SHARE = 4;

/**
 * Run the load against the built Worker in raw workerd, kill that as the schedule says and start it again on the same storage, and
 * keep what is seen. Nothing is judged here.
 */
export async function soak(schedule: Schedule, { rate, forgets }: SoakOptions): Promise<SoakResult> {
  const latencies: Latency[] = [];
  const minutes = schedule.lengthMs / 60_000;
  await using load = await forkLoad({ seed: schedule.seed, minutes, rate }, (more) =>
    latencies.push(...more),
  );
  const output = watchOutput();
  await using victim = await startVictim({
    config: "lab/soak/wrangler.toml",
    ...(forgets !== undefined && { forgets }),
    onOutput: output.onOutput,
    inspected: true,
    vars: {
      ...SECRETS,
      PROBE_ORIGIN: load.upstreamUrl,
      LLM_BASE_URL: load.modelUrl,
      LLM_MODEL: "stub",
      VOLLEY_KEYS: await configureSoakKeys(),
      VOLLEY_CONFIRMATION_TTL_S: "20",
      SOAK_LIMITS: JSON.stringify(shorten(RETENTION_MS)),
    },
  });
  const beganAt = await load.start(victim.current.url);
  const sinceStart = (): number => Date.now() - beganAt;
  const samples: Sample[] = [];
  const outages: Outage[] = [];
  let life = 0;
  let looks = 0;
  const lookAtHeap = async ({ current: { inspectorUrl } }: Victim): Promise<number | null> => {
    looks += 1;
    return looks % HEAP_EVERY === 0 && inspectorUrl !== null ? readHeap(inspectorUrl) : null;
  };
  const abort = new AbortController();
  const sampling = sampleUntil(
    abort.signal,
    async () => {
      const sample = await takeSample(
        { pid: victim.current.pid, storageDir: victim.storageDir },
        { ms: sinceStart(), life, heapMb: await lookAtHeap(victim) },
      );
      if (sample !== null) samples.push(sample);
      return sinceStart();
    },
    () => say(samples, latencies),
  );

  for (const at of schedule.kills) {
    await sleep(Math.max(0, at - sinceStart()));
    const from = Date.now();
    life += 1;
    victim.kill();
    await comeBack(victim);
    outages.push({ from, to: Date.now() + OUTAGE_MARGIN_MS });
    console.log(`${(sinceStart() / 1_000).toFixed(0)} s: killed, and back after ${Date.now() - from} ms`);
  }
  await sleep(Math.max(0, schedule.lengthMs - sinceStart()));
  console.log(`${(sinceStart() / 1_000).toFixed(0)} s: nothing more is asked; what was promised ends`);
  abort.abort();
  await sampling;
  const evidence = await load.finish();
  const objects = await waitUntilNothingIsDue(victim);
  const lookedAtMs = Date.now();
  await victim.current.kill();
  const find = createCanaryFinder([...CANARIES, ...evidence.madeKeys]);
  const inFiles = await findCanariesInFiles(victim.storageDir, find);
  return {
    schedule,
    beganAt,
    retentionMs: RETENTION_MS,
    samples,
    latencies,
    evidence,
    outages,
    objects,
    lookedAtMs,
    leaks: [...output.leaks, ...inFiles],
    uncaught: output.uncaught,
    linesMb: output.characters() / 1024 / 1024,
  };
}

/** A row that is remembered for days is forgotten within minutes, and looked for as much more often. */
function shorten(retentionMs: number): Forgetting {
  const pruneEveryMs = Math.round(retentionMs / PRUNE_SHARE);
  return {
    jobRetentionMs: retentionMs,
    causeMs: retentionMs,
    idempotencyRetentionMs: retentionMs,
    resultRetentionMs: retentionMs,
    turnRetentionMs: retentionMs,
    questionRetentionMs: retentionMs,
    goneAddressMs: retentionMs,
    pruneEveryMs,
    pruneCausesEveryMs: pruneEveryMs,
  };
}

async function sampleUntil(
  signal: AbortSignal,
  look: () => Promise<number>,
  onLine: () => void,
): Promise<void> {
  let saidAt = 0;
  while (!signal.aborted) {
    await sleep(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => {});
    const ms = await look();
    if (ms < saidAt + SAY_EVERY_MS) continue;
    saidAt = ms;
    onLine();
  }
}

function say(samples: readonly Sample[], latencies: readonly Latency[]): void {
  const last = samples.at(-1);
  if (last === undefined) return;
  const since = Date.now() - SAY_EVERY_MS;
  const recent = latencies.filter(({ at }) => at > since);
  const reads = recent.filter(({ kind }) => kind === "reads").map(({ ms }) => ms);
  const rows = Object.values(last.rows).reduce((sum, count) => sum + count, 0);
  console.log(
    [
      `${(last.ms / 1_000).toFixed(0)} s`,
      `life ${last.life + 1}`,
      `${last.rssMb.toFixed(0)} MB`,
      `heap ${samples.findLast(({ heapMb }) => heapMb !== null)?.heapMb?.toFixed(1) ?? "?"} MB`,
      `${last.cpuS.toFixed(0)} s of processor`,
      `${rows} rows`,
      `${last.alarms} alarms`,
      `${last.sockets} sockets`,
      `${(recent.length / (SAY_EVERY_MS / 1_000)).toFixed(0)} answers/s`,
      `reads ${quantile(reads, 0.5).toFixed(0)}/${quantile(reads, 0.95).toFixed(0)}/${quantile(reads, 0.99).toFixed(0)} ms`,
    ].join(", "),
  );
}

async function waitUntilNothingIsDue({ storageDir }: Victim): Promise<readonly StoredObject[]> {
  await sleep(SETTLE_MS);
  const endsAt = performance.now() + NOTHING_DUE_MS;
  for (;;) {
    const objects = await readObjects(storageDir);
    const isQuiet = objects.every(({ alarmAt, dueAt }) => alarmAt === null && dueAt === null);
    if (isQuiet || performance.now() > endsAt) return objects;
    await sleep(1_000);
  }
}
