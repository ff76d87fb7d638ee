import { DurableObject, type ObjectClass, refuseErased, systemClock } from "../../../feature/object.ts";
import { GateAlarm } from "../../../cloudflare/durable/gate-alarm.ts";
import type { ObjectOptions } from "../../../cloudflare/feature.ts";
import type { Notice } from "../../../feature/gives.ts";
import type { Publishing } from "../publishing.ts";
import { attempt, err, ok, type Result } from "../../../feature/refuse.ts";
import { findMisfit } from "../check-event.ts";
import { DELIVERY_STATUSES, type DeliveryStatus, parseDeliveryId, type PublishedEvent } from "../delivery.ts";
import type {
  CustomerHands,
  DeliveryList,
  DeliveryPage,
  DirectoryMethods,
  EndpointAsked,
  EndpointList,
  EventBatch,
  EventPage,
  EventQuery,
  EventType,
  ExplainAnswer,
  FollowAnswer,
  FollowQuery,
  FoundDelivery,
  KeepRefusal,
  KeptEvent,
  PortalLink,
  PublishAnswer,
  Reach,
  Rotation,
  StatusCounts,
  TypePage,
  TypeQuery,
} from "../directory-methods.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import * as LIMITS from "../limits.ts";
import { EndpointChanges } from "./endpoint-changes.ts";
import { EndpointIndex, type IndexedEndpoint } from "./endpoint-index.ts";
import { openShardOf, ALL_SHARDS, ShardCalls } from "./endpoint-objects.ts";
import { EventLog, EventStreams } from "./event-log.ts";
import { EventTypes } from "./event-type-table.ts";
import { listDeliveries, listEndpoints } from "./list-from-shards.ts";
import { PortalLinks } from "./portal-link-table.ts";
import { recover, resend } from "./recovery.ts";
import type { Put, RecoverQuery, ResealedSecrets, SeenEndpoint } from "../endpoint-shard-methods.ts";

const DAY_MS = 86_400_000;
/** Between two slices of forgetting. */
const SLICE_MS = 1_000;

/** Make the Durable Object class that knows where a tenant's endpoints are, and keeps its events. */
export function createEndpointDirectory({
  clock = systemClock,
  deploymentOf,
}: ObjectOptions): ObjectClass<DirectoryMethods> {
  /**
   * A tenant's directory. An event is recorded here first, and then taken by each object that has an endpoint it may be for, so it
   * costs one call for each of those at most. An event that was published again is offered again: an object that has it already does
   * not take it twice, and one that was not reached the first time does.
   *
   * Once a day its alarm forgets what is too old, here and in the objects that deliver, so that those need no alarm for it.
   */
  class EndpointDirectory extends DurableObject<Record<string, unknown>> implements DirectoryMethods {
    readonly #index: EndpointIndex;
    readonly #log: EventLog;
    readonly #types: EventTypes;
    readonly #links: PortalLinks;
    readonly #shards: ShardCalls;
    readonly #changes: EndpointChanges;
    readonly #streams = new EventStreams();
    #alarm!: GateAlarm;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      const { sql } = ctx.storage;
      this.#index = new EndpointIndex(sql);
      this.#log = new EventLog(sql);
      this.#types = new EventTypes(sql);
      this.#links = new PortalLinks(sql);
      this.#shards = new ShardCalls((shard) => openShardOf({ id: ctx.id, env, clock }, shard));
      this.#changes = new EndpointChanges(this.#index, this.#shards);
      void ctx.blockConcurrencyWhile(async () => {
        this.#alarm = new GateAlarm(ctx.storage, await ctx.storage.getAlarm(), DAY_MS);
      });
    }

    async publish(asked: Publishing): Promise<PublishAnswer> {
      const misfit = await findMisfit(this.#types.find(asked.type), asked.data);
      return misfit === null ? this.#publish(asked) : err(misfit);
    }

    async publishAll(
      asked: readonly Publishing[],
      batch: EventBatch | null,
    ): Promise<readonly PublishAnswer[] | null> {
      if (batch !== null && !this.#log.keepBatch(batch, clock.now())) return null;
      this.#alarm.arm(clock.now() + DAY_MS);
      const misfits = await Promise.all(
        asked.map(({ type, data }) => findMisfit(this.#types.find(type), data)),
      );
      // All are recorded before any is sent on, so they stand in their order, in the log and in each object.
      return Promise.all(
        asked.map(async (one, at) => {
          const misfit = misfits[at]!;
          const key = batch === null || one.id !== undefined ? {} : { key: `batch ${batch.key} ${at}` };
          return misfit === null ? this.#publish({ ...one, ...key }) : err(misfit);
        }),
      );
    }

    async tell(notices: readonly Notice[]): Promise<void> {
      const types = [...new Set(notices.map(({ type }) => type))];
      const asked = await this.#shards.callEach(this.#index.shardsOf(null), (stub) => stub.asked(types));
      const wanted = new Set(asked.flat());
      for (const notice of notices)
        if (wanted.has(notice.type)) await this.#publish({ ...notice, customer: null });
    }

    async explain({ type, customer, data }: Publishing): Promise<ExplainAnswer> {
      const misfit = await findMisfit(this.#types.find(type), data);
      if (misfit !== null) return err(misfit);
      const event = toEvent({ type, customer, data }, clock.now());
      const all = await this.#shards.callEach(this.#index.shardsOf(null), (stub) => stub.explain(event));
      const explained = all.flat();
      const endpoints = explained.filter(({ mismatch }) => mismatch === null).length;
      explained.sort((a, b) => Number(b.mismatch === null) - Number(a.mismatch === null));
      return ok({ endpoints, explained: explained.slice(0, LIMITS.endpointsExplained) });
    }

    async reach(asked: readonly Publishing[]): Promise<Reach> {
      const events = asked.map((one) => toEvent(one, clock.now()));
      const all = await this.#shards.callEach(this.#index.shardsOf(null), (stub) => stub.reach(events));
      const customers = all
        .flatMap(({ endpoints }) => endpoints)
        .map((id) => this.#index.find(id)?.customer ?? null);
      const named = customers.filter((customer) => customer !== null);
      return {
        deliveries: all.reduce((sum, { deliveries }) => sum + deliveries, 0),
        endpoints: customers.length,
        customers: new Set(named).size,
        own: customers.length - named.length,
      };
    }

    async put(asked: EndpointAsked, by?: CustomerHands): Promise<Result<Put, KeepRefusal>> {
      if (by !== undefined && !asked.isNew && (await this.#find(asked.id, by.customer)) === null)
        return err("unknown");
      return this.#changes.put(asked, by);
    }

    async get(id: string, customer?: string): Promise<SeenEndpoint | null> {
      const known = this.#index.find(id);
      if (known === null || (customer !== undefined && known.customer !== customer)) return null;
      const seen = await this.#shards.of(known.shard).get(id);
      if (seen === null) return null;
      // A change of whose it is may have been cut off before it was known here: the object that delivers to it says.
      const now = this.#index.find(id);
      if (now?.no === seen.endpoint.no) this.#index.assign(now, seen.endpoint.customer ?? null);
      return customer === undefined || seen.endpoint.customer === customer ? seen : null;
    }

    async list(query: EndpointList): Promise<{ endpoints: KeptEndpoint[]; next: number | null }> {
      return listEndpoints(query, { index: this.#index, shards: this.#shards });
    }

    async rotate({ id, secret, overlapMs, customer }: Rotation): Promise<KeptEndpoint | null> {
      const known = await this.#find(id, customer);
      if (known === null) return null;
      return this.#shards.of(known.shard).rotate(id, secret, overlapMs);
    }

    async remove(id: string, customer?: string): Promise<boolean> {
      if (customer !== undefined && (await this.#find(id, customer)) === null) return false;
      const removed = await this.#changes.remove(id, customer);
      if (removed) this.#alarm.arm(clock.now() + DAY_MS);
      return removed;
    }

    async recover(id: string, query: RecoverQuery, customer?: string): Promise<number | null> {
      const known = await this.#find(id, customer);
      return known === null ? null : recover(known, query, { log: this.#log, shards: this.#shards });
    }

    async event(id: string): Promise<{ event: KeptEvent; counts: StatusCounts } | null> {
      const event = this.#log.find(id);
      if (event === null) return null;
      const all = await this.#shards.callEach(ALL_SHARDS, (stub) => stub.statuses(event.seq));
      const count = (status: DeliveryStatus): number => all.flat().filter((one) => one === status).length;
      const counts = Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, count(status)]));
      return { event, counts: counts as StatusCounts };
    }

    follow(query: FollowQuery): FollowAnswer | null {
      return this.#streams.hear(query.stream, clock.now()) ? this.#log.follow(query) : null;
    }

    unfollow(stream: string): void {
      this.#streams.leave(stream);
    }

    events(query: EventQuery): EventPage {
      return this.#log.list(query);
    }

    async deliveries(asked: DeliveryList): Promise<DeliveryPage> {
      return listDeliveries(asked, { index: this.#index, log: this.#log, shards: this.#shards });
    }

    async delivery(id: string, customer?: string): Promise<FoundDelivery | null> {
      const place = parseDeliveryId(id);
      if (place === null) return null;
      const { shard, no, seq } = place;
      const found = await this.#shards.of(shard).delivery(no, seq);
      return found === null || (customer !== undefined && found.customer !== customer)
        ? null
        : { ...found, shard };
    }

    async resend(id: string, customer?: string): Promise<boolean | null> {
      const found = await this.delivery(id, customer);
      if (found === null) return null;
      const known = this.#index.find(found.endpoint);
      // A later endpoint of the same id is another one.
      const kept = { log: this.#log, shards: this.#shards };
      return known?.no === found.no && (await resend(known, found.seq, kept));
    }

    putType(type: Omit<EventType, "updatedAt">): "created" | "replaced" | "too-many" {
      return this.#types.put({ ...type, updatedAt: clock.now() });
    }

    type(name: string): EventType | null {
      return this.#types.find(name);
    }

    types(query: TypeQuery): TypePage {
      return this.#types.list(query);
    }

    deleteType(name: string): boolean {
      return this.#types.delete(name);
    }

    putLink(link: PortalLink): boolean {
      this.#alarm.arm(clock.now() + DAY_MS);
      return this.#links.put(link, clock.now());
    }

    link(hash: string): PortalLink | null {
      return this.#links.find(hash, clock.now());
    }

    deleteLinks(customer: string): number {
      return this.#links.deleteOf(customer);
    }

    read(after: number): EventPage {
      return this.#log.read(after);
    }

    async reseal(): Promise<ResealedSecrets> {
      const all = await this.#shards.callEach(this.#index.shardsOf(null), (stub) => stub.reseal());
      return {
        sealed: all.reduce((sum, { sealed }) => sum + sealed, 0),
        unreadable: all.reduce((sum, { unreadable }) => sum + unreadable, 0),
        more: all.some(({ more }) => more),
      };
    }

    async erase(): Promise<number> {
      const counts = await this.#shards.callEach(ALL_SHARDS, (stub) => stub.erase());
      for (const kept of [this.#index, this.#log, this.#types, this.#links]) kept.erase();
      return counts.reduce((sum, count) => sum + count, 0);
    }

    /** Forget what is too old, in slices. Never throws: after a few throws the platform drops an alarm. */
    override async alarm(): Promise<void> {
      this.#alarm.consume();
      const pruned = await attempt(async () => {
        const own = this.#log.prune(clock.now());
        const links = this.#links.prune(clock.now()) > 0 ? "later" : "nothing";
        const all = [own, links, ...(await this.#shards.callEach(ALL_SHARDS, (stub) => stub.prune()))];
        if (all.includes("more")) this.#alarm.arm(clock.now() + SLICE_MS);
        else if (all.includes("later")) this.#alarm.arm(clock.now() + DAY_MS);
      });
      if (!pruned.ok) this.#alarm.arm(clock.now() + DAY_MS);
    }

    async #publish(asked: Publishing): Promise<PublishAnswer> {
      const now = clock.now();
      const recorded = this.#log.record(asked, now, deploymentOf(this.env).ports.newId());
      if (recorded.kind === "conflict") return err({ kind: "conflict" });
      const { event, kind } = recorded;
      this.#alarm.arm(now + DAY_MS);
      const counts = await this.#shards.callEach(this.#shardsFor(event), (stub) =>
        stub.accept(event, kind === "again"),
      );
      const endpoints = counts.reduce((sum, count) => sum + count, 0);
      return ok({ eventId: event.id, endpoints });
    }

    /** The objects that may have an endpoint which an event is for. */
    #shardsFor({ customer, only }: PublishedEvent): number[] {
      const known = only === undefined ? null : this.#index.find(only);
      return known === null ? this.#index.shardsOf(customer) : [known.shard];
    }

    /** Find an endpoint, for a customer by what its object says of whose it is. */
    async #find(id: string, customer: string | undefined): Promise<IndexedEndpoint | null> {
      const isSeen = customer === undefined || (await this.get(id, customer)) !== null;
      return isSeen ? this.#index.find(id) : null;
    }
  }
  return refuseErased<DirectoryMethods>(EndpointDirectory, clock);
}

/** An event that is not published. */
function toEvent(
  { type, customer, data }: Pick<Publishing, "type" | "customer" | "data">,
  at: number,
): PublishedEvent {
  return { seq: 0, id: "", at, type, customer, data };
}
