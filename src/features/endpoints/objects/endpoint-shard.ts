import { DurableObject, type ObjectClass, systemClock } from "../../../feature/object.ts";
import { readRunOptions } from "../../../cloudflare/configuration.ts";
import { JobDrain } from "../../../cloudflare/durable/drain-jobs.ts";
import { GateAlarm } from "../../../cloudflare/durable/gate-alarm.ts";
import type { ObjectOptions } from "../../../cloudflare/feature.ts";
import { vaultOf } from "../../../cloudflare/vault.ts";
import { attempt } from "../../../feature/refuse.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { type TakenRows, takeRows } from "../../../feature/kit.ts";
import type { DeliveryStatus, PublishedEvent } from "../delivery.ts";
import { type EndpointState, type KeptEndpoint, rotateSecrets, stateOf } from "../endpoint.ts";
import * as LIMITS from "../limits.ts";
import { fitsPattern, isToldOf } from "../match-event.ts";
import { Deliverer, LEASE_MS } from "./deliverer.ts";
import { changeEndpoint } from "./endpoint-table.ts";
import { openDirectoryOf, tenantOf } from "./endpoint-objects.ts";
import { findDeliveries, toSeen } from "./find-deliveries.ts";
import { resealSecrets, SecretBox } from "./secret-box.ts";
import { ShardStore } from "./shard-store.ts";
import { disabledAt } from "../settle-attempt.ts";
import type {
  DeliveryQuery,
  EndpointPut,
  EndpointShardMethods,
  Explained,
  Pruned,
  PutAnswer,
  RecoverQuery,
  ResealedSecrets,
  SeenDelivery,
  SeenEndpoint,
} from "../endpoint-shard-methods.ts";

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
    readonly #store: ShardStore;
    readonly #deliverer: Deliverer;
    readonly #drain: JobDrain;
    #alarm!: GateAlarm;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      const { headerSlots } = readRunOptions(env, []);
      const places = Math.min(headerSlots, LIMITS.deliveriesAtOnce);
      this.#store = new ShardStore(ctx.storage, places);
      this.#deliverer = new Deliverer(this.#store, {
        clock,
        deployment: () => deploymentOf(env),
        box: () => this.#box,
        slots: new Semaphore(headerSlots),
        tenant: tenantOf(ctx.id),
        shard: Number(/(\d+)$/.exec(ctx.id.name ?? "")?.[1] ?? 0),
      });
      this.#drain = new JobDrain(
        {
          clock,
          claim: (now) => this.#deliverer.claim(now),
          nextDue: (now) => this.#store.queue.nextAt(now),
        },
        { concurrency: places, claimForMs: CLAIM_FOR_MS, claims: LIMITS.workPerAlarm, leaves: true },
      );
      void ctx.blockConcurrencyWhile(async () => {
        const alarmAt = await ctx.storage.getAlarm();
        this.#alarm = new GateAlarm(ctx.storage, alarmAt, LEASE_MS);
        const next = this.#nextAt(clock.now());
        if (alarmAt !== null && next !== null) this.#alarm.arm(next);
      });
    }

    put(asked: EndpointPut): PutAnswer {
      const now = this.#enter();
      const known = this.#store.endpoints.find(asked.id);
      if (asked.seen !== undefined && known?.updatedAt !== asked.seen) return null;
      // A kill came between its deletion here and in the directory.
      if (known === null && this.#store.endpoints.name(asked.no) !== undefined) return "used";
      const { deliveries, queue } = this.#store;
      const { no } = known ?? asked;
      const last = Math.max(deliveries.latest().get(no) ?? -1, ...queue.open(no));
      const endpoint = changeEndpoint(known, asked, now, last + 1);
      this.#write(endpoint);
      return { created: known === null, endpoint };
    }

    get(id: string): SeenEndpoint | null {
      const now = this.#enter();
      const { endpoints, days, queue } = this.#store;
      const endpoint = endpoints.find(id);
      if (endpoint === null) return null;
      const { no } = endpoint;
      return { endpoint, day: days.read(no, now, queue.sizeOf(no)) };
    }

    list(ids: readonly string[], state: EndpointState | null): TakenRows<KeptEndpoint> {
      const found = ids.flatMap((id) => this.#store.endpoints.find(id) ?? []);
      const fitting = state === null ? found : found.filter((endpoint) => stateOf(endpoint) === state);
      return takeRows(fitting, { limit: ids.length, characters: LIMITS.pageBytes });
    }

    rotate(id: string, secret: string, overlapMs: number): KeptEndpoint | null {
      const now = this.#enter();
      const known = this.#store.endpoints.find(id);
      if (known === null) return null;
      const secrets = rotateSecrets(known, now, { secret, overlapMs, most: LIMITS.endpointSecrets });
      const endpoint = { ...known, secrets, updatedAt: Math.max(now, known.updatedAt + 1) };
      this.#write(endpoint);
      return endpoint;
    }

    remove(id: string): boolean {
      const now = this.#enter();
      const known = this.#store.endpoints.find(id);
      if (known === null) return false;
      this.#store.remove(known, now);
      return true;
    }

    accept(event: PublishedEvent, isRepeated: boolean): number {
      const now = this.#enter();
      const { endpoints, deliveries, batches } = this.#store;
      const known = batches.get(event.seq);
      if (known !== undefined) return known.nos.size;
      const mismatchOf = this.#store.mismatchOf(event);
      const before: number[] = [];
      const matched: number[] = [];
      for (const endpoint of endpoints.values()) {
        const { no } = endpoint;
        if (isRepeated && deliveries.has(no, event.seq)) before.push(no);
        // It may be that the first publishing found it otherwise.
        if (isRepeated && endpoint.updatedAt >= event.at) continue;
        if (mismatchOf(endpoint) === null) matched.push(no);
      }
      if (before.length > 0) return before.length;
      if (matched.length === 0) return 0;
      this.#store.take(event, matched, now);
      this.#wake(now);
      return matched.length;
    }

    explain(event: PublishedEvent): Explained[] {
      const mismatchOf = this.#store.mismatchOf(event);
      return Array.from(this.#store.endpoints.values(), (endpoint) => ({
        endpoint: endpoint.id,
        mismatch: mismatchOf(endpoint),
      }));
    }

    reach(events: readonly PublishedEvent[]): { deliveries: number; endpoints: string[] } {
      const mismatches = events.map((event) => this.#store.mismatchOf(event));
      const endpoints: string[] = [];
      let deliveries = 0;
      for (const endpoint of this.#store.endpoints.values()) {
        const count = mismatches.filter((mismatchOf) => mismatchOf(endpoint) === null).length;
        deliveries += count;
        if (count > 0) endpoints.push(endpoint.id);
      }
      return { deliveries, endpoints };
    }

    reopen(id: string, events: readonly PublishedEvent[]): number {
      const now = this.#enter();
      const endpoint = this.#store.endpoints.find(id);
      if (endpoint === null || stateOf(endpoint) !== "active") return 0;
      const count = this.#store.reopen(endpoint, events, now);
      this.#wake(now);
      return count;
    }

    missed(id: string, query: RecoverQuery): number[] {
      const endpoint = this.#store.endpoints.find(id);
      return endpoint === null ? [] : this.#store.deliveries.missed(endpoint.no, query);
    }

    unoffered(id: string, events: readonly PublishedEvent[]): number[] {
      const { endpoints, deliveries, queue } = this.#store;
      const endpoint = endpoints.find(id);
      if (endpoint === null) return [];
      const { no } = endpoint;
      const wanted = events.filter((event) => {
        if (deliveries.has(no, event.seq) || queue.has({ no, seq: event.seq })) return false;
        return this.#store.mismatchOf(event)(endpoint) === null;
      });
      return wanted.map(({ seq }) => seq);
    }

    asked(types: readonly string[]): string[] {
      const told = [...this.#store.endpoints.values()].filter(isToldOf);
      return types.filter((type) =>
        told.some(({ events }) => events.some((pattern) => fitsPattern(pattern, type))),
      );
    }

    deliveries(query: DeliveryQuery): TakenRows<SeenDelivery> {
      return findDeliveries(this.#store, query, clock.now());
    }

    statuses(seq: number): DeliveryStatus[] {
      const { endpoints, deliveries, queue } = this.#store;
      const latest = deliveries.latest();
      const some = [...endpoints.named()].filter(
        ({ no }) => (latest.get(no) ?? -1) >= seq || queue.has({ no, seq }),
      );
      return some.flatMap(({ no }) => this.#store.find({ no, seq })?.status ?? []);
    }

    delivery(no: number, seq: number): SeenDelivery | null {
      const { endpoints, queue } = this.#store;
      const endpoint = endpoints.name(no);
      if (endpoint === undefined) return null;
      const found = this.#store.find({ no, seq });
      return found === null ? null : toSeen(found, endpoint, { queue, nowMs: clock.now() });
    }

    readEndpoints(): KeptEndpoint[] {
      return [...this.#store.endpoints.values()];
    }

    reseal(): Promise<ResealedSecrets> {
      return resealSecrets(this.#store, this.#box, clock.now());
    }

    prune(): Pruned {
      return this.#store.prune(clock.now() - LIMITS.eventRetentionMs);
    }

    erase(): number {
      const count = [...this.#store.endpoints.values()].length;
      this.#store.erase();
      return count;
    }

    /** Deliver what is due. Never throws: after a few throws the platform drops an alarm. */
    override async alarm(): Promise<void> {
      this.#alarm.consume();
      const drained = await attempt(async () => {
        this.#deliverer.disableFailing(clock.now());
        await this.#drain.run();
        await this.#tell();
        const now = clock.now();
        this.#store.batches.prune(LIMITS.eventsPruned);
        // Calls that are under way hold places, and their ends wake nothing but a drain.
        const next = this.#drain.isLeft ? now : this.#nextAt(now);
        if (next !== null) this.#alarm.arm(Math.max(now, next));
      });
      if (!drained.ok) this.#alarm.arm(clock.now() + LEASE_MS);
    }

    get #box(): SecretBox {
      return new SecretBox(vaultOf(deploymentOf(this.env).configured), tenantOf(this.ctx.id));
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
      const { endpoints, queue, notices } = this.#store;
      const ends = Array.from(endpoints.values(), disabledAt);
      const all = [queue.nextAt(now), notices.nextAt, ...ends].filter((at) => at !== null);
      return all.length === 0 ? null : Math.min(...all);
    }

    #write(endpoint: KeptEndpoint): void {
      this.#store.write(endpoint);
      if (this.#store.queue.sizeOf(endpoint.no) > 0) this.#wake(clock.now());
    }

    /** Publish what the tenant is to be told of, until it is recorded. */
    async #tell(): Promise<void> {
      await this.#store.notices.tell(clock.now(), async (notices) => {
        const told = await attempt(() =>
          openDirectoryOf({ id: this.ctx.id, env: this.env, clock }).tell(notices),
        );
        return told.ok;
      });
    }
  };
}
