import * as LIMITS from "../../contract/limits.ts";

/** Calls that ended within one half of the window. */
interface Tally {
  readonly calls: number;
  readonly failures: number;
}

/**
 * The known state of one upstream. The epoch grows with every change of state: a call that was let through in an earlier one has
 * nothing to say any more when it ends.
 */
export type Breaker =
  | {
      readonly state: "closed";
      readonly epoch: number;
      readonly since: number;
      readonly recent: Tally;
      readonly before: Tally;
    }
  | { readonly state: "open"; readonly epoch: number; readonly since: number; readonly pauseMs: number }
  | {
      readonly state: "half-open";
      readonly epoch: number;
      readonly since: number;
      readonly pauseMs: number;
      /** Its probe is believed lost after this; 0 when none is under way. */
      readonly probeMs: number;
    };

/** Whether a call may be sent; if not, how long until the upstream is tried again. */
export type Entry =
  | { readonly allowed: true; readonly epoch: number }
  | { readonly allowed: false; readonly retryAfterMs: number };

/** How a call ended, as far as the upstream's health goes; `unknown` when it was not the upstream that ended it. */
export type Verdict = "ok" | "failed" | "unknown";

const NONE: Tally = { calls: 0, failures: 0 };
const HALF_MS = LIMITS.breakerWindowMs / 2;

/** Create a breaker that lets every call through. */
export function createBreaker(nowMs: number): Breaker {
  return closed(0, nowMs);
}

/**
 * Ask to send a call. Closed lets everything through, open nothing until its pause is over, half-open exactly one probe.
 *
 * Everything follows from timestamps: a probe that never reports gives its place up after `callMs`, and a clock that was
 * set back ends a pause, because how much of it is left cannot be known then.
 *
 * @param callMs the longest a call of this upstream can last
 */
export function enterBreaker(
  breaker: Breaker,
  nowMs: number,
  { callMs }: { readonly callMs: number },
): [breaker: Breaker, entry: Entry] {
  const { state, epoch, since } = breaker;
  if (state === "closed") return [breaker, { allowed: true, epoch }];
  const waitMs = state === "open" ? breaker.pauseMs : breaker.probeMs;
  const leftMs = since + waitMs - nowMs;
  if (nowMs >= since && leftMs > 0) {
    // A probe usually ends long before it is believed lost.
    const retryAfterMs = state === "open" ? leftMs : Math.min(leftMs, LIMITS.breakerPauseMs);
    return [breaker, { allowed: false, retryAfterMs }];
  }
  const { pauseMs } = breaker;
  const probing: Breaker = { state: "half-open", epoch: epoch + 1, since: nowMs, pauseMs, probeMs: callMs };
  return [probing, { allowed: true, epoch: epoch + 1 }];
}

/** Open a breaker for what others have found out; one that is not closed stays as it is. */
export function openBreaker(breaker: Breaker, nowMs: number): Breaker {
  return breaker.state === "closed" ? open(breaker.epoch + 1, nowMs, LIMITS.breakerPauseMs) : breaker;
}

/** Report how a call ended that was let through in `epoch`. */
export function leaveBreaker(
  breaker: Breaker,
  nowMs: number,
  { epoch, verdict }: { readonly epoch: number; readonly verdict: Verdict },
): Breaker {
  if (epoch !== breaker.epoch) return breaker;
  switch (breaker.state) {
    case "closed":
      return verdict === "unknown" ? breaker : count(breaker, nowMs, verdict === "failed");
    case "open":
      return breaker;
    case "half-open":
      if (verdict === "ok") return closed(epoch + 1, nowMs);
      // It found nothing out, so the next call is the probe.
      if (verdict === "unknown") return { ...breaker, since: nowMs, probeMs: 0 };
      return open(epoch + 1, nowMs, Math.min(2 * breaker.pauseMs, LIMITS.breakerPauseMaxMs));
  }
}

function closed(epoch: number, since: number): Extract<Breaker, { state: "closed" }> {
  return { state: "closed", epoch, since, recent: NONE, before: NONE };
}

function open(epoch: number, since: number, pauseMs: number): Breaker {
  return { state: "open", epoch, since, pauseMs };
}

function count(breaker: Extract<Breaker, { state: "closed" }>, nowMs: number, failed: boolean): Breaker {
  const { epoch, since, before, recent: last } = roll(breaker, nowMs);
  const recent = { calls: last.calls + 1, failures: last.failures + (failed ? 1 : 0) };
  const calls = recent.calls + before.calls;
  const failures = recent.failures + before.failures;
  const broken =
    failed && calls >= LIMITS.breakerCalls && failures * 100 >= calls * LIMITS.breakerFailurePercent;
  return broken
    ? open(epoch + 1, nowMs, LIMITS.breakerPauseMs)
    : { state: "closed", epoch, since, recent, before };
}

/** Forget what is older than the window: two halves of it are kept, so between a half and the whole of it counts. */
function roll(
  breaker: Extract<Breaker, { state: "closed" }>,
  nowMs: number,
): Extract<Breaker, { state: "closed" }> {
  const passedMs = nowMs - breaker.since;
  if (passedMs >= 0 && passedMs < HALF_MS) return breaker;
  const fresh = closed(breaker.epoch, nowMs);
  return passedMs >= HALF_MS && passedMs < 2 * HALF_MS
    ? { ...fresh, since: breaker.since + HALF_MS, before: breaker.recent }
    : fresh;
}
