import type { CallbackEnd, CallbackTarget } from "../../../core/contract/gate/job.ts";
import type { EventClaim, OutgoingEvent } from "../../../core/contract/gate/outgoing-event.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import { decideDelivery } from "../../../core/gate/state/callback.ts";
import { logWarning } from "../../platform/log-bug.ts";
import * as LIMITS from "../../../core/contract/limits.ts";

export interface EventTableOptions {
  /** The deployment's own address. Without one the table stores and reads nothing. */
  readonly target: CallbackTarget | null;
  /** Events that may wait to be delivered. */
  readonly backlog: number;
  readonly leaseMs: number;
}

export interface EventTableParts {
  readonly gone: GoneAddresses;
  readonly tenant: string;
  /** Hears when something is due, in the same turn. */
  readonly onDue: (dueAt: number) => void;
}

/** Why an event will not arrive. */
type Lost = "backlog_full" | "endpoint_gone" | "not_delivered" | "storage_refused";

/** Between two lines of the log about lost events. */
const TELL_EVERY_MS = 60_000;

interface Waiting {
  readonly dueAt: number;
  /** Attempts that have ended. */
  readonly attempts: number;
}

/**
 * Events for the deployment's own address: rows in the `events` table until they are delivered, and in memory when each is due.
 *
 * An event that is recorded in the turn of its cause is durable with it or not at all. It is sent one at a time, so that an
 * address which hangs holds up no job, and at least once. When too many wait, the new ones are dropped: what is recorded keeps
 * its promise, and a flood costs no rows. A failure here never stops the cause of an event: a lost event is counted in the log.
 */
export class EventTable {
  readonly #sql: SqlStorage;
  readonly #options: EventTableOptions;
  readonly #parts: EventTableParts;
  readonly #waiting = new Map<string, Waiting>();
  /** The event that is under way, until its lease ends. */
  #claimed: { readonly id: string; readonly leaseEndsAt: number } | null = null;
  readonly #lost = new Map<Lost, number>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(sql: SqlStorage, options: EventTableOptions, parts: EventTableParts) {
    this.#sql = sql;
    this.#options = options;
    this.#parts = parts;
    if (options.target === null) return;
    type Row = { id: string; dueAt: number; attempts: number };
    const rows = sql.exec<Row>("SELECT id, due_at AS dueAt, attempts FROM events");
    for (const { id, ...waiting } of rows) this.#waiting.set(id, waiting);
  }

  /** Whether anybody is told anything. */
  get isOn(): boolean {
    return this.#options.target !== null;
  }

  /** How many wait to be delivered. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Record an event, once for its id; never throws. The event is only made where somebody is told. */
  record(nowMs: number, make: () => OutgoingEvent): void {
    const { target, backlog } = this.#options;
    if (target === null) return;
    const { id, json } = make();
    if (this.#waiting.has(id)) return;
    if (this.#parts.gone.has(target.url, nowMs)) return this.#lose(nowMs, "endpoint_gone");
    if (this.#waiting.size >= backlog) return this.#lose(nowMs, "backlog_full");
    const insert = "INSERT INTO events (id, due_at, attempts, json) VALUES (?, ?, 0, ?)";
    // A full disk, most likely.
    if (!attemptNow(() => this.#sql.exec(insert, id, nowMs, json)).ok)
      return this.#lose(nowMs, "storage_refused");
    this.#waiting.set(id, { dueAt: nowMs, attempts: 0 });
    this.#parts.onDue(nowMs);
  }

  /** When the next delivery can begin, or what is under way is over at the latest; null when nothing waits. */
  nextDue(nowMs: number): number | null {
    if (this.#waiting.size === 0) return null;
    if (this.#claimed !== null && this.#claimed.leaseEndsAt > nowMs) return this.#claimed.leaseEndsAt;
    return this.#first().dueAt;
  }

  /** Claim the delivery that has been due for longest, or null while there is none, or another under way. */
  claim(nowMs: number): { readonly claim: EventClaim; readonly leaseEndsAt: number } | null {
    const { target, leaseMs } = this.#options;
    if (target === null || this.#waiting.size === 0) return null;
    if (this.#claimed !== null && this.#claimed.leaseEndsAt > nowMs) return null;
    const { id, dueAt, attempts } = this.#first();
    if (dueAt > nowMs) return null;
    if (this.#parts.gone.has(target.url, nowMs)) {
      this.#forgetAll(nowMs);
      return null;
    }
    const [row] = this.#sql.exec<{ json: string }>("SELECT json FROM events WHERE id = ?", id).toArray();
    if (row === undefined) {
      this.#waiting.delete(id);
      return null;
    }
    const { json } = row;
    const leaseEndsAt = nowMs + leaseMs;
    this.#claimed = { id, leaseEndsAt };
    return { claim: { event: { id, json }, attempt: attempts + 1, target }, leaseEndsAt };
  }

  /** Settle an attempt, unless its event is not waiting any more or had that attempt already. */
  settle(
    nowMs: number,
    { claim, end, random }: { claim: EventClaim; end: CallbackEnd; random: number },
  ): void {
    const { event, attempt, target } = claim;
    const known = this.#waiting.get(event.id);
    if (known === undefined || attempt !== known.attempts + 1) return;
    const decided = decideDelivery(attempt, end, random);
    if (decided.kind === "again") {
      const dueAt = nowMs + decided.pauseMs;
      this.#sql.exec("UPDATE events SET due_at = ?, attempts = ? WHERE id = ?", dueAt, attempt, event.id);
      this.#release(event.id);
      this.#waiting.set(event.id, { dueAt, attempts: attempt });
      return this.#parts.onDue(dueAt);
    }
    if (decided.kind === "disabled") {
      this.#parts.gone.add(target.url, nowMs);
      return this.#forgetAll(nowMs);
    }
    this.#sql.exec("DELETE FROM events WHERE id = ?", event.id);
    this.#release(event.id);
    this.#waiting.delete(event.id);
    if (decided.kind === "failed") this.#lose(nowMs, "not_delivered");
    else this.#tellLost(nowMs);
  }

  /** An event that storage refused to settle keeps its lease, as if nothing had been heard. */
  #release(id: string): void {
    if (this.#claimed?.id === id) this.#claimed = null;
  }

  #first(): Waiting & { readonly id: string } {
    let first: (Waiting & { readonly id: string }) | null = null;
    for (const [id, waiting] of this.#waiting)
      if (first === null || waiting.dueAt < first.dueAt) first = { id, ...waiting };
    return first!;
  }

  /** The deployment's address is gone, so no event can be delivered any more. */
  #forgetAll(nowMs: number): void {
    this.#sql.exec("DELETE FROM events");
    const count = this.#waiting.size;
    this.#waiting.clear();
    this.#claimed = null;
    this.#lose(nowMs, "endpoint_gone", count);
  }

  #lose(nowMs: number, why: Lost, count = 1): void {
    this.#lost.set(why, (this.#lost.get(why) ?? 0) + count);
    this.#tellLost(nowMs);
  }

  /** Say in the log how many were lost since the last time: the first at once, more within a minute or with the next event. */
  #tellLost(nowMs: number): void {
    if (this.#lost.size === 0 || nowMs < this.#toldAt + TELL_EVERY_MS) return;
    const lost = Object.fromEntries(this.#lost);
    const { tenant } = this.#parts;
    logWarning("Events were not delivered to VOLLEY_EVENTS_URL", { event: "events_lost", tenant, ...lost });
    this.#lost.clear();
    this.#toldAt = nowMs;
  }
}

/** The addresses that answered 410 Gone, for a while: rows that are written for a 410 only. */
export class GoneAddresses {
  static readonly CREATE =
    "CREATE TABLE gone_endpoints (url TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;";
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether an address is to be sent nothing now. */
  has(url: string, nowMs: number): boolean {
    const query = "SELECT 1 FROM gone_endpoints WHERE url = ? AND until > ?";
    return this.#sql.exec(query, url, nowMs).toArray().length === 1;
  }

  /** Remember an address, and forget those whose time is over and the oldest that are too many. */
  add(url: string, nowMs: number): void {
    this.#sql.exec(
      "REPLACE INTO gone_endpoints (url, until) VALUES (?, ?)",
      url,
      nowMs + LIMITS.goneAddressMs,
    );
    this.#sql.exec(
      `DELETE FROM gone_endpoints WHERE until <= ? OR url IN (
         SELECT url FROM gone_endpoints ORDER BY until DESC LIMIT -1 OFFSET ?)`,
      nowMs,
      LIMITS.goneAddresses,
    );
  }
}
