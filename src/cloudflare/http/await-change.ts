import type { JobRecord } from "../../core/contract/gate/job.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { refuseOtherParameters, refuseQuery } from "../../core/contract/parse-request.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { attempt, err, ok, type Result } from "../../core/kit/result.ts";
import { sleep } from "../../core/kit/sleep.ts";

/** Look at a thing in the tenant's object. */
export type LookAt<T> = () => Promise<Result<T, Refusal>>;

export interface AwaitOptions<T> {
  readonly request: Request;
  readonly context: Pick<Execution, "caller" | "ports">;
  /** The status of the thing; null where it can change no more, or is not there. */
  readonly liveStatus: (found: T) => string | null;
}

export interface StatusOptions<T> extends Omit<AwaitOptions<T>, "request"> {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

interface Wait {
  readonly tenant: string;
  readonly endsAt: number;
}

/** Those of this isolate. One that the platform cut off tells no end, so it counts until its time is over, and no longer. */
const waits = new Set<Wait>();

/**
 * Look at a thing, and where its request says `wait_s` look again until its status is another one, its time is over or its client is
 * gone. About once a second at first, then less often: a look is one call of the tenant's object, which pushes nothing. Where too many
 * requests wait already the answer comes at once, so a client that asks again is held by its allowance alone.
 */
export async function awaitChange<T>(
  lookAt: LookAt<T>,
  { request, context, liveStatus }: AwaitOptions<T>,
): Promise<Result<T, Refusal>> {
  const waitMs = readWaitMs(request);
  if (!waitMs.ok) return waitMs;
  return awaitStatus(lookAt, { waitMs: waitMs.value, signal: request.signal, context, liveStatus });
}

/** Look at a thing, and for so long again until its status is another one. */
export async function awaitStatus<T>(
  lookAt: LookAt<T>,
  { waitMs, signal, context, liveStatus }: StatusOptions<T>,
): Promise<Result<T, Refusal>> {
  const { clock } = context.ports;
  const { tenant } = context.caller;
  const endsAt = clock.now() + waitMs;
  let found = await lookAt();
  const before = found.ok ? liveStatus(found.value) : null;
  const leave = before === null ? null : enterWait({ tenant, endsAt }, clock.now());
  if (leave === null) return found;
  for (let pause = LIMITS.waitLookMs; clock.now() < endsAt; pause += LIMITS.waitLookStepMs) {
    const ms = Math.min(pause, LIMITS.waitLookMaxMs, endsAt - clock.now());
    if (!(await attempt(() => sleep(clock, ms, signal))).ok) break;
    found = await lookAt();
    if (!found.ok || liveStatus(found.value) !== before) break;
  }
  leave();
  return found;
}

/** Take a place among those that wait; gives what leaves it, or null where there is none. */
export function enterWait(wait: Wait, nowMs: number): (() => void) | null {
  if (!hasRoom(wait, nowMs)) return null;
  waits.add(wait);
  return () => void waits.delete(wait);
}

/** The status of a job that is not over. */
export function liveStatusOf(job: JobRecord | null): string | null {
  return job?.status === "running" || job?.status === "retrying" ? job.status : null;
}

function hasRoom({ tenant }: Wait, nowMs: number): boolean {
  let own = 0;
  for (const wait of waits)
    if (wait.endsAt <= nowMs) waits.delete(wait);
    else if (wait.tenant === tenant) own += 1;
  return own < LIMITS.waitsOfTenant && waits.size < LIMITS.waitsOfIsolate;
}

function readWaitMs({ url }: Request): Result<number, Refusal> {
  const query = new URL(url).searchParams;
  const other = refuseOtherParameters(query, ["wait_s"]);
  if (other !== null) return err(other);
  const text = query.get("wait_s") ?? "0";
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : Infinity;
  return seconds > LIMITS.maxWaitS
    ? err(refuseQuery("wait_s", `a whole number from 0 to ${LIMITS.maxWaitS}`, text))
    : ok(1_000 * seconds);
}
