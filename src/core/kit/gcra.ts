/** So many per window: the whole `limit` at once after a pause, then one every window / limit. */
export interface GcraRate {
  /** A positive integer. */
  readonly limit: number;
  readonly windowS: number;
}

export interface GcraDraw extends GcraRate {
  /** So many at once, all of them or none; one unless said. */
  readonly count?: number | undefined;
  /** Denied draws that will come back before this one; each moves `retryAfterMs` by one more T. */
  readonly ahead?: number;
}

/** A draw of several at once. */
export interface GcraBlock extends GcraRate {
  readonly count: number;
  /** How long after now the last of them may be used. */
  readonly holdMs: number;
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
 * @param tatMs the kept TAT; 0 for a bucket that was never drawn from
 */
export function decideGcra(tatMs: number, nowMs: number, draw: GcraDraw): GcraDecision {
  const { perMs, interval } = ticksOf(draw);
  const capacity = interval * draw.limit;
  const now = Math.floor(nowMs) * perMs;
  const before = Math.max(Math.round(tatMs * perMs), now);
  const { count = 1, ahead = 0 } = draw;
  const allowed = before + interval * count - now <= capacity;
  const after = allowed ? before + interval * count : before;
  const untilNext = after + interval * (ahead + (allowed ? 1 : count)) - capacity - now;
  return {
    allowed,
    tatMs: allowed ? after / perMs : tatMs,
    remaining: Math.max(0, Math.floor((now + capacity - after) / interval)),
    retryAfterMs: Math.max(0, Math.ceil(untilNext / perMs)),
    resetMs: Math.ceil((after - now) / perMs),
  };
}

/**
 * Decide one draw of `count` at once, all of them or none, that may be used at any time up to `holdMs` from now.
 *
 * The TAT is first raised to now + holdMs, so that no later draw is paid by time that a use of this block lies behind. See
 * `grantLeases`, where the bound is proven.
 */
export function decideGcraBlock(tatMs: number, nowMs: number, block: GcraBlock): GcraDecision {
  const { perMs, interval } = ticksOf(block);
  const { limit, count, holdMs } = block;
  const capacity = interval * limit;
  const now = Math.floor(nowMs) * perMs;
  const kept = Math.max(Math.round(tatMs * perMs), now);
  const held = Math.max(kept, now + Math.ceil(holdMs * perMs)) + interval * count;
  const allowed = held - now <= capacity;
  const after = allowed ? held : kept;
  return {
    allowed,
    tatMs: allowed ? after / perMs : tatMs,
    remaining: Math.max(0, Math.floor((now + capacity - after) / interval)),
    retryAfterMs: allowed ? 0 : Math.ceil((held - capacity - now) / perMs),
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
