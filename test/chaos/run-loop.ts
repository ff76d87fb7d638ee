import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosUpstream } from "./chaos-upstream.ts";
import { collectEvidence, until } from "./collect-evidence.ts";
import type { JobEvidence } from "./find-violations.ts";
import { idOf, makeJobBatch } from "./job-batch.ts";
import type { LoopPlan } from "./plan-loop.ts";
import type { Victim } from "./victim.ts";
import { type ChaosAction, sendBatch } from "./volley-client.ts";

export interface LoopResult {
  /** The fault, as the table calls it; null in a loop that kills the runtime. */
  readonly fault: string | null;
  readonly jobs: readonly JobEvidence[];
  readonly kills: number;
  /** Attempts of promised jobs that came from a runtime started later: only an alarm can have made them. */
  readonly attemptsTakenOver: number;
  /** Promised jobs that only an alarm could run, and that it ran before anybody sent the runtime a request. */
  readonly jobsWoken: number;
  /** Such jobs that the alarm was waited for in vain. */
  readonly notWoken: readonly number[];
}

/** Requests of the killed process are read by then, and not mistaken for the next one's. */
const DRAIN_MS = 20;

/** Run one loop: send, kill, restart, wait until every promised job is final. */
export async function runLoop(
  victim: Victim,
  upstream: ChaosUpstream,
  plan: LoopPlan,
  firstN: number,
): Promise<LoopResult> {
  const batch = makeJobBatch(firstN, () => 200 + Math.floor(Math.random() * 400));
  const { numbers, once } = batch;
  const promised = await promiseAndKill(victim, plan, batch.actions);
  const goneAt = [await comeBack(victim)];

  const due = numbers.filter((n) => promised.has(idOf(n)));
  // An at-most-once job is not waited for to be run again.
  const repeatable = due.filter((n) => !once.has(n));
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

  const jobs = await collectEvidence(batch, { url: victim.current.url, upstream, promised });
  return {
    fault: null,
    jobs,
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

/**
 * Start the killed runtime again; when it was certainly gone, on the clock of `performance.now()`.
 *
 * @param meanwhile what happens while it is gone
 */
export async function comeBack(
  victim: Victim,
  meanwhile: () => Promise<void> = async () => {},
): Promise<number> {
  await victim.bury();
  await sleep(DRAIN_MS);
  const goneAt = performance.now();
  await meanwhile();
  await victim.start();
  return goneAt;
}
