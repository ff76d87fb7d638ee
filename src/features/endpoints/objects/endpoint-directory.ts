import type { Publishing } from "../../../core/contract/gate/publishing.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { ObjectOptions } from "../../../core/edge/feature.ts";
import { callBounded } from "../../../core/edge/gate-client/call-bounded.ts";
import { DurableObject } from "../../../core/edge/platform/durable-object.ts";
import type { ObjectClass } from "../../../core/edge/platform/object-class.ts";
import { systemClock } from "../../../core/edge/platform/system-ports.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import { findMisfit } from "../check-event.ts";
import { DELIVERY_STATUSES, parseDeliveryId, type PublishedEvent } from "../delivery.ts";
import type {
  DeliveryList,
  DirectoryMethods,
  EndpointAsked,
  EndpointList,
  EventQuery,
  EventType,
  ExplainAnswer,
  FoundDelivery,
  KeepRefusal,
  KeptEvent,
  PortalLink,
  PublishAnswer,
  Rotation,
  StatusCounts,
} from "../directory-methods.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import type { RecoverQuery, SeenEndpoint } from "../shard-methods.ts";
import { EndpointIndex, type IndexedEndpoint } from "./endpoint-index.ts";
import { openShardOf, type Shard } from "./endpoint-objects.ts";
import { EventLog } from "./event-log.ts";
import { EventTypes } from "./event-types.ts";
import { PortalLinks } from "./portal-links.ts";

/** Bytes of events that go to an object in one call. */
const CHUNK = 1024 * 1024;
/** Pages of endpoints that are looked through for one page of those in a state. */
const PAGES_LOOKED = 20;

/** Make the Durable Object class that knows where a tenant's endpoints are, and keeps its events. */
export function createEndpointDirectory({
  clock = systemClock,
  deploymentOf,
}: ObjectOptions): ObjectClass<DirectoryMethods> {
  /**
   * A tenant's directory. An event is recorded here first, and then taken by each object that has an endpoint it may be for, so it
   * costs one call for each of those at most. An event that was published again is offered again: an object that has it already does
   * not take it twice, and one that was not reached the first time does.
   */
  return class EndpointDirectory extends DurableObject<Record<string, unknown>> implements DirectoryMethods {
    readonly #index: EndpointIndex;
    readonly #log: EventLog;
    readonly #types: EventTypes;
    readonly #links: PortalLinks;
    /** One stub for each object: calls through one arrive in the order in which they were made. */
    readonly #shards = new Map<number, Shard>();

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      const { sql } = ctx.storage;
      this.#index = new EndpointIndex(sql);
      this.#log = new EventLog(sql);
      this.#types = new EventTypes(sql);
      this.#links = new PortalLinks(sql);
    }

    async publish(asked: Publishing): Promise<PublishAnswer> {
      const misfit = await findMisfit(this.#types.find(asked.type), asked.data);
      if (misfit !== null) return err(misfit);
      const now = clock.now();
      this.#log.prune(now);
      const recorded = this.#log.record(asked, now, deploymentOf(this.env).ports.newId());
      if (recorded.kind === "conflict") return err({ kind: "conflict" });
      const { event, kind } = recorded;
      const counts = await Promise.all(
        this.#shardsFor(event).map((shard) =>
          this.#call(shard, (stub) => stub.accept(event, kind === "again")),
        ),
      );
      const endpoints = counts.reduce((sum, count) => sum + count, 0);
      return ok({ eventId: event.id, endpoints });
    }

    async explain({ type, customer, data }: Publishing): Promise<ExplainAnswer> {
      const misfit = await findMisfit(this.#types.find(type), data);
      if (misfit !== null) return err(misfit);
      const event = { seq: 0, id: "", at: clock.now(), type, customer, data };
      const all = await Promise.all(
        this.#index.shardsOf(null).map((shard) => this.#call(shard, (stub) => stub.explain(event))),
      );
      const explained = all.flat();
      const endpoints = explained.filter(({ mismatch }) => mismatch === null).length;
      explained.sort((a, b) => Number(b.mismatch === null) - Number(a.mismatch === null));
      return ok({ endpoints, explained: explained.slice(0, LIMITS.endpointsExplained) });
    }

    async put(
      { id, settings, secret, enables, seen }: EndpointAsked,
      customer?: string,
    ): Promise<Result<{ created: boolean; endpoint: KeptEndpoint }, KeepRefusal>> {
      let known = this.#index.find(id);
      if (known !== null && !isOf(known, customer)) return err("other-customer");
      if (known === null && this.#index.size >= LIMITS.endpoints) return err("too-many");
      known ??= this.#index.add(id, settings.customer ?? null);
      const { no, shard } = known;
      const asked = { id, no, settings, secret, enables, ...(seen !== undefined && { seen }) };
      const put = await this.#call(shard, (stub) => stub.put(asked));
      if (put === null) return err("changed");
      const now = this.#index.find(id);
      if (now !== null) this.#index.assign(now, settings.customer ?? null);
      return ok(put);
    }

    async get(id: string, customer?: string): Promise<SeenEndpoint | null> {
      const known = this.#find(id, customer);
      return known === null ? null : this.#call(known.shard, (stub) => stub.get(id));
    }

    async list({
      customer,
      state,
      before,
      limit,
    }: EndpointList): Promise<{ endpoints: KeptEndpoint[]; next: number | null }> {
      const endpoints: KeptEndpoint[] = [];
      let from = before;
      for (let page = 0; page < PAGES_LOOKED; page += 1) {
        const indexed = this.#index.page({ customer, before: from, limit });
        const found = await this.#readAll(indexed, state ?? null);
        for (const endpoint of found) {
          endpoints.push(endpoint);
          from = endpoint.no;
          if (endpoints.length === limit)
            return {
              endpoints,
              next: this.#index.page({ customer, before: from, limit: 1 }).length > 0 ? from : null,
            };
        }
        if (indexed.length < limit) return { endpoints, next: null };
        from = indexed.at(-1)!.no;
      }
      return { endpoints, next: from };
    }

    async rotate({ id, secret, overlapMs, customer }: Rotation): Promise<KeptEndpoint | null> {
      const known = this.#find(id, customer);
      return known === null ? null : this.#call(known.shard, (stub) => stub.rotate(id, secret, overlapMs));
    }

    async remove(id: string, customer?: string): Promise<boolean> {
      const known = this.#find(id, customer);
      if (known === null) return false;
      const removed = await this.#call(known.shard, (stub) => stub.remove(id));
      if (this.#index.find(id)?.no === known.no) this.#index.remove(known);
      return removed;
    }

    async recover(id: string, query: RecoverQuery, customer?: string): Promise<number | null> {
      const known = this.#find(id, customer);
      if (known === null) return null;
      const { shard } = known;
      const missed = await this.#call(shard, (stub) => stub.missed(id, query));
      const events = this.#log.at(missed);
      if (query.all) events.push(...(await this.#neverTried(known, query, new Set(missed))));
      events.sort((a, b) => a.seq - b.seq);
      return this.#reopen(known, events.slice(0, LIMITS.eventsRecovered));
    }

    async event(id: string): Promise<{ event: KeptEvent; counts: StatusCounts } | null> {
      const event = this.#log.find(id);
      if (event === null) return null;
      const counts: Record<string, number> = Object.fromEntries(
        DELIVERY_STATUSES.map((status) => [status, 0]),
      );
      const limit = LIMITS.endpoints;
      for (const { status } of await this.#deliveriesIn(this.#allShards(), {
        seq: event.seq,
        after: null,
        limit,
      }))
        counts[status]! += 1;
      return { event, counts: counts as StatusCounts };
    }

    events(query: EventQuery): KeptEvent[] {
      return this.#log.list(query);
    }

    async deliveries({
      endpoint,
      event,
      status,
      customer,
      after,
      limit,
    }: DeliveryList): Promise<FoundDelivery[]> {
      const seq = event === undefined ? undefined : this.#log.find(event)?.seq;
      if (event !== undefined && seq === undefined) return [];
      const asked = {
        ...(seq !== undefined && { seq }),
        ...(status !== undefined && { status }),
        after,
        limit,
      };
      if (endpoint !== undefined) {
        const known = this.#find(endpoint, customer);
        // One that was deleted lies somewhere.
        if (known === null && customer !== undefined) return [];
        const shards = known === null ? this.#allShards() : [known.shard];
        return this.#deliveriesIn(shards, { ...asked, endpoints: [endpoint] });
      }
      if (customer === undefined) return this.#deliveriesIn(this.#allShards(), asked);
      const own = [...this.#index.values()].filter((one) => one.customer === customer);
      const endpoints = own.map(({ id }) => id);
      return this.#deliveriesIn(this.#index.shardsOf(customer), { ...asked, endpoints });
    }

    async delivery(id: string, customer?: string): Promise<FoundDelivery | null> {
      const place = parseDeliveryId(id);
      if (place === null) return null;
      const { shard, no, seq } = place;
      const found = await this.#call(shard, (stub) => stub.delivery(no, seq));
      return found === null || (customer !== undefined && found.customer !== customer)
        ? null
        : { ...found, shard };
    }

    async resend(id: string, customer?: string): Promise<boolean | null> {
      const found = await this.delivery(id, customer);
      if (found === null) return null;
      const known = this.#index.find(found.endpoint);
      // A later endpoint of the same id is another one.
      if (known?.no !== found.no) return false;
      return (await this.#reopen(known, this.#log.at([found.seq]))) > 0;
    }

    putType(type: Omit<EventType, "updatedAt">): "created" | "replaced" | "too-many" {
      return this.#types.put({ ...type, updatedAt: clock.now() });
    }

    type(name: string): EventType | null {
      return this.#types.find(name);
    }

    types(): EventType[] {
      return this.#types.all();
    }

    deleteType(name: string): boolean {
      return this.#types.delete(name);
    }

    putLink(link: PortalLink): boolean {
      return this.#links.put(link, clock.now());
    }

    link(hash: string): PortalLink | null {
      return this.#links.find(hash, clock.now());
    }

    deleteLinks(customer: string): number {
      return this.#links.deleteOf(customer);
    }

    async read(after: number, bytes: number): Promise<{ events: readonly KeptEvent[]; next: number | null }> {
      return this.#log.read(after, bytes);
    }

    async readEndpoints(): Promise<KeptEndpoint[]> {
      const all = await Promise.all(
        this.#allShards().map((shard) => this.#call(shard, (stub) => stub.readEndpoints())),
      );
      return all.flat().sort((a, b) => a.no - b.no);
    }

    async erase(): Promise<number> {
      const counts = await Promise.all(
        this.#allShards().map((shard) => this.#call(shard, (stub) => stub.erase())),
      );
      for (const kept of [this.#index, this.#log, this.#types, this.#links]) kept.erase();
      return counts.reduce((sum, count) => sum + count, 0);
    }

    /** The objects that may have an endpoint which an event is for. */
    #shardsFor({ customer, only }: PublishedEvent): number[] {
      const known = only === undefined ? null : this.#index.find(only);
      return known === null ? this.#index.shardsOf(customer) : [known.shard];
    }

    #find(id: string, customer: string | undefined): IndexedEndpoint | null {
      const known = this.#index.find(id);
      return known !== null && isOf(known, customer) ? known : null;
    }

    async #readAll(
      indexed: readonly IndexedEndpoint[],
      state: EndpointList["state"] | null,
    ): Promise<KeptEndpoint[]> {
      const groups = [...Map.groupBy(indexed, ({ shard }) => shard)];
      const all = await Promise.all(
        groups.map(([shard, of]) => {
          const ids = of.map(({ id }) => id);
          return this.#call(shard, (stub) => stub.list(ids, state ?? null));
        }),
      );
      return all.flat().sort((a, b) => b.no - a.no);
    }

    /** The events of a time that an endpoint was never offered, because it got nothing then. */
    async #neverTried(
      { id, shard }: IndexedEndpoint,
      { since, until }: RecoverQuery,
      missed: ReadonlySet<number>,
    ): Promise<PublishedEvent[]> {
      const found: PublishedEvent[] = [];
      let after = 0;
      for (let looked = 0; looked < PAGES_LOOKED && found.length < LIMITS.eventsRecovered; looked += 1) {
        const events = this.#log
          .between(since, until, { after, limit: LIMITS.eventsPruned })
          .filter((event) => event.only === undefined);
        if (events.length === 0) break;
        after = events.at(-1)!.seq;
        const fresh = events.filter(({ seq }) => !missed.has(seq));
        for (const chunk of inChunks(fresh)) {
          const seqs = new Set(await this.#call(shard, (stub) => stub.unoffered(id, chunk)));
          found.push(...chunk.filter(({ seq }) => seqs.has(seq)));
        }
      }
      return found;
    }

    async #reopen({ id, shard }: IndexedEndpoint, events: readonly PublishedEvent[]): Promise<number> {
      let count = 0;
      for (const chunk of inChunks(events))
        count += await this.#call(shard, (stub) => stub.reopen(id, chunk));
      return count;
    }

    async #deliveriesIn(
      shards: readonly number[],
      query: Parameters<Shard["deliveries"]>[0],
    ): Promise<FoundDelivery[]> {
      const all = await Promise.all(
        shards.map(async (shard) => {
          const found = await this.#call(shard, (stub) => stub.deliveries(query));
          return found.map((one) => ({ ...one, shard }));
        }),
      );
      return all
        .flat()
        .sort((a, b) => b.seq - a.seq || b.no - a.no)
        .slice(0, query.limit);
    }

    #allShards(): number[] {
      return Array.from({ length: LIMITS.endpointShards }, (_, shard) => shard);
    }

    /** Call one of the objects that deliver. A stub that failed stays broken, so the next call takes another. */
    #call<T>(shard: number, send: (stub: Shard) => Promise<T>): Promise<T> {
      const call = async (): Promise<T> => {
        const stub = this.#shards.get(shard) ?? openShardOf(this.ctx.id, this.env, shard);
        this.#shards.set(shard, stub);
        const sent = await attempt(() => send(stub));
        if (sent.ok) return sent.value;
        this.#shards.delete(shard);
        throw sent.error;
      };
      return callBounded(call, { clock, timeoutMs: LIMITS.gateTimeoutMs });
    }
  };
}

function isOf({ customer }: IndexedEndpoint, only: string | undefined): boolean {
  return only === undefined || customer === only;
}

/** Part events into groups that a call has room for. */
function inChunks(events: readonly PublishedEvent[]): PublishedEvent[][] {
  const chunks: PublishedEvent[][] = [];
  let held = CHUNK;
  for (const event of events) {
    held += event.data.length;
    if (held > CHUNK) {
      chunks.push([]);
      held = event.data.length;
    }
    chunks.at(-1)!.push(event);
  }
  return chunks;
}
