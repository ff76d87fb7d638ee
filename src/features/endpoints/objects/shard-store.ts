import { type Condition, parseCondition } from "../../../core/contract/condition.ts";
import * as LIMITS from "../limits.ts";
import { NoticeTable } from "../../../feature/object.ts";
import { type Delivery, type PublishedEvent, toFresh } from "../delivery.ts";
import { DeliveryQueue, type Turn } from "../delivery-queue.ts";
import { type KeptEndpoint, stateOf } from "../endpoint.ts";
import { createFilter, findMismatch } from "../match-event.ts";
import { type LastAnswer, toLastAnswer } from "../delivery-lane.ts";
import type { Pruned } from "../endpoint-shard-methods.ts";
import { BatchTable } from "./batch-table.ts";
import { DayTable } from "./day-table.ts";
import { DeliveryTable } from "./delivery-table.ts";
import { EndpointTable } from "./endpoint-table.ts";

/** Everything that one object keeps: its tables, and in memory whose turn it is. */
export class ShardStore {
  readonly endpoints: EndpointTable;
  readonly deliveries: DeliveryTable;
  readonly batches: BatchTable;
  readonly notices: NoticeTable;
  readonly days: DayTable;
  readonly queue: DeliveryQueue;
  readonly #storage: DurableObjectStorage;
  readonly #filters = new Map<number, Condition | null>();

  /** @param places deliveries at once */
  constructor(storage: DurableObjectStorage, places: number = LIMITS.headerSlots) {
    const { sql } = storage;
    this.#storage = storage;
    this.endpoints = new EndpointTable(sql);
    this.deliveries = new DeliveryTable(sql);
    this.batches = new BatchTable(sql);
    this.notices = new NoticeTable(sql);
    this.days = new DayTable(sql);
    this.queue = new DeliveryQueue({ places, lastOf: (no) => this.#lastOf(no) });
    for (const endpoint of this.endpoints.values()) this.#setLane(endpoint);
    this.#loadQueue();
  }

  /** Do what is one transaction. */
  together(write: () => void): void {
    this.#storage.transactionSync(write);
  }

  write(endpoint: KeptEndpoint): void {
    const known = this.endpoints.byNo(endpoint.no);
    this.endpoints.write(endpoint);
    this.#setLane(endpoint, { isNew: known?.url !== endpoint.url });
  }

  /** Forget an endpoint; what waits for it is discarded. Attempts that are under way end unnoticed. */
  remove(known: KeptEndpoint, nowMs: number): void {
    this.together(() => {
      const open = this.queue.open(known.no);
      this.queue.drop(known.no);
      this.discard(known.no, open, nowMs);
      this.days.forget(known.no);
      // Nothing tells of one that was sent nothing.
      if (this.deliveries.knows(known.no)) this.endpoints.bury(known, nowMs);
      else this.endpoints.delete(known);
    });
    this.#filters.delete(known.no);
  }

  /** Make what says why an event is not for an endpoint; null where it is. The event's data is parsed once at most. */
  mismatchOf(event: PublishedEvent): (endpoint: KeptEndpoint) => string | null {
    const fits = createFilter(event.data);
    return (endpoint) => findMismatch(endpoint, event, () => fits(this.#filters.get(endpoint.no) ?? null));
  }

  /** Have an event wait for some endpoints; where too much waits for one already it fails at once. */
  take(event: PublishedEvent, nos: readonly number[], nowMs: number): void {
    const { seq } = event;
    this.together(() => {
      this.batches.add(event, nos, { fresh: true });
      for (const no of nos)
        if (this.queue.sizeOf(no) >= LIMITS.endpointBacklog) this.#refuse(no, event, nowMs);
        else this.queue.add(no, { seq, dueAt: nowMs });
    });
  }

  /** Have events wait for one endpoint once more, as many as there is room for; how many. */
  reopen({ no }: KeptEndpoint, events: readonly PublishedEvent[], nowMs: number): number {
    const room = LIMITS.endpointBacklog - this.queue.sizeOf(no);
    const fresh = events.slice(0, Math.max(0, room));
    this.together(() => {
      for (const event of fresh) {
        const { seq } = event;
        // The attempt that is under way is the one that is asked for.
        if (this.queue.isRunning({ no, seq })) continue;
        this.batches.add(event, [no]);
        const known = this.deliveries.find(no, seq);
        // Without a row it is as one that was just taken.
        if (known !== null) this.deliveries.write({ ...known, status: "pending", tries: 0, dueAt: nowMs });
        this.queue.add(no, { seq, dueAt: nowMs });
      }
    });
    return fresh.length;
  }

  /** End deliveries that waited for an endpoint. */
  discard(no: number, seqs: readonly number[], nowMs: number): void {
    for (const seq of seqs) {
      const batch = this.batches.get(seq);
      if (batch === undefined) continue;
      this.days.count(no, nowMs, { as: "failed" });
      const known = this.deliveryOf({ no, seq }, batch.event);
      this.deliveries.write({ ...known, status: "discarded", dueAt: null });
      this.batches.close(seq, no);
    }
  }

  /** A delivery that is not over, as it stands. No row is looked for where there is none. */
  deliveryOf({ no, seq }: Turn, event: Omit<PublishedEvent, "data">): Delivery {
    const isFresh = this.batches.get(seq)?.fresh.has(no) === true;
    return (isFresh ? null : this.deliveries.find(no, seq)) ?? toFresh({ no, seq }, event);
  }

  /** Whether a delivery has no row yet, because its first attempt is not over. */
  isFresh({ no, seq }: Turn): boolean {
    return (
      this.queue.has({ no, seq }) && this.batches.get(seq) !== undefined && !this.deliveries.has(no, seq)
    );
  }

  /** A delivery as it stands; null where there is none. */
  find({ no, seq }: Turn): Delivery | null {
    const known = this.deliveries.find(no, seq);
    if (known !== null || !this.queue.has({ no, seq })) return known;
    const batch = this.batches.get(seq);
    return batch === undefined ? null : toFresh({ no, seq }, batch.event);
  }

  /** Forget what is older than events are kept, a bounded part of it. */
  prune(before: number): Pruned {
    let more = false;
    for (const { no } of this.endpoints.named())
      more = this.deliveries.prune(no, before, LIMITS.eventsPruned) || more;
    this.endpoints.prune(before);
    if (more) return "more";
    return this.deliveries.isEmpty && !this.endpoints.hasDeleted ? "nothing" : "later";
  }

  erase(): void {
    this.together(() => {
      for (const table of [this.endpoints, this.deliveries, this.batches, this.notices, this.days])
        table.erase();
    });
    this.queue.dropAll();
    this.#filters.clear();
  }

  #loadQueue(): void {
    const again = new Map(this.deliveries.waiting().map((one) => [`${one.no} ${one.seq}`, one] as const));
    this.batches.load((no, seq) => again.has(`${no} ${seq}`) || !this.deliveries.has(no, seq));
    for (const { event, open } of this.batches.values())
      for (const no of open) {
        const dueAt = again.get(`${no} ${event.seq}`)?.dueAt ?? event.at;
        this.queue.add(no, { seq: event.seq, dueAt });
      }
  }

  #setLane(endpoint: KeptEndpoint, { isNew } = { isNew: false }): void {
    const { no, ordered, rateLimit, filter } = endpoint;
    const isActive = stateOf(endpoint) === "active";
    this.queue.set(no, { isActive, ordered, rateLimit, isNew });
    const parsed = filter === undefined ? null : parseCondition(filter);
    this.#filters.set(no, parsed?.ok === true ? parsed.value : null);
  }

  #lastOf(no: number): LastAnswer {
    if (this.endpoints.byNo(no)?.failingSince !== null) return "failed";
    const tookMs = this.deliveries.lastTook(no);
    return tookMs === null ? "none" : toLastAnswer(false, tookMs);
  }

  #refuse(no: number, event: PublishedEvent, nowMs: number): void {
    const fresh = toFresh({ no, seq: event.seq }, event);
    const attempts = [{ at: nowMs, durationMs: 0, code: "BACKLOG_FULL" }];
    this.days.count(no, nowMs, { as: "failed" });
    this.deliveries.write({ ...fresh, status: "failed", dueAt: null, attempts });
    this.batches.close(event.seq, no);
  }
}
