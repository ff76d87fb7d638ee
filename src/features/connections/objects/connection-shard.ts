import { DurableObject, type ObjectClass, refuseErased, systemClock } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import { sha256, type TakenRows, takeRows } from "../../../feature/kit.ts";
import { logWarning } from "../../../cloudflare/platform/log-bug.ts";
import { attempt } from "../../../feature/refuse.ts";
import { accountIdOf, type ConnectionPlace, type Grant, isOver, stateOf } from "../connection.ts";
import { connectorOf } from "../connectors/connector.ts";
import { missingScopes } from "../connectors/scopes.ts";
import { resealConnection } from "../reseal-connection.ts";
import {
  type ArriveAnswer,
  type ConfirmAnswer,
  type ConnectionQuery,
  type ConnectionShardMethods,
  type HeldAccount,
  type KeepAnswer,
  type LinkView,
  type OpenAnswer,
  type Resealed,
  type SeenConnection,
  type StartAnswer,
  type TokenWish,
  toSeen,
  type UseAnswer,
  type VisitAnswer,
} from "../shard-methods.ts";
import { sayClientRefused } from "../wire-connection.ts";
import type { ConnectionTable } from "./connection-table.ts";
import { type Lack, LinkMaker } from "./link-maker.ts";
import { Links } from "./links.ts";
import type { Refused } from "./refused-lately.ts";
import { Refreshes } from "./refreshes.ts";
import { type ConnectionShardOptions, ShardWorld } from "./shard-world.ts";
import type { KeptTokens } from "./token-box.ts";
import { Visits } from "./visits.ts";

/** Connections that are sealed anew in one call. */
const RESEAL_PAGE = 200;

/** Make the Durable Object class that keeps connections. */
export function createConnectionShard(options: ConnectionShardOptions): ObjectClass<ConnectionShardMethods> {
  const { clock = systemClock } = options;
  /**
   * The connections of some of a tenant's subjects. Everything about a connection is decided here: its link, who came back with it, its
   * tokens and their refreshes. Nothing is decided while something else is waited for: each method reads the row again after it.
   */
  class ConnectionShard extends DurableObject<Record<string, unknown>> implements ConnectionShardMethods {
    readonly #world: ShardWorld;
    readonly #table: ConnectionTable;
    readonly #maker: LinkMaker;
    readonly #links: Links;
    readonly #visits: Visits;
    #refreshes: Refreshes | undefined;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#world = new ShardWorld({ ctx, env }, options);
      this.#table = this.#world.table;
      this.#maker = new LinkMaker(this.#world);
      this.#links = new Links(this.#world);
      this.#visits = new Visits(this.#world);
    }

    start(...given: Parameters<LinkMaker["start"]>): Promise<StartAnswer> {
      return this.#maker.start(...given);
    }

    view(...given: Parameters<Links["view"]>): Promise<LinkView | ArriveAnswer | null> {
      return this.#links.view(...given);
    }

    open(...given: Parameters<Links["open"]>): Promise<OpenAnswer> {
      return this.#links.open(...given);
    }

    arrive(...given: Parameters<Links["arrive"]>): Promise<ArriveAnswer> {
      return this.#links.arrive(...given);
    }

    beginVisit(...given: Parameters<Visits["begin"]>): Promise<string | null> {
      return this.#visits.begin(...given);
    }

    endVisit(...given: Parameters<Visits["end"]>): Promise<VisitAnswer> {
      return this.#visits.end(...given);
    }

    confirm(...given: Parameters<Links["confirm"]>): ConfirmAnswer {
      return this.#links.confirm(...given);
    }

    confirmCode(...given: Parameters<Links["confirmCode"]>): ConfirmAnswer {
      return this.#links.confirmCode(...given);
    }

    awaited(places: readonly ConnectionPlace[]): void {
      for (const place of places) {
        const known = this.#table.at(place);
        if (known !== null && stateOf(known) === "active") this.#world.awaited.note(known.id);
      }
    }

    override async alarm(): Promise<void> {
      this.#world.alarm.consume();
      this.#links.endUnconfirmed();
      await Promise.all([this.#world.awaited.run(), this.#world.tellDue()]);
    }

    async keepKey(place: ConnectionPlace, key: string): Promise<KeepAnswer> {
      const room = this.#world.room(place);
      if (room !== null) return room;
      const former = this.#table.at(place);
      const before = former?.grant ? await this.#world.tokens.open(former, former.grant.sealed) : null;
      const { known, sealed } = await this.#world.sealFor(place, (id) =>
        this.#world.tokens.seal({ ...place, id }, { access: key, refresh: null }),
      );
      const now = clock.now();
      const grant: Grant = {
        sealed,
        before: null,
        scopes: [],
        account: null,
        // The same key sent again is the same account.
        accountId: before?.access === key ? accountIdOf(former!)! : this.#world.makeAccountId(),
        connectedAt: now,
        refreshAt: null,
        endsAt: null,
        refreshingSince: null,
        brokenBecause: null,
      };
      const kept = { ...known, updatedAt: now, grant, link: null };
      this.#world.activate(kept);
      return { kind: "kept", connection: toSeen(kept, "active") };
    }

    async token({ scopes, refused, isLook, returnTo, ...place }: TokenWish): Promise<UseAnswer> {
      const connection = this.#table.at(place);
      const grant = connection?.grant ?? null;
      const connector = connectorOf(this.#world.setup.connectors, place.connector, this.#world.tenant);
      if (connector === undefined) return { kind: "misconfigured" };
      const require = async (lack: Pick<Lack, "because" | "missing">): Promise<UseAnswer> =>
        isLook === true
          ? { kind: "required", missing: [], link: null, showsCode: false, ...lack }
          : this.#maker.require(place, { scopes, returnTo, ...lack });
      if (connection === null || grant === null) {
        const because = connection === null || isOver(connection, clock.now()) ? "missing" : "pending";
        return require({ because });
      }
      if (grant.brokenBecause !== null) return require({ because: grant.brokenBecause });
      if (connector.kind === "oauth2") {
        const missing = missingScopes(scopes, grant.scopes, connector);
        if (missing.length > 0) return require({ because: "scopes", missing });
      }
      const used = await this.#open(connection.id, refused);
      switch (used.kind) {
        case "tokens":
          return {
            kind: "token",
            access: used.tokens.access,
            account: grant.account,
            accountId: accountIdOf(connection)!,
            site: grant.site,
            connectedAt: grant.connectedAt,
          };
        case "broken":
          return require({ because: used.because });
        case "gone":
          return require({ because: "missing" });
        case "misconfigured":
        case "failed":
        case "kept-back":
          return used;
      }
    }

    isAlike(refused: Refused): boolean {
      return this.#world.refusedLately.isAlike(refused);
    }

    holds(account: HeldAccount): boolean {
      return this.#table.holds(account);
    }

    get(id: string): SeenConnection | null {
      const known = this.#table.find(id);
      return known === null || isOver(known, clock.now()) ? null : toSeen(known, stateOf(known));
    }

    list(query: ConnectionQuery): TakenRows<SeenConnection> {
      const all = this.#table
        .list(clock.now(), query)
        .map((connection) => toSeen(connection, stateOf(connection)));
      return takeRows(all, { limit: query.limit, characters: LIMITS.pageBytes });
    }

    async remove(id: string): Promise<boolean> {
      const known = this.#table.find(id);
      if (known === null) return false;
      this.#table.delete(id);
      // An account that was not confirmed goes too. The provider is asked afterwards: here it is gone already.
      const grants = [known.grant, known.link?.arrival?.grant ?? null].filter((grant) => grant !== null);
      await Promise.all(grants.map((grant) => this.#world.revoke(known, grant)));
      return true;
    }

    async reseal(after: string | null): Promise<Resealed> {
      const page = this.#table.page(after ?? "", RESEAL_PAGE);
      let [sealed, unreadable] = [0, 0];
      for (const { id } of page) {
        const done = await this.#reseal(id);
        if (done === "sealed") sealed += 1;
        if (done === "unreadable") unreadable += 1;
      }
      return { sealed, unreadable, next: page.length < RESEAL_PAGE ? null : page.at(-1)!.id };
    }

    async erase(): Promise<number> {
      return this.#world.erase();
    }

    /** Open the tokens of a connection, refreshed where that is due. */
    #open(id: string, refused?: string) {
      this.#refreshes ??= new Refreshes({
        clock,
        table: this.#table,
        box: this.#world.tokens,
        clientOf: (connection) => {
          const connector = this.#world.oauth(connection.connector, connection.grant?.site);
          return connector === null ? null : this.#world.clientOf(connector);
        },
        ask: (request) => this.#world.ask(request),
        onRefused: (refused) => this.#world.refusedLately.note(refused),
        isAlike: (refused) => this.#world.isAlike(refused),
        onClientRefused: ({ connector }, answer) =>
          logWarning(sayClientRefused(connector, answer), { connector, tenant: this.#world.tenant }),
        onBroken: (connection) => this.#world.tell(connection),
        onUnused: (connection, tokens) =>
          this.ctx.waitUntil(attempt(() => this.#world.revokeTokens(connection, tokens))),
      });
      const isRefused =
        refused === undefined ? undefined : ({ access }: KeptTokens) => sha256(access) === refused;
      return this.#refreshes.open(id, isRefused);
    }

    async #reseal(id: string): Promise<"sealed" | "unreadable" | "as-it-was"> {
      const { vault } = this.#world.tokens;
      for (;;) {
        const known = this.#table.find(id);
        if (known === null) return "as-it-was";
        const resealed = await resealConnection(known, async (sealed, use) => {
          const sealedFor = [this.#world.tenant, known.subject, id, use] as const;
          const text = vault.isCurrent(sealed) ? null : await vault.open(sealed, sealedFor);
          return text === null ? sealed : vault.seal(text, sealedFor);
        });
        const before = JSON.stringify(known);
        // Changed meanwhile, by a refresh or by a person on the way: what is there now is looked at.
        if (JSON.stringify(this.#table.find(id)) !== before) continue;
        const isSealed = JSON.stringify(resealed) !== before;
        if (isSealed) this.#table.put(resealed);
        const { grant } = resealed;
        if (grant !== null && !vault.isCurrent(grant.sealed)) return "unreadable";
        return isSealed ? "sealed" : "as-it-was";
      }
    }
  }
  return refuseErased<ConnectionShardMethods>(ConnectionShard, clock);
}
