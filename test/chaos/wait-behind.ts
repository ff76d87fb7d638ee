import * as LIMITS from "../../src/features/background/limits.ts";
import { elementsOf, sendLong } from "./background-batch.ts";
import { startChaosUpstream, type UpstreamAttempt } from "./chaos-upstream.ts";
import { isFinal, readJobs, until } from "./collect-evidence.ts";
import { HOOK_KEY } from "./hook-flow.ts";
import { comeBack } from "./run-loop.ts";
import { startVictim } from "./victim.ts";
import type { JobView } from "./volley-client.ts";

export interface WaitBehindOptions {
  /** Long batches, and the elements of each. */
  readonly long: number;
  readonly elements: number;
}

/** Short batches behind long ones, in a runtime that is killed before them, while the last one waits and when they are over. */
export interface WaitBehind extends WaitBehindOptions {
  readonly kills: number;
  /** Long batches that were under way when the short ones were over. */
  readonly waiting: number;
  /** Elements that are called unknown: a kill came while they were sent. */
  readonly unknown: number;
  /** Calls of the long ones' tenant that were under way at once. */
  readonly peak: number;
  readonly violations: readonly string[];
}

const LEASE_MS = 500;
/** An attempt that a kill has ended gives its job free within this time. */
const AGE_MS = 30_000;
/** The write that was under way of each slice when its runtime was killed, and the one before it. */
const UNKNOWN_A_KILL = 2 * LIMITS.batchesAtOnce;

/**
 * Record long batches, behind them a short one of the same tenant and one of another, and one more that is recorded right before a kill, after
 * which it would be first anyway. The provider keeps its answer to the last write of each long one until the short ones are over: none of
 * them can end before.
 */
export async function waitBehind({ long, elements }: WaitBehindOptions): Promise<WaitBehind> {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  await using victim = await startVictim({ vars });
  const goneAt: number[] = [];
  const rise = async (): Promise<void> => {
    goneAt.push(await comeBack(victim, () => victim.age(AGE_MS)));
  };
  const all = Array.from({ length: long }, (_, batch) =>
    Array.from({ length: elements }, (__, n) => batch * elements + n),
  );
  const [short, other, last] = [0, 1, 2].map((more) => long * elements + more) as [number, number, number];
  const attemptsOf = (n: number): readonly UpstreamAttempt[] => upstream.attemptsOf(n, "/write");
  const arrivals = (): number => all.flat().filter((n) => attemptsOf(n).length > 0).length;
  const release = upstream.hold((_, n) => n < short && n % elements === elements - 1);

  const jobIds: string[] = [];
  for (const numbers of all) jobIds.push(await sendLong(victim.current.url, { numbers, d: 1 }));
  await until(() => arrivals() > LIMITS.batchesAtOnce);
  victim.kill();
  await rise();
  const begun = arrivals();
  await until(() => arrivals() > begun);
  const ended = async (ids: readonly string[], key?: string): Promise<readonly (JobView | null)[]> => {
    const asked = { url: victim.current.url, jobIds: ids, ...(key !== undefined && { key }) };
    const records = await readJobs({ ...asked, isWanted: isFinal });
    return ids.map((id) => records.get(id) ?? null);
  };
  const otherId = await sendLong(victim.current.url, { numbers: [other], d: 1 }, { key: HOOK_KEY });
  const shortId = await sendLong(victim.current.url, { numbers: [short], d: 1 });
  const shortEnds = [...(await ended([shortId])), ...(await ended([otherId], HOOK_KEY))];
  const onRecorded = (): void => victim.kill();
  const lastId = await sendLong(victim.current.url, { numbers: [last], d: 1 }, { onRecorded });
  await rise();
  shortEnds.push(...(await ended([lastId])));
  const asked = { url: victim.current.url, jobIds, isWanted: () => true };
  const meanwhile = [...(await readJobs(asked)).values()];
  victim.kill();
  await rise();
  release();
  const ends = await ended(jobIds);

  const violations: string[] = [];
  const note = (wrong: boolean, text: string): void =>
    void (wrong && violations.push(`behind long batches: ${text}`));
  const waiting = meanwhile.filter((job) => job !== null && !isFinal(job)).length;
  note(waiting < long, `${long - waiting} of ${long} long ones were over before the short ones`);
  for (const [index, end] of [...shortEnds, ...ends].entries())
    note(end?.status !== "succeeded" && end?.status !== "unknown", `batch ${index} ended as ${end?.status}`);
  let unknown = 0;
  const url = victim.current.url;
  const lists = [
    [shortId, [short]],
    [otherId, [other], HOOK_KEY],
    [lastId, [last]],
    ...jobIds.map((id, batch) => [id, all[batch]!] as const),
  ] as const;
  for (const [id, numbers, key] of lists) {
    const found = await elementsOf(url, id, key);
    note(
      found.length !== numbers.length,
      `${numbers.length - found.length} elements of ${id} have no result`,
    );
    for (const { index, status } of found) {
      const n = numbers[index]!;
      const sent = attemptsOf(n).length;
      if (status === "unknown") unknown += 1;
      else note(status !== "success" || sent !== 1, `write ${n} is ${status}, and was sent ${sent} times`);
      note(sent > 1, `write ${n} was sent ${sent} times`);
    }
  }
  note(unknown > UNKNOWN_A_KILL * goneAt.length, `${unknown} writes are unknown`);
  const peak = peakOf([...all.flat(), short, last].flatMap(attemptsOf), goneAt);
  note(peak > LIMITS.batchesAtOnce, `${peak} slices of a tenant were under way at once`);
  return { long, elements, kills: goneAt.length, waiting, unknown, peak, violations };
}

/** The most calls that were under way at once; a kill ends those of its runtime. */
function peakOf(attempts: readonly UpstreamAttempt[], goneAt: readonly number[]): number {
  const changes = attempts.flatMap(({ at, actedAt }) => {
    const killedAt = goneAt.find((gone) => gone > at) ?? Number.POSITIVE_INFINITY;
    return [[at, 1] as const, [Math.min(actedAt ?? Number.POSITIVE_INFINITY, killedAt), -1] as const];
  });
  let [now, most] = [0, 0];
  for (const [, change] of changes.toSorted(([a, one], [b, other]) => a - b || one - other)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}
