/** So many per window: the whole `limit` at once after a pause, then one every window / limit. */
export interface GcraRate {
  /** A positive integer. */
  readonly limit: number;
  readonly windowS: number;
}

export interface GcraDraw extends GcraRate {
  /** So many at once, all of them or none; one unless said. */
  readonly count?: number | undefined;
  /** How long after now the last of them may be used; they are used at once unless said. */
  readonly holdMs?: number;
  /** Denied draws that will come back before this one; each moves `retryAfterMs` by one more T. */
  readonly ahead?: number;
}

/** The finding of one draw, and the theoretical arrival time it leaves behind. */
export interface GcraDecision {
  readonly allowed: boolean;
  /** The theoretical arrival time to keep, in milliseconds since the epoch. Never earlier than the one given. */
  readonly tatMs: number;
  /** Whole draws left right now. */
  readonly remaining: number;
  /** Milliseconds until one more draw would be allowed; 0 when it is now. */
  readonly retryAfterMs: number;
  /** Milliseconds until the whole limit is available again. */
  readonly resetMs: number;
}

/**
 * The finest tick. A time in ticks divided by this survives the trip through a double and back up to the year 2100:
 * the rounding errors of the division and of the multiplication together stay below half a tick.
 */
const MAX_TICKS_PER_MS = 512;

/**
 * Decide a draw by the Generic Cell Rate Algorithm in its virtual scheduling form (ATM Forum, Traffic Management
 * Specification 4.0, section 4.4.2; ITU-T I.371 annex A), with the increment T = window / limit and the tolerance
 * (limit - 1) x T.
 *
 * Among draws whose `nowMs` lies in [a, b], at most limit + (b - a) / T are allowed, in whatever order the clock showed those
 * times: the first leaves a TAT of at least a + T, each further one adds T, and none may leave more than b + limit x T. Nothing
 * in this needs the clock to go forwards, only the TAT never to be lowered.
 *
 * It is exact: the sums are of whole ticks, the coarsest division of a millisecond in which T is a whole number. When
 * T has no such division that is coarse enough it is rounded up, so the rate is never above what was asked.
 *
 * A draw that may be used up to `holdMs` later first raises the TAT to now + holdMs, so that no later draw is paid by time
 * that a use of this one lies behind. See `grantLeases`, where the bound is proven.
 *
 * @param tatMs the kept TAT; 0 for a bucket that was never drawn from
 */
export function decideGcra(tatMs: number, nowMs: number, draw: GcraDraw): GcraDecision {
  const { perMs, interval } = ticksOf(draw);
  const capacity = interval * draw.limit;
  const now = Math.floor(nowMs) * perMs;
  const before = Math.max(Math.round(tatMs * perMs), now);
  const { count = 1, holdMs = 0, ahead = 0 } = draw;
  const drawn = Math.max(before, now + Math.ceil(holdMs * perMs)) + interval * count;
  const allowed = drawn - now <= capacity;
  const after = allowed ? drawn : before;
  const untilNext = drawn + interval * (ahead + (allowed ? 1 : 0)) - capacity - now;
  return {
    allowed,
    tatMs: allowed ? after / perMs : tatMs,
    remaining: Math.max(0, Math.floor((now + capacity - after) / interval)),
    retryAfterMs: Math.max(0, Math.ceil(untilNext / perMs)),
    resetMs: Math.ceil((after - now) / perMs),
  };
}

/** The increment T in milliseconds, as it is counted. */
export function gcraIntervalMs(rate: GcraRate): number {
  const { perMs, interval } = ticksOf(rate);
  return interval / perMs;
}

function ticksOf({ limit, windowS }: GcraRate): { perMs: number; interval: number } {
  const windowMs = Math.round(windowS * 1000);
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`Cannot count a rate: 'limit' must be a positive integer, received ${limit}`);
  if (!(windowMs >= 1))
    throw new RangeError(`Cannot count a rate: 'windowS' must be at least 0.001, received ${windowS}`);
  const perMs = Math.min(MAX_TICKS_PER_MS, limit / greatestCommonDivisor(limit, windowMs));
  return { perMs, interval: Math.ceil((windowMs * perMs) / limit) };
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
