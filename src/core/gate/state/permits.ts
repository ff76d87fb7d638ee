import type { PermitAnswer, PermitDenial, PermitRequest } from "../../contract/gate/permit.ts";
import * as LIMITS from "../../contract/limits.ts";
import { decideGcra, type GcraDraw } from "../../kit/gcra.ts";
import {
  LONGEST_HOLD_MS,
  type Permit,
  type PermitBook,
  type PermitMarks,
  type Waiter,
} from "./permit-book.ts";
import { type Bucket, drawQuota } from "./quota.ts";

export type PermitCommand =
  | { readonly kind: "ask"; readonly request: PermitRequest }
  /** Give a permit back, or a place in the queue up; and say how long the upstream asked to be left alone. */
  | { readonly kind: "release"; readonly id: string; readonly retryAfterMs: number | null }
  /** Time has passed. */
  | { readonly kind: "tick" };

export interface PermitStep {
  readonly answers: readonly { readonly id: string; readonly answer: PermitAnswer }[];
  /** Marks to write before any answer leaves. */
  readonly marks: Partial<PermitMarks>;
  /** When something changes without another message; null when nothing does. */
  readonly wakeAtMs: number | null;
}

const RATE_BUCKET = "rate";

/**
 * Take one command, then grant whatever can be granted now, each tenant in turn, and turn away who cannot be served in
 * time.
 *
 * - Never more live permits than `limits.concurrency`: a permit counts until it is given back or its time is over, and
 *   every one ends by time. The mark is written before a permit that outlasts it leaves, so neither an eviction nor a
 *   crash forgets one.
 * - Never more grants than the rate's limit and what comes back within the window: each is drawn from a GCRA bucket with
 *   a durable mark (`drawQuota`).
 * - Round robin over tenants, and within one first come, first served (`dealTurns`): what a grant needs is the same for
 *   everyone, and whose turn it is is looked at first. However many calls a tenant has waiting, another's oldest waits for
 *   one turn of each tenant that was there before. Who cannot be served in time behind those (the rate, an upstream's pause)
 *   is turned away at once, with the time to come back.
 * - No call is refused because another tenant fills the queue: over its bound the last turn goes, which is one of the tenant with
 * most.
 * - No call waits for ever: every question is answered by its end, and at once when it is given up.
 */
export function stepPermits(
  book: PermitBook,
  nowMs: number,
  command: PermitCommand,
): [PermitBook, PermitStep] {
  const live = book.live.filter(({ endsAtMs }) => endsAtMs > nowMs);
  const [taken, early] = take({ ...book, live }, nowMs, command);
  const waiting = dealTurns(taken.waiting);
  const dropped = waiting.length > book.options.waiters ? waiting.pop() : undefined;
  const service = new Service({ ...taken, waiting }, nowMs);
  for (const waiter of waiting) service.serve(waiter);
  const [served, { answers, marks, wakeAtMs }] = service.close();
  const full = dropped === undefined ? [] : [{ id: dropped.id, answer: FULL }];
  return [served, { answers: [...early, ...full, ...answers], marks, wakeAtMs }];
}

function take(book: PermitBook, nowMs: number, command: PermitCommand): [PermitBook, PermitStep["answers"]] {
  switch (command.kind) {
    case "tick":
      return [book, []];
    case "release":
      return release(book, nowMs, command);
    case "ask":
      return ask(book, nowMs, command.request);
  }
}

/** Nothing happens to anyone else's permit or place: an id that is over, or was never known, frees nothing. */
function release(
  book: PermitBook,
  nowMs: number,
  { id, retryAfterMs }: { readonly id: string; readonly retryAfterMs: number | null },
): [PermitBook, PermitStep["answers"]] {
  const pauseMs = Math.min(retryAfterMs ?? 0, LIMITS.permitPauseMs);
  const waiting = book.waiting.filter((waiter) => waiter.id !== id);
  const released: PermitBook = {
    ...book,
    live: book.live.filter((permit) => permit.id !== id),
    waiting,
    pausedUntilMs: pauseMs > 0 ? Math.max(book.pausedUntilMs, nowMs + pauseMs) : book.pausedUntilMs,
  };
  if (waiting.length === book.waiting.length) return [released, []];
  // The answer is not read, but a question that is left open would keep the object awake.
  return [released, [{ id, answer: { granted: false, reason: "busy", retryAfterMs: null } }]];
}

function ask(
  { live, waiting, ...book }: PermitBook,
  nowMs: number,
  { id, tenant = NOBODY_SAID, limits, waitMs, holdMs }: PermitRequest,
): [PermitBook, PermitStep["answers"]] {
  const same = { ...book, live, waiting, limits };
  const held = live.find((permit) => permit.id === id);
  if (held !== undefined)
    return [same, [{ id, answer: { granted: true, waitedMs: held.grantedAtMs - nowMs } }]];
  const waiter = {
    id,
    tenant,
    askedAtMs: nowMs,
    untilMs: nowMs + Math.min(waitMs, LIMITS.maxDeadlineMs),
    holdMs: Math.min(holdMs, LONGEST_HOLD_MS),
  };
  if (waiting.some((other) => other.id === id))
    return [{ ...same, waiting: waiting.map((other) => (other.id === id ? waiter : other)) }, []];
  return [{ ...same, waiting: [...waiting, waiter] }, []];
}

const FULL: PermitAnswer = { granted: false, reason: "full", retryAfterMs: null };

/** The tenant of all who do not say theirs; none has an empty name. */
const NOBODY_SAID = "";

/**
 * Put the first of every tenant first, then the second of every tenant, and so on; those of one round stay as they stand.
 *
 * Dealt again after whatever came or went, this is round robin: served from the front, a tenant's next call joins the round
 * of those that wait already, at its end. The last of all is one of the tenant that has most waiting.
 */
function dealTurns(waiting: readonly Waiter[]): Waiter[] {
  const ahead = new Map<string, number>();
  const dealt = waiting.map((waiter) => {
    const round = ahead.get(waiter.tenant) ?? 0;
    ahead.set(waiter.tenant, round + 1);
    return { waiter, round };
  });
  // One tenant alone is the usual case, and stands in order already.
  if (ahead.size <= 1) return [...waiting];
  return dealt.sort((a, b) => a.round - b.round).map(({ waiter }) => waiter);
}

/** When the next in line may go as far as is known now, and what it would be waiting for. */
interface Prospect {
  readonly atMs: number;
  readonly reason: PermitDenial;
}

/** One pass over the queue. */
class Service {
  readonly #book: PermitBook;
  readonly #nowMs: number;
  readonly #live: Permit[];
  readonly #waiting: Waiter[] = [];
  readonly #answers: { id: string; answer: PermitAnswer }[] = [];
  #bucket: Bucket;
  #aliveMarkMs: number;

  constructor(book: PermitBook, nowMs: number) {
    this.#book = book;
    this.#nowMs = nowMs;
    this.#live = [...book.live];
    this.#bucket = book.bucket;
    this.#aliveMarkMs = book.aliveMarkMs;
  }

  /** Grant, turn away or keep one waiter; they must come in turn. */
  serve(waiter: Waiter): void {
    const { id, askedAtMs, untilMs } = waiter;
    const { atMs, reason } = this.#prospect(this.#waiting.length);
    // The reason that keeps one waiting keeps everyone behind it waiting too, so no call is ever passed.
    if (atMs <= this.#nowMs && this.#hasPlace() && untilMs >= this.#nowMs) {
      this.#grant(waiter);
      this.#answers.push({ id, answer: { granted: true, waitedMs: this.#nowMs - askedAtMs } });
    } else if (untilMs <= this.#nowMs || atMs > untilMs) {
      const retryAfterMs = atMs > this.#nowMs ? atMs - this.#nowMs : null;
      this.#answers.push({ id, answer: { granted: false, reason, retryAfterMs } });
    } else this.#waiting.push(waiter);
  }

  close(): [PermitBook, PermitStep] {
    const nothing = this.#live.length === 0;
    const idleSinceMs = nothing ? (this.#book.idleSinceMs ?? this.#nowMs) : null;
    if (this.#mayTakeMarkBack(idleSinceMs)) this.#aliveMarkMs = Math.floor(this.#nowMs);
    const book: PermitBook = {
      ...this.#book,
      live: this.#live,
      waiting: this.#waiting,
      aliveMarkMs: this.#aliveMarkMs,
      idleSinceMs,
      bucket: this.#bucket,
    };
    const marks = {
      ...(book.aliveMarkMs !== this.#book.aliveMarkMs && { aliveMs: book.aliveMarkMs }),
      ...(book.bucket.markMs !== this.#book.bucket.markMs && { rateMs: book.bucket.markMs }),
    };
    return [book, { answers: this.#answers, marks, wakeAtMs: this.#wakeAt(book) }];
  }

  #grant({ id, holdMs }: Waiter): void {
    const { limits, options } = this.#book;
    if (limits.rate !== null) {
      const buckets = new Map([[RATE_BUCKET, this.#bucket]]);
      const draws = [{ index: 0, limit: { bucket: RATE_BUCKET, ...limits.rate } }];
      const [[change]] = drawQuota({ floorMs: 0, buckets }, this.#nowMs, { quota: null, draws });
      if (change !== undefined) this.#bucket = { tatMs: change.tatMs, markMs: change.markMs };
    }
    if (limits.concurrency === null) return;
    const endsAtMs = this.#nowMs + holdMs;
    this.#live.push({ id, grantedAtMs: this.#nowMs, endsAtMs });
    if (endsAtMs > this.#aliveMarkMs) this.#aliveMarkMs = Math.ceil(endsAtMs + options.leadMs);
  }

  #hasPlace(): boolean {
    const { concurrency } = this.#book.limits;
    return concurrency === null || this.#live.length < concurrency;
  }

  #prospect(ahead: number): Prospect {
    const { limits, recoveredAtMs, pausedUntilMs } = this.#book;
    let prospect: Prospect = { atMs: this.#nowMs, reason: "busy" };
    const later = (atMs: number, reason: PermitDenial): void => {
      if (atMs > prospect.atMs) prospect = { atMs, reason };
    };
    if (limits.concurrency !== null) later(recoveredAtMs, "busy");
    if (limits.rate !== null) {
      later(this.#nowMs + untilDraw(this.#bucket, this.#nowMs, { ...limits.rate, ahead }), "rate");
    }
    later(pausedUntilMs, "paused");
    return prospect;
  }

  /** Only when it would say more than the truth for longer than a row is worth. */
  #mayTakeMarkBack(idleSinceMs: number | null): boolean {
    const { options, recoveredAtMs } = this.#book;
    return (
      idleSinceMs !== null &&
      this.#nowMs >= idleSinceMs + options.idleMs &&
      this.#nowMs >= recoveredAtMs &&
      this.#aliveMarkMs > this.#nowMs
    );
  }

  #wakeAt({ live, waiting, idleSinceMs, aliveMarkMs, recoveredAtMs, options }: PermitBook): number | null {
    let wakeAtMs = Number.POSITIVE_INFINITY;
    const at = (ms: number): void => {
      if (ms > this.#nowMs) wakeAtMs = Math.min(wakeAtMs, ms);
    };
    for (const { endsAtMs } of live) at(endsAtMs);
    for (const { untilMs } of waiting) at(untilMs);
    if (waiting.length > 0) at(this.#prospect(0).atMs);
    if (idleSinceMs !== null && aliveMarkMs > this.#nowMs)
      at(Math.max(idleSinceMs + options.idleMs, recoveredAtMs));
    return wakeAtMs === Number.POSITIVE_INFINITY ? null : wakeAtMs;
  }
}

/** Milliseconds until the draw behind `ahead` others can be made; 0 when it can be now. */
function untilDraw({ tatMs }: Bucket, nowMs: number, draw: GcraDraw & { readonly ahead: number }): number {
  const { allowed, retryAfterMs } = decideGcra(tatMs, nowMs, draw);
  if (!allowed) return retryAfterMs;
  // A draw that is allowed is counted as made: the first of those ahead.
  return draw.ahead === 0 ? 0 : decideGcra(tatMs, nowMs, { ...draw, ahead: draw.ahead - 1 }).retryAfterMs;
}
