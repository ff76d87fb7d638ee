import { type Condition, parseCondition } from "../../../core/contract/condition.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { readRunOptions } from "../../../core/edge/configuration.ts";
import type { ObjectOptions } from "../../../core/edge/feature.ts";
import { JobDrain } from "../../../core/edge/durable/drain-jobs.ts";
import { GateAlarm } from "../../../core/edge/durable/gate-alarm.ts";
import { DurableObject } from "../../../core/edge/platform/durable-object.ts";
import type { ObjectClass } from "../../../core/edge/platform/object-class.ts";
import { systemClock } from "../../../core/edge/platform/system-ports.ts";
import { attempt } from "../../../core/kit/result.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { type AttemptAnswer, type Delivery, type PublishedEvent, toBody, toDeliveryId } from "../delivery.ts";
import { DeliveryQueue, type Turn } from "../delivery-queue.ts";
import { type EndpointState, HEALTHY, type KeptEndpoint, rotateSecrets, stateOf } from "../endpoint.ts";
import { countDay } from "../count-day.ts";
import { createFilter, findMismatch } from "../match-event.ts";
import { sendDelivery } from "../send-delivery.ts";
import { disabledAt, settleAttempt } from "../settle-attempt.ts";
import type {
  DeliveryQuery,
  EndpointPut,
  EndpointShardMethods,
  Explained,
  PutAnswer,
  RecoverQuery,
  SeenDelivery,
  SeenEndpoint,
} from "../shard-methods.ts";
import { BatchTable } from "./batch-table.ts";
import { DeliveryTable } from "./delivery-table.ts";
import { openDirectoryOf } from "./endpoint-objects.ts";
import { EndpointTable } from "./endpoint-table.ts";
import { NoticeTable } from "./notice-table.ts";

const DAY_MS = 86_400_000;
/** An attempt that has not ended by then is given up for lost. */
const LEASE_MS = LIMITS.deliveryTimeoutMs + 5_000;
/** The platform ends an alarm after 15 minutes. */
const CLAIM_FOR_MS = 5 * 60_000;

/** Make the Durable Object class that keeps endpoints and delivers to them. */
export function createEndpointShard({
  clock = systemClock,
  deploymentOf,
}: ObjectOptions): ObjectClass<EndpointShardMethods> {
  /**
   * One of the sixteen objects that keep a tenant's endpoints. It takes an event for all of its endpoints in one row, and delivers in
   * its alarm. Attempts that are under way are in memory only: one that a crash cuts off is made again.
   */
  return class EndpointShard extends DurableObject<Record<string, unknown>> implements EndpointShardMethods {
    readonly #endpoints: EndpointTable;
    readonly #deliveries: DeliveryTable;
    readonly #batches: BatchTable;
    readonly #notices: NoticeTable;
    readonly #shard: number;
    readonly #slots: Semaphore;
    readonly #drain: JobDrain;
    #queue = new DeliveryQueue();
    #filters = new Map<number, Condition | null>();
    #alarm!: GateAlarm;
    #prunedAt: number;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      const { sql } = ctx.storage;
      this.#endpoints = new EndpointTable(sql);
      this.#deliveries = new DeliveryTable(sql);
      this.#batches = new BatchTable(sql);
      this.#notices = new NoticeTable(sql);
      this.#shard = Number(/(\d+)$/.exec(ctx.id.name ?? "")?.[1] ?? 0);
      this.#prunedAt = clock.now();
      const { headerSlots } = readRunOptions(env, []);
      this.#slots = new Semaphore(headerSlots);
      this.#drain = new JobDrain(
        {
          clock,
          claim: (now) => {
            const turn = this.#queue.claim(now);
            return turn && { leaseEndsAt: now + LEASE_MS, run: () => this.#deliver(turn) };
          },
          nextDue: (now) => this.#queue.nextAt(now),
        },
        {
          concurrency: Math.min(headerSlots, LIMITS.deliveriesAtOnce),
          claimForMs: CLAIM_FOR_MS,
          claims: LIMITS.workPerAlarm,
        },
      );
      void ctx.blockConcurrencyWhile(async () => {
        const alarmAt = await ctx.storage.getAlarm();
        this.#alarm = new GateAlarm(ctx.storage, alarmAt, LEASE_MS);
        this.#load();
        const next = this.#nextAt(clock.now());
        if (alarmAt !== null && next !== null) this.#alarm.arm(next);
      });
    }

    put({ id, no, settings, secret, enables, seen }: EndpointPut): PutAnswer {
      const now = this.#enter();
      const known = this.#endpoints.find(id);
      if (seen !== undefined && known?.updatedAt !== seen) return null;
      // Two changes of one moment are two: the later one is seen by its time.
      const updatedAt = Math.max(now, (known?.updatedAt ?? 0) + 1);
      const health = known === null || (enables && known.disabled !== null) ? HEALTHY : known;
      const { failingSince, failedLast, disabled } = health;
      const endpoint: KeptEndpoint = {
        ...settings,
        id,
        no: known?.no ?? no,
        failingSince,
        failedLast,
        disabled,
        updatedAt,
        secrets: known?.secrets ?? [{ secret, endsAt: null }],
        createdAt: known?.createdAt ?? now,
      };
      this.#write(endpoint);
      return { created: known === null, endpoint };
    }

    get(id: string): SeenEndpoint | null {
      const now = this.#enter();
      const endpoint = this.#endpoints.find(id);
      if (endpoint === null) return null;
      const { no } = endpoint;
      const kept = this.#deliveries.list(no, {
        before: Number.MAX_SAFE_INTEGER,
        limit: LIMITS.endpointBacklog,
      });
      return { endpoint, day: countDay(kept, this.#queue.sizeOf(no), now - DAY_MS) };
    }

    list(ids: readonly string[], state: EndpointState | null): KeptEndpoint[] {
      const found = ids.flatMap((id) => this.#endpoints.find(id) ?? []);
      return state === null ? found : found.filter((endpoint) => stateOf(endpoint) === state);
    }

    rotate(id: string, secret: string, overlapMs: number): KeptEndpoint | null {
      const now = this.#enter();
      const known = this.#endpoints.find(id);
      if (known === null) return null;
      const secrets = rotateSecrets(known, now, { secret, overlapMs, most: LIMITS.endpointSecrets });
      const endpoint = { ...known, secrets, updatedAt: Math.max(now, known.updatedAt + 1) };
      this.#write(endpoint);
      return endpoint;
    }

    remove(id: string): boolean {
      const now = this.#enter();
      const known = this.#endpoints.find(id);
      if (known === null) return false;
      this.ctx.storage.transactionSync(() => {
        // Attempts that are under way end unnoticed.
        const open = this.#queue.open(known.no);
        this.#queue.drop(known.no);
        this.#discard(known.no, open);
        this.#endpoints.bury(known, now);
      });
      this.#filters.delete(known.no);
      return true;
    }

    accept(event: PublishedEvent, isRepeated: boolean): number {
      const now = this.#enter();
      const known = this.#batches.get(event.seq);
      if (known !== undefined) return known.nos.size;
      const fits = createFilter(event.data);
      const before: number[] = [];
      const matched: number[] = [];
      for (const endpoint of this.#endpoints.values()) {
        const { no } = endpoint;
        if (isRepeated && this.#deliveries.has(no, event.seq)) before.push(no);
        // It may be that the first publishing found it otherwise.
        if (isRepeated && endpoint.updatedAt >= event.at) continue;
        if (findMismatch(endpoint, event, () => fits(this.#filterOf(endpoint))) === null) matched.push(no);
      }
      if (before.length > 0) return before.length;
      if (matched.length === 0) return 0;
      this.ctx.storage.transactionSync(() => {
        this.#batches.add(event, matched);
        for (const no of matched)
          if (this.#queue.sizeOf(no) >= LIMITS.endpointBacklog) this.#refuse(no, event, now);
          else this.#queue.add(no, { seq: event.seq, dueAt: now });
      });
      this.#wake(now);
      return matched.length;
    }

    explain(event: PublishedEvent): Explained[] {
      const fits = createFilter(event.data);
      return Array.from(this.#endpoints.values(), (endpoint) => ({
        endpoint: endpoint.id,
        mismatch: findMismatch(endpoint, event, () => fits(this.#filterOf(endpoint))),
      }));
    }

    reopen(id: string, events: readonly PublishedEvent[]): number {
      const now = this.#enter();
      const endpoint = this.#endpoints.find(id);
      if (endpoint === null || stateOf(endpoint) !== "active") return 0;
      const { no } = endpoint;
      const room = LIMITS.endpointBacklog - this.#queue.sizeOf(no);
      const fresh = events.slice(0, Math.max(0, room));
      this.ctx.storage.transactionSync(() => {
        for (const event of fresh) {
          const { seq } = event;
          this.#batches.add(event, [no]);
          const known = this.#deliveries.find(no, seq);
          // Without a row it is as one that was just taken.
          if (known !== null) this.#deliveries.write({ ...known, status: "pending", tries: 0, dueAt: now });
          this.#queue.add(no, { seq, dueAt: now });
        }
      });
      this.#wake(now);
      return fresh.length;
    }

    missed(id: string, { since, until, all }: RecoverQuery): number[] {
      const endpoint = this.#endpoints.find(id);
      if (endpoint === null) return [];
      return this.#deliveries.missed(endpoint.no, { since, until, all, limit: LIMITS.eventsRecovered });
    }

    unoffered(id: string, events: readonly PublishedEvent[]): number[] {
      const endpoint = this.#endpoints.find(id);
      if (endpoint === null) return [];
      const { no } = endpoint;
      const wanted = events.filter((event) => {
        if (this.#deliveries.has(no, event.seq) || this.#queue.has({ no, seq: event.seq })) return false;
        const fits = createFilter(event.data);
        return findMismatch(endpoint, event, () => fits(this.#filterOf(endpoint))) === null;
      });
      return wanted.map(({ seq }) => seq);
    }

    deliveries({ endpoints, seq, status, after, limit }: DeliveryQuery): SeenDelivery[] {
      const all = endpoints?.flatMap((id) => this.#endpoints.findAll(id)) ?? [...this.#endpoints.all()];
      const found = all.flatMap((endpoint) => {
        const { no } = endpoint;
        // The endpoints of one event come in the order of their numbers, the latest first.
        const before = after === null ? Number.MAX_SAFE_INTEGER : after.no > no ? after.seq + 1 : after.seq;
        const kept =
          seq === undefined
            ? this.#deliveries.list(no, { status, before, limit })
            : [this.#deliveries.find(no, seq)].filter((one) => one !== null);
        const fresh = status === undefined || status === "pending" ? this.#pendingOf(no, seq) : [];
        return [...kept, ...fresh]
          .filter((one) => one.seq < before && (status === undefined || one.status === status))
          .map((one) => toSeen(one, endpoint));
      });
      return found.sort((a, b) => b.seq - a.seq || b.no - a.no).slice(0, limit);
    }

    delivery(no: number, seq: number): SeenDelivery | null {
      const endpoint = this.#endpoints.byNo(no);
      if (endpoint === undefined) return null;
      const found = this.#deliveries.find(no, seq) ?? this.#pendingOf(no, seq)[0];
      return found === undefined ? null : toSeen(found, endpoint);
    }

    readEndpoints(): KeptEndpoint[] {
      return [...this.#endpoints.values()];
    }

    erase(): number {
      const count = [...this.#endpoints.values()].length;
      this.ctx.storage.transactionSync(() => {
        for (const table of [this.#endpoints, this.#deliveries, this.#batches, this.#notices]) table.erase();
      });
      this.#queue = new DeliveryQueue();
      this.#filters.clear();
      return count;
    }

    /** Deliver what is due. Never throws: after a few throws the platform drops an alarm. */
    override async alarm(): Promise<void> {
      this.#alarm.consume();
      const drained = await attempt(async () => {
        this.#disableFailing(clock.now());
        await this.#drain.run();
        await this.#tell();
        const now = clock.now();
        const more = this.#prune(now);
        const next = this.#nextAt(now);
        if (more) this.#alarm.arm(now + 1_000);
        else if (next !== null) this.#alarm.arm(Math.max(now, next));
        else if (this.#endpoints.size > 0) this.#alarm.arm(now + DAY_MS);
      });
      if (!drained.ok) this.#alarm.arm(clock.now() + LEASE_MS);
    }

    #load(): void {
      for (const endpoint of this.#endpoints.values()) this.#setLane(endpoint);
      const again = new Map(this.#deliveries.waiting().map((one) => [`${one.no} ${one.seq}`, one] as const));
      this.#batches.load((no, seq) => again.has(`${no} ${seq}`) || !this.#deliveries.has(no, seq));
      for (const { event, open } of this.#batches.values())
        for (const no of open) {
          const dueAt = again.get(`${no} ${event.seq}`)?.dueAt ?? event.at;
          this.#queue.add(no, { seq: event.seq, dueAt });
        }
    }

    #enter(): number {
      const now = clock.now();
      const next = this.#drain.active ? null : this.#nextAt(now);
      if (next !== null) this.#alarm.repair(now, () => next);
      return now;
    }

    #wake(dueAt: number): void {
      this.#drain.poke();
      // The drain that is under way takes it; but if that is cut off, an alarm has to come.
      this.#alarm.arm(this.#drain.active ? dueAt + LEASE_MS : dueAt);
    }

    #nextAt(now: number): number | null {
      const ends = Array.from(this.#endpoints.values(), disabledAt);
      const all = [this.#queue.nextAt(now), this.#notices.nextAt, ...ends].filter((at) => at !== null);
      return all.length === 0 ? null : Math.min(...all);
    }

    #write(endpoint: KeptEndpoint): void {
      this.#endpoints.write(endpoint);
      this.#setLane(endpoint);
      if (this.#queue.sizeOf(endpoint.no) > 0) this.#wake(clock.now());
    }

    #setLane(endpoint: KeptEndpoint): void {
      const { no, ordered, rateLimit, filter } = endpoint;
      this.#queue.set(no, { isActive: stateOf(endpoint) === "active", ordered, rateLimit });
      const parsed = filter === undefined ? null : parseCondition(filter);
      this.#filters.set(no, parsed?.ok === true ? parsed.value : null);
    }

    #filterOf({ no }: KeptEndpoint): Condition | null {
      return this.#filters.get(no) ?? null;
    }

    async #deliver(turn: Turn): Promise<void> {
      const { no, seq } = turn;
      const event = this.#batches.read(seq);
      const endpoint = this.#endpoints.byNo(no);
      if (event === null || endpoint === undefined) return this.#queue.drop(no);
      const { ports, configured } = deploymentOf(this.env);
      const message = { id: event.id, body: toBody(event) };
      const scope = { ports, trustedOrigins: configured.trustedOrigins, slots: this.#slots };
      const sent = await attempt(() => sendDelivery(endpoint, message, scope));
      this.#settle(turn, event, sent.ok ? sent.value : lostAt(clock.now()), ports.random());
    }

    #settle(turn: Turn, event: PublishedEvent, answer: AttemptAnswer, random: number): void {
      const { no, seq } = turn;
      const now = clock.now();
      const endpoint = this.#endpoints.byNo(no);
      // Deleted or erased meanwhile: its row is written already.
      if (endpoint === undefined || !this.#queue.has(turn)) return;
      const known = this.#deliveries.find(no, seq) ?? toFresh(turn, event);
      const failures = this.#queue.failuresOf(no);
      const settled = settleAttempt([known, endpoint], now, { answer, failures, random });
      const { health, slowMs } = settled;
      // Nothing waits for an endpoint that was disabled while the attempt was under way.
      const isOver = endpoint.disabled !== null && settled.delivery.dueAt !== null;
      const delivery = isOver
        ? { ...settled.delivery, status: "discarded" as const, dueAt: null }
        : settled.delivery;
      const { failingSince, failedLast, disabled } = health;
      this.ctx.storage.transactionSync(() => {
        this.#deliveries.write(delivery);
        this.#queue.end(turn, now, { failed: delivery.status !== "delivered", slowMs });
        if (delivery.dueAt === null) this.#batches.close(seq, no);
        else this.#queue.add(no, { seq, dueAt: delivery.dueAt });
        if (delivery.status === "failed" && !event.type.startsWith("volley."))
          this.#notices.add(toFailedNotice(delivery, endpoint, this.#shard));
        const isSame =
          failingSince === endpoint.failingSince &&
          failedLast === endpoint.failedLast &&
          disabled === endpoint.disabled;
        if (!isSame) this.#change({ ...endpoint, failingSince, failedLast, disabled });
      });
    }

    /** Write what has become of an endpoint's health. */
    #change(endpoint: KeptEndpoint): void {
      this.#endpoints.write(endpoint);
      this.#setLane(endpoint);
      if (endpoint.disabled === null) return;
      this.#discard(endpoint.no, this.#queue.clear(endpoint.no));
      this.#notices.add({
        id: `endpoint-disabled-${endpoint.no}-${endpoint.disabled.at}`,
        type: "volley.endpoint.disabled",
        about: endpoint.id,
        data: JSON.stringify({
          endpoint: endpoint.id,
          ...(endpoint.customer !== undefined && { customer: endpoint.customer }),
          because: endpoint.disabled.because,
          failing_since:
            endpoint.failingSince === null ? null : new Date(endpoint.failingSince).toISOString(),
        }),
      });
    }

    #disableFailing(now: number): void {
      for (const endpoint of this.#endpoints.values()) {
        const at = disabledAt(endpoint);
        if (at !== null && at <= now)
          this.#change({ ...endpoint, disabled: { at: now, because: "failing" } });
      }
    }

    /** End deliveries that waited for an endpoint. */
    #discard(no: number, seqs: readonly number[]): void {
      for (const seq of seqs) {
        const batch = this.#batches.get(seq);
        if (batch === undefined) continue;
        const known = this.#deliveries.find(no, seq) ?? toFresh({ no, seq }, { ...batch.event, data: "" });
        this.#deliveries.write({ ...known, status: "discarded", dueAt: null });
        this.#batches.close(seq, no);
      }
    }

    /** Too much waits for an endpoint already. */
    #refuse(no: number, event: PublishedEvent, now: number): void {
      const fresh = toFresh({ no, seq: event.seq }, event);
      const attempts = [{ at: now, durationMs: 0, code: "BACKLOG_FULL" }];
      this.#deliveries.write({ ...fresh, status: "failed", dueAt: null, attempts });
      this.#batches.close(event.seq, no);
    }

    /** The deliveries that have no row yet, because their first attempt is not over. */
    #pendingOf(no: number, only: number | undefined): Delivery[] {
      const seqs =
        only === undefined ? this.#queue.open(no) : this.#queue.has({ no, seq: only }) ? [only] : [];
      return seqs.flatMap((seq) => {
        const batch = this.#batches.get(seq);
        return batch === undefined || this.#deliveries.has(no, seq)
          ? []
          : [toFresh({ no, seq }, { ...batch.event, data: "" })];
      });
    }

    /** Publish what the tenant is to be told of, until it is recorded. */
    async #tell(): Promise<void> {
      for (const notice of this.#notices.due(clock.now())) {
        const told = await attempt(() =>
          openDirectoryOf(this.ctx.id, this.env).publish({ ...notice, customer: null }),
        );
        if (told.ok) this.#notices.remove(notice.id);
        else this.#notices.putOff(clock.now());
      }
    }

    #prune(now: number): boolean {
      this.#batches.prune(LIMITS.eventsPruned);
      if (now - this.#prunedAt < DAY_MS) return false;
      const before = now - LIMITS.eventRetentionMs;
      let more = false;
      for (const { no } of this.#endpoints.all())
        more = this.#deliveries.prune(no, before, LIMITS.eventsPruned) || more;
      this.#endpoints.prune(before);
      if (!more) this.#prunedAt = now;
      return more;
    }
  };
}

function toFresh({ no, seq }: Turn, { id, type, at, run }: PublishedEvent): Delivery {
  const fresh = { no, seq, eventId: id, type, tries: 0, dueAt: at, createdAt: at, attempts: [] };
  return { ...fresh, status: "pending", ...(run !== undefined && { run }) };
}

function toSeen(delivery: Delivery, { id, customer }: KeptEndpoint): SeenDelivery {
  return { ...delivery, endpoint: id, customer: customer ?? null };
}

function lostAt(at: number): AttemptAnswer {
  return { attempt: { at, durationMs: 0, code: "INTERNAL" }, retryAfterMs: null, wantsNoMore: false };
}

function toFailedNotice(
  { no, seq, eventId, type, attempts }: Delivery,
  endpoint: KeptEndpoint,
  shard: number,
) {
  const { status, code } = attempts.at(-1)!;
  return {
    id: `delivery-failed-${toDeliveryId({ shard, no, seq })}-${attempts.at(-1)!.at}`,
    type: "volley.delivery.failed",
    about: endpoint.id,
    data: JSON.stringify({
      delivery_id: toDeliveryId({ shard, no, seq }),
      endpoint: endpoint.id,
      ...(endpoint.customer !== undefined && { customer: endpoint.customer }),
      event_id: eventId,
      event_type: type,
      ...(status !== undefined && { status }),
      ...(code !== undefined && { code }),
    }),
  };
}
