import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import type { ChaosUpstream, WritePath } from "./chaos-upstream.ts";
import { until } from "./collect-evidence.ts";
import { collectRuns, repeat, type Told } from "./collect-runs.ts";
import { type Fault, heal, knock } from "./fault.ts";
import type { RunEvidence } from "./find-run-violations.ts";
import { deliver } from "./hook-flow.ts";
import type { HookLoopPlan } from "./plan-hook-loop.ts";
import { comeBack } from "./run-loop.ts";
import type { Victim } from "./victim.ts";

export interface HookLoopResult {
  /** The fault, as the table calls it; null in a loop that kills the runtime after a 202. */
  readonly fault: string | null;
  readonly runs: readonly RunEvidence[];
  readonly kills: number;
  /** Runs that only an alarm could take over, and that it did before anybody sent the runtime a request. */
  readonly runsWoken: number;
  /** Such runs that the alarm was waited for in vain. */
  readonly notWoken: readonly number[];
}

/** Two more events come within this of the first: each is somewhere else when it strikes. */
const SPREAD_MS = 30;

/** Run one loop: deliver three events, break what the plan says, deliver them again, wait until every run is over. */
export async function runHookLoop(
  victim: Victim,
  upstream: ChaosUpstream,
  plan: HookLoopPlan | Fault,
  firstN: number,
): Promise<HookLoopResult> {
  const makeD = (): number => 100 + Math.floor(Math.random() * 150);
  const told: Told[] = [0, 1, 2].map((k) => ({ event: { n: firstN + k, d: makeD() }, jobIds: [] }));
  const broken =
    "kill" in plan ? await killIn(plan, told, { victim, upstream }) : await strikeIn(plan, told, victim);
  const { url } = victim.current;
  await repeat(told, url);
  const runs = await collectRuns(told, { url, upstream });
  if (!("kill" in plan)) await heal(url);
  const { asleep = [], ...rest } = broken;
  // One that had begun its first write, which then never left, is not run again.
  const isUnknown = (n: number): boolean => runs.find((run) => run.n === n)?.record?.status === "unknown";
  const notWoken = asleep.filter(({ isAwake, n }) => !isAwake && !isUnknown(n)).map(({ n }) => n);
  const fault = "label" in plan ? plan.label : null;
  return { fault, runs, ...rest, runsWoken: asleep.length - notWoken.length, notWoken };
}

interface Broken {
  readonly kills: number;
  /** Runs that were left to the alarm alone. */
  readonly asleep?: readonly { readonly n: number; readonly isAwake: boolean }[];
}

/** Deliver, and kill the runtime as planned; it runs again then. */
async function killIn(
  plan: HookLoopPlan,
  told: readonly Told[],
  { victim, upstream }: { victim: Victim; upstream: ChaosUpstream },
): Promise<Broken> {
  const killed = Promise.withResolvers<void>();
  const kill = (): void => {
    victim.kill();
    killed.resolve();
  };
  const { n } = told[0]!.event;
  // The write is under way until the runtime is gone, however late it is killed.
  const killAt = (path: WritePath): void => {
    const release = upstream.hold((one, of) => one === path && of === n);
    const arrived = (): true | undefined => upstream.attemptsOf(n, path).length > 0 || undefined;
    eventually(`the write ${path} of n=${n}`, arrived).then(kill, killed.reject).finally(release);
  };
  if (plan.kill === "during-request") setTimeout(kill, 2 + Math.random() * 20);
  await deliverAll(told, victim.current.url, () => {
    if (plan.kill === "with-answer") kill();
    if (plan.kill === "after-answer") setTimeout(kill, Math.random() * 30);
    if (plan.kill === "in-once") killAt("/write");
    if (plan.kill === "in-keyed") killAt("/keyed");
  });
  if (plan.kill !== "during-request" && told[0]!.jobIds.length === 0)
    throw new Error(`Cannot run a loop: nothing was taken. ${victim.current.output()}`);
  await killed.promise;
  const goneAt = [await comeBack(victim)];
  const since = (path: WritePath, at: number) => (one: Told) =>
    upstream.attemptsOf(one.event.n, path).filter((attempt) => attempt.at > at);
  const taken = told.filter(({ jobIds }) => jobIds.length > 0);

  if (plan.killAgain) {
    const path = plan.kill === "in-keyed" ? "/keyed" : "/write";
    await until(() => taken.some((one) => since(path, goneAt[0]!)(one).length > 0));
    victim.kill();
    goneAt.push(await comeBack(victim));
  }
  if (!plan.alarmOnly) return { kills: goneAt.length };

  // Whose first write was cut off stays as it is; of the others nothing has been sent.
  const left = taken.filter(({ event }) => upstream.attemptsOf(event.n, "/write").length === 0);
  const isAwake = (one: Told): boolean => since("/keyed", goneAt.at(-1)!)(one).length > 0;
  await until(() => left.every(isAwake));
  return {
    kills: goneAt.length,
    asleep: left.map((one) => ({ n: one.event.n, isAwake: isAwake(one) })),
  };
}

/** Deliver, and break what the fault breaks. */
async function strikeIn({ strikes }: Fault, told: readonly Told[], victim: Victim): Promise<Broken> {
  const { url } = victim.current;
  const strike = async (isIts: (when: "before" | "initiated" | number) => boolean): Promise<void> => {
    for (const { door } of strikes.filter(({ when }) => isIts(when))) await knock(url, door);
  };
  await strike((when) => when === "before");
  let struck = Promise.resolve();
  await deliverAll(told, url, () => {
    struck = strike((when) => when === "initiated");
  });
  await struck;
  for (const { when, door } of strikes)
    if (typeof when === "number") {
      await sleep(when);
      await knock(url, door);
    }
  return { kills: 0 };
}

/** Deliver every event once, the first of them at once. */
async function deliverAll(told: readonly Told[], url: string, onFirstTaken: () => void): Promise<void> {
  await Promise.all(
    told.map(async ({ event, jobIds }, i) => {
      if (i > 0) await sleep(Math.random() * SPREAD_MS);
      const jobId = await deliver(url, event, i === 0 ? onFirstTaken : undefined);
      if (jobId !== null) jobIds.push(jobId);
    }),
  );
}
