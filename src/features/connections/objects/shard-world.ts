import type { Deployment } from "../../../feature/define.ts";
import { GateAlarm } from "../../../cloudflare/durable/gate-alarm.ts";
import type { ObjectOptions } from "../../../cloudflare/feature.ts";
import type { Clock } from "../../../feature/kit.ts";
import { attempt } from "../../../feature/refuse.ts";
import { NoticeTable, systemClock } from "../../../feature/object.ts";
import { givenBy } from "../../../feature/gives.ts";
import { accountIdOf, type Connection, type ConnectionPlace, type Grant } from "../connection.ts";
import { connectorOf, type OAuthConnector } from "../connectors/connector.ts";
import { atSite } from "../connectors/site.ts";
import {
  type Client,
  makeRefresh,
  makeRevocation,
  type ProviderRequest,
  revokesByAccess,
} from "../connectors/provider-request.ts";
import { type CameBack, readTokenAnswer } from "../connectors/token-answer.ts";
import { connectionSetupOf, type ConnectionSetup } from "../http/connection-setup.ts";
import * as LIMITS from "../limits.ts";
import { makeConnectionId, makeSecretText } from "../link-token.ts";
import { askProvider } from "./ask-provider.ts";
import { Awaited } from "./awaited.ts";
import { allOf, openShards, type Shards } from "./connection-shards.ts";
import { ConnectionTable } from "./connection-table.ts";
import { type Refused, RefusedLately } from "./refused-lately.ts";
import { type KeptTokens, TokenBox } from "./token-box.ts";
import { toConnectionNotice } from "../own-events.ts";
import type { StartAnswer } from "../shard-methods.ts";

export interface ConnectionShardOptions extends ObjectOptions {
  /** An account is used before the caller has said whose it is: in a sandbox. */
  readonly confirmsItself: boolean;
}

type TooMany = Extract<StartAnswer, { kind: "too-many" }>;

/** The part of the object that connections are kept in. */
export interface ShardPlace {
  readonly ctx: DurableObjectState;
  readonly env: Record<string, unknown>;
}

/** All that the parts of a shard share: its rows, its keys, its providers, and who is told of a change. */
export class ShardWorld {
  readonly table: ConnectionTable;
  readonly tenant: string;
  readonly clock: Clock;
  /** An account is used before the caller has said whose it is: in a sandbox. */
  readonly confirmsItself: boolean;
  readonly awaited: Awaited;
  readonly refusedLately: RefusedLately;
  alarm!: GateAlarm;
  readonly #notices: NoticeTable;
  readonly #of: ShardPlace & Pick<ConnectionShardOptions, "deploymentOf">;
  #box: TokenBox | undefined;

  constructor(
    { ctx, env }: ShardPlace,
    { clock = systemClock, deploymentOf, confirmsItself }: ConnectionShardOptions,
  ) {
    this.table = new ConnectionTable(ctx.storage.sql);
    this.#notices = new NoticeTable(ctx.storage.sql);
    this.tenant = (ctx.id.name ?? "").split("/")[0]!;
    this.clock = clock;
    this.refusedLately = new RefusedLately(clock);
    this.confirmsItself = confirmsItself;
    this.#of = { ctx, env, deploymentOf };
    this.awaited = new Awaited(this, ctx);
    void ctx.blockConcurrencyWhile(async () => {
      this.alarm = new GateAlarm(ctx.storage, await ctx.storage.getAlarm(), LIMITS.awaitedAgainMs);
    });
  }

  get deployment(): Deployment {
    return this.#of.deploymentOf(this.#of.env);
  }

  get setup(): ConnectionSetup {
    return connectionSetupOf(this.deployment.configured);
  }

  get tokens(): TokenBox {
    return (this.#box ??= new TokenBox(this.setup.vault, this.tenant));
  }

  /** @param site the account's own part of the provider's addresses */
  oauth(name: string, site?: string): OAuthConnector | null {
    const connector = connectorOf(this.setup.connectors, name, this.tenant);
    return connector?.kind === "oauth2" ? atSite(connector, site) : null;
  }

  ask(request: ProviderRequest): Promise<CameBack> {
    return askProvider(request, { fetch: this.deployment.ports.fetch, clock: this.clock });
  }

  clientOf(connector: OAuthConnector): Client {
    return { connector, secret: this.deployment.ports.secret(connector.secret) ?? "" };
  }

  /** A connection as it is kept, or a new one. */
  known(place: ConnectionPlace, id?: string): Connection {
    const { subject, connector, name } = place;
    const now = this.clock.now();
    return (
      this.table.at(place) ?? {
        id: id ?? makeConnectionId(subject, crypto.getRandomValues(new Uint8Array(12))),
        subject,
        connector,
        name,
        createdAt: now,
        updatedAt: now,
        grant: null,
        link: null,
      }
    );
  }

  /** Seal for a connection as it is kept, or a new one: again, where another request has begun it under another id meanwhile. */
  async sealFor(
    place: ConnectionPlace,
    seal: (id: string) => Promise<string>,
  ): Promise<{ readonly known: Connection; readonly sealed: string }> {
    for (;;) {
      const { id } = this.known(place);
      const sealed = await seal(id);
      const known = this.known(place, id);
      if (known.id === id) return { known, sealed };
    }
  }

  /** Whether there is room for one more; null where there is. */
  room(place: ConnectionPlace): TooMany | null {
    this.table.prune(this.clock.now());
    if (this.table.at(place) !== null) return null;
    if (this.table.count(place.subject) >= LIMITS.connectionsOfSubject)
      return { kind: "too-many", of: "subject" };
    return this.table.count(null) >= LIMITS.connectionsPerShard ? { kind: "too-many", of: "tenant" } : null;
  }

  /** Keep a connection that is active from now on, and have what waits for it run: in one turn, so one is not without the other. */
  activate(connection: Connection): void {
    this.table.put(connection);
    this.awaited.note(connection.id);
    this.tell(connection);
  }

  /** Have the tenant told what has become of a connection: written down with it, and offered until the tenant's endpoints have it. */
  tell(connection: Connection): void {
    const notice = toConnectionNotice(connection);
    if (notice === null || givenBy(this.deployment.configured.features, "tell").length === 0) return;
    this.#notices.add(notice);
    this.alarm.arm(this.clock.now());
  }

  /** Offer what is written down. Never rejects: after a few rejections the platform drops an alarm. */
  async tellDue(): Promise<void> {
    await attempt(async () => {
      const { deployment } = this;
      const { configured } = deployment;
      const [tell] = givenBy(configured.features, "tell");
      const told = { tenant: this.tenant, jurisdiction: deployment.runnerOf(this.tenant)?.jurisdiction };
      await this.#notices.tell(
        this.clock.now(),
        async (notices) => (await attempt(async () => tell?.(notices, told, configured))).ok,
      );
    });
    const next = this.#notices.nextAt;
    if (next !== null) this.alarm.arm(next);
  }

  erase(): number {
    this.#notices.erase();
    return this.table.erase();
  }

  /** Take a grant's tokens back at the provider, where it takes any back. */
  async revoke(connection: Connection, grant: Grant): Promise<void> {
    const tokens = await this.tokens.open(connection, grant.sealed);
    if (tokens !== null) await this.revokeTokens({ ...connection, grant }, tokens);
  }

  /**
   * Take tokens back that are of no use here any more. Where another connection works with the same account they stay: to take one back may end
   * all of that account's, and what cannot be asked may have one.
   */
  async revokeTokens(connection: Connection, tokens: KeptTokens): Promise<void> {
    const { connector: name, grant } = connection;
    const connector = this.oauth(name, grant?.site);
    if (connector === null || connector.revokeUrl === null) return;
    const held = {
      connector: name,
      accountId: accountIdOf(connection) ?? "",
      account: grant?.account ?? null,
    };
    if (this.table.holds(held)) return;
    const elsewhere = await attempt(() => this.#askOthers((shard) => shard.holds(held)));
    if (!elsewhere.ok || elsewhere.value.includes(true)) return;
    const client = this.clientOf(connector);
    const isOver = this.clock.now() >= (grant?.endsAt ?? Number.POSITIVE_INFINITY);
    const good = isOver && revokesByAccess(connector) ? await this.#renew(client, tokens) : tokens;
    const request = makeRevocation(client, good);
    if (request !== null) await this.ask(request);
  }

  /** Fetch an access token that is good, by which others are taken back. */
  async #renew(client: Client, tokens: KeptTokens): Promise<KeptTokens> {
    if (tokens.refresh === null) return tokens;
    const answer = readTokenAnswer(await this.ask(makeRefresh(client, tokens.refresh)), client.connector);
    return answer.kind === "tokens"
      ? { access: answer.tokens.access, refresh: answer.tokens.refresh ?? tokens.refresh }
      : tokens;
  }

  /** The same of an account that was brought and is unused; here it is forgotten already. */
  revokeUnused(connection: Connection, brought: Grant | null | undefined): void {
    if (brought === null || brought === undefined) return;
    this.#of.ctx.waitUntil(attempt(() => this.revoke(connection, brought)));
  }

  /** Whether an account of this tenant but that one got the same refusal in the last minute. */
  async isAlike(refused: Refused): Promise<boolean> {
    if (this.refusedLately.isAlike(refused)) return true;
    const others = await attempt(() => this.#askOthers((shard) => shard.isAlike(refused)));
    return others.ok && others.value.includes(true);
  }

  /** Ask the tenant's other objects. */
  async #askOthers<T>(send: (shard: ReturnType<Shards>) => Promise<T>): Promise<T[]> {
    const { deployment, tenant } = this;
    const jurisdiction = deployment.runnerOf(tenant)?.jurisdiction;
    const shards = openShards({ tenant, jurisdiction }, deployment.configured);
    if (!shards.ok) return [];
    const others = allOf(shards.value).filter((_, shard) => `${tenant}/${shard}` !== this.#of.ctx.id.name);
    return Promise.all(others.map(send));
  }

  putOrDelete(id: string, connection: Connection | null): void {
    if (connection === null) this.table.delete(id);
    else this.table.put(connection);
  }

  /** Make the id of an account of which the provider gives none. */
  makeAccountId(): string {
    return `ac_${makeSecretText(crypto.getRandomValues(new Uint8Array(18)))}`;
  }

  /** Make a text that cannot be guessed. */
  makeText(): string {
    return makeSecretText(crypto.getRandomValues(new Uint8Array(32)));
  }

  /** Seal what a connection keeps besides its tokens: it opens for this connection and as this kind alone. */
  seal(text: string, { subject, id }: Pick<Connection, "subject" | "id">, kind: Kept): Promise<string> {
    return this.tokens.vault.seal(text, [this.tenant, subject, id, kind]);
  }

  /** Open it again; null where no key of the vault does. */
  unseal(
    sealed: string,
    { subject, id }: Pick<Connection, "subject" | "id">,
    kind: Kept,
  ): Promise<string | null> {
    return this.tokens.vault.open(sealed, [this.tenant, subject, id, kind]);
  }
}

/** The secret of a link, the verifier of its way to the provider, and the secrets of a person's sign-in. */
type Kept = "link" | "verifier" | "visit";
