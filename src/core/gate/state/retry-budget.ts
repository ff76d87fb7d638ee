import * as LIMITS from "../../contract/limits.ts";

/** The savings for retries, and when they were last worked out. */
export interface RetryBudget {
  /** In hundredths of a retry, so that what calls pay is a whole number. */
  readonly hundredths: number;
  readonly atMs: number;
}

const RETRY = 100;
const RESERVE = LIMITS.retryReserve * RETRY;

/** Create a budget with its whole reserve. */
export function createRetryBudget(nowMs: number): RetryBudget {
  return { hundredths: RESERVE, atMs: nowMs };
}

/**
 * Count a first call: every so many of them pay for one retry. The savings are capped by the reserve, so a long quiet time does
 * not pay for a storm.
 */
export function countCall(budget: RetryBudget, nowMs: number): RetryBudget {
  return save(budget, nowMs, LIMITS.retryPercent);
}

/**
 * Take a retry; false, with the reserve as it is, when there is none.
 *
 * Over any time at most `retryReserve` + `retryPercent` of the calls + one for every `retryReserveMs` are given: the
 * last is for a tool that is called too rarely to pay for a retry itself.
 */
export function takeRetry(budget: RetryBudget, nowMs: number): [budget: RetryBudget, taken: boolean] {
  const saved = save(budget, nowMs, 0);
  if (saved.hundredths < RETRY) return [saved, false];
  return [{ ...saved, hundredths: saved.hundredths - RETRY }, true];
}

function save({ hundredths, atMs }: RetryBudget, nowMs: number, paid: number): RetryBudget {
  // A clock that was set back gains nothing.
  const gained = (RETRY * Math.max(0, nowMs - atMs)) / LIMITS.retryReserveMs;
  return { hundredths: Math.min(RESERVE, hundredths + gained + paid), atMs: nowMs };
}
