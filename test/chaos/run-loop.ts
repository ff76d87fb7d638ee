import { setTimeout as sleep } from "node:timers/promises";
import type { Workerd } from "../support/workerd.ts";
import type { ChaosUpstream } from "./chaos-upstream.ts";
import type { JobEvidence } from "./find-violations.ts";
import type { LoopPlan } from "./plan-loop.ts";
import { type ChaosAction, type JobView, readJob, sendBatch } from "./volley-client.ts";

/** A runtime that is killed and comes back with the same storage and port. */
export interface Victim {
  /** The one that runs now. */
  readonly current: Workerd;
  /** `kill -9`, without waiting: the signal is sent when this returns. */
  kill(): void;
  /** Wait until the killed process is gone. */
  bury(): Promise<void>;
  start(): Promise<void>;
}

export interface LoopResult {
  readonly jobs: readonly JobEvidence[];
  readonly kills: number;
  /** Attempts of promised jobs that came from a runtime started later: only an alarm can have made them. */
  readonly attemptsTakenOver: number;
  /** Promised jobs that only an alarm could run, and that it ran before anybody sent the runtime a request. */
  readonly jobsWoken: number;
  /** Such jobs that the alarm was waited for in vain. */
  readonly notWoken: readonly number[];
}

/** A job takes a lease, a backoff and its delay per kill; five times that is lost, not slow. */
const WAIT_MS = 20_000;
/** What the killed process had sent is read by then, and is not mistaken for the next one's. */
const DRAIN_MS = 20;
const ONCE = "probe-background-once";
const FINAL = new Set(["succeeded", "failed", "dead", "cancelled", "unknown"]);

/** Run one loop: send, kill, restart, wait until every promised job is final. */
export async function runLoop(
  victim: Victim,
  upstream: ChaosUpstream,
  plan: LoopPlan,
  firstN: number,
): Promise<LoopResult> {
  const { numbers, actions } = makeBatch(firstN);
  const onceTool = new Set(actions.filter(({ tool }) => tool === ONCE).map(({ args }) => args["n"]!));
  const promised = await promiseAndKill(victim, plan, actions);
  const goneAt = [await comeBack(victim)];

  const due = numbers.filter((n) => promised.has(idOf(n)));
  // Nobody waits for an at-most-once job to be run again.
  const repeatable = due.filter((n) => !onceTool.has(n));
  const attemptsSince = (n: number, since: number) => upstream.attemptsOf(n).filter(({ at }) => at > since);
  const hadActedBy = (n: number, by: number): boolean =>
    upstream.attemptsOf(n).some(({ actedAt }) => actedAt !== null && actedAt <= by);

  const interrupted = repeatable.filter((n) => !hadActedBy(n, goneAt[0]!));
  if (plan.killAgain && interrupted.length > 0) {
    await until(() => interrupted.some((n) => attemptsSince(n, goneAt[0]!).length > 0));
    victim.kill();
    goneAt.push(await comeBack(victim));
  }

  // An effect without its caller does not help these: their attempt was cut off, so the next runtime must repeat it.
  const lastGoneAt = goneAt.at(-1)!;
  const asleep = plan.alarmOnly ? repeatable.filter((n) => !hadActedBy(n, lastGoneAt)) : [];
  const isAwake = (n: number): boolean =>
    attemptsSince(n, lastGoneAt).some(({ actedAt }) => actedAt !== null);
  await until(() => asleep.every(isAwake));
  const notWoken = asleep.filter((n) => !isAwake(n));

  const records = await followJobs(victim.current.url, [...promised.values()]);
  return {
    jobs: numbers.map((n) => {
      const jobId = promised.get(idOf(n)) ?? null;
      const record = jobId === null ? null : (records.get(jobId) ?? null);
      return { n, once: onceTool.has(n), jobId, record, attempts: [...upstream.attemptsOf(n)] };
    }),
    kills: goneAt.length,
    attemptsTakenOver: due.reduce((sum, n) => sum + attemptsSince(n, goneAt[0]!).length, 0),
    jobsWoken: asleep.length - notWoken.length,
    notWoken,
  };
}

/** Send a batch and kill the runtime as planned; the jobs that were promised before it died. */
async function promiseAndKill(
  victim: Victim,
  plan: LoopPlan,
  actions: readonly ChaosAction[],
): Promise<ReadonlyMap<string, string>> {
  const killed = Promise.withResolvers<void>();
  const kill = (): void => {
    victim.kill();
    killed.resolve();
  };
  if (plan.kill === "during-request") setTimeout(kill, 5 + Math.random() * 35);
  const promised = await sendBatch(victim.current.url, {
    actions,
    streamed: plan.streamed,
    onInitiated() {
      if (plan.kill === "with-answer") kill();
      if (plan.kill === "after-answer") setTimeout(kill, Math.random() * 30);
    },
  });
  if (plan.kill !== "during-request" && promised.size === 0)
    throw new Error(`Cannot run a loop: nothing was initiated. ${victim.current.output()}`);
  await killed.promise;
  return promised;
}

/** Start the killed runtime again; when it was certainly gone, on the clock of `performance.now()`. */
async function comeBack(victim: Victim): Promise<number> {
  await victim.bury();
  await sleep(DRAIN_MS);
  const goneAt = performance.now();
  await victim.start();
  return goneAt;
}

/**
 * Eight jobs: two quick ones, two in flight when the runtime dies, one refused at first, one that waits for the echo;
 * and a quick one and one in flight of a tool that promises at most once.
 */
function makeBatch(firstN: number): { numbers: readonly number[]; actions: readonly ChaosAction[] } {
  const inFlight = (): number => 200 + Math.floor(Math.random() * 400);
  const jobs = [
    {},
    {},
    { d: inFlight() },
    { d: inFlight() },
    { status: 500 },
    { d: 20 },
    {},
    { d: inFlight() },
  ];
  const background = jobs.map((args, i) => ({
    id: idOf(firstN + i),
    tool: i < 6 ? "probe-background" : ONCE,
    args: { n: firstN + i, ...args },
    ...(i === 5 && { depends_on: ["echo"] }),
  }));
  return {
    numbers: jobs.map((_, i) => firstN + i),
    actions: [{ id: "echo", tool: "probe-echo", args: { n: firstN } }, ...background],
  };
}

function idOf(n: number): string {
  return `n${n}`;
}

/** Poll until every job is final or gone, or the time is up. */
async function followJobs(
  url: string,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, JobView | null>> {
  const records = new Map<string, JobView | null>();
  const isOver = (id: string): boolean => {
    const record = records.get(id);
    return record === null || (record !== undefined && FINAL.has(record.status));
  };
  const endsAt = performance.now() + WAIT_MS;
  while (!jobIds.every(isOver) && performance.now() < endsAt) {
    for (const id of jobIds.filter((id) => !isOver(id))) {
      const record = await readJob(url, id);
      if (record !== undefined) records.set(id, record);
    }
    await sleep(50);
  }
  return records;
}

/** Wait until it holds, or the time is up: whoever asked looks again. */
async function until(holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + WAIT_MS;
  while (!holds() && performance.now() < endsAt) await sleep(10);
}
