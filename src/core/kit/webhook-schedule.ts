const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses before the second attempt and the following ones, a little over three days together. */
const PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Attempts to deliver one webhook: the first, which is due at once, and one after each pause. */
export const WEBHOOK_ATTEMPTS = PAUSES_MS.length + 1;

/** The most that jitter adds to a pause, as a part of it. */
const JITTER = 0.1;

export interface FailedDelivery {
  /** Attempts already made: 1 before the first retry. */
  readonly attempt: number;
  /** How long its receiver asked to be left alone; 0 when it did not. */
  readonly askedMs: number;
  /** Uniform in [0, 1): spreads the retries of what failed together. */
  readonly random: number;
}

/**
 * Compute how long to wait before a webhook is sent again, in whole milliseconds; null after the last attempt.
 *
 * Never sooner than the schedule or its receiver says: jitter comes on top of either.
 *
 * Source: Standard Webhooks 1.0.0, "Deliverability and reliability",
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function webhookPauseMs({ attempt, askedMs, random }: FailedDelivery): number | null {
  const pauseMs = PAUSES_MS[attempt - 1];
  return pauseMs === undefined ? null : Math.max(pauseMs, askedMs) + Math.ceil(pauseMs * JITTER * random);
}
