import type { Deployment } from "../../../core/edge/deployed.ts";
import type { ObjectOptions } from "../../../core/edge/feature.ts";
import { DurableObject } from "../../../core/edge/platform/durable-object.ts";
import type { ObjectClass } from "../../../core/edge/platform/object-class.ts";
import { systemClock } from "../../../core/edge/platform/system-ports.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { sha256 } from "../../../core/kit/sha256.ts";
import {
  arrive,
  type Connection,
  type ConnectionPlace,
  confirm,
  endLink,
  type Grant,
  isOver,
  isUnused,
  linkOf,
  openLink,
  startLink,
  stateOf,
  takeState,
  timesOf,
} from "../connection.ts";
import { toAuthorizeUrl } from "../connectors/authorize-url.ts";
import { connectorOf, type OAuthConnector } from "../connectors/connector.ts";
import {
  type Client,
  makeAccountRequest,
  makeExchange,
  makeRevocation,
  type ProviderRequest,
} from "../connectors/provider-request.ts";
import { missingScopes, scopesOfLink } from "../connectors/scopes.ts";
import { type CameBack, readAccount, readTokenAnswer, type Tokens } from "../connectors/token-answer.ts";
import { parseExact } from "../../../core/contract/json.ts";
import type { Notice } from "../../../core/contract/gate/notice.ts";
import { attempt, attemptNow } from "../../../core/kit/result.ts";
import { connectionSetupOf, type ConnectionSetup } from "../http/connection-setup.ts";
import { challengeOf, digestOf, makeConnectionId, makeSecretText, toState } from "../link-token.ts";
import { peopleOf } from "../http/people-of.ts";
import { toConnectionNotice } from "../own-events.ts";
import {
  type ArriveAnswer,
  type Comeback,
  type ConfirmAnswer,
  type ConnectionQuery,
  type ConnectionShardMethods,
  type KeepAnswer,
  type LinkView,
  type MadeLink,
  type OpenAnswer,
  type Resealed,
  type SeenConnection,
  type StartAnswer,
  type TokenWish,
  toSeen,
  type UseAnswer,
  type VisitAnswer,
} from "../shard-methods.ts";
import { beginVisit, endVisit } from "../visit.ts";
import { askProvider } from "./ask-provider.ts";
import { ConnectionTable } from "./connection-table.ts";
import { Refreshes } from "./refreshes.ts";
import { type KeptTokens, TokenBox } from "./token-box.ts";

type TooMany = Extract<StartAnswer, { kind: "too-many" }>;

/** Connections that are sealed anew in one call. */
const RESEAL_PAGE = 200;

export interface ConnectionShardOptions extends ObjectOptions {
  /** An account is used before the caller has said whose it is: in a sandbox. */
  readonly confirmsItself: boolean;
}

/** Make the Durable Object class that keeps connections. */
export function createConnectionShard({
  clock = systemClock,
  deploymentOf,
  confirmsItself,
}: ConnectionShardOptions): ObjectClass<ConnectionShardMethods> {
  /**
   * The connections of some of a tenant's subjects. Everything about a connection is decided here: its link, who came back with it, its
   * tokens and their refreshes. Nothing is decided while something else is waited for: each method reads the row again after it.
   */
  return class ConnectionShard
    extends DurableObject<Record<string, unknown>>
    implements ConnectionShardMethods
  {
    readonly #table: ConnectionTable;
    readonly #tenant: string;
    #box: TokenBox | undefined;
    #refreshes: Refreshes | undefined;
    /** Links that are being made: many calls that miss the same connection are given the same one. */
    readonly #making = new Map<string, Promise<MadeLink>>();

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#table = new ConnectionTable(ctx.storage.sql);
      this.#tenant = (ctx.id.name ?? "").split("/")[0]!;
    }

    async start(
      place: ConnectionPlace,
      wish: { readonly scopes: readonly string[]; readonly returnTo: string | null },
    ): Promise<StartAnswer> {
      const room = this.#room(place);
      if (room !== null) return room;
      const connector = this.#oauth(place.connector);
      if (connector === null) throw new Error(`Cannot start a link: '${place.connector}' has none`);
      const granted = this.#table.at(place)?.grant?.scopes ?? [];
      const scopes = scopesOfLink(wish.scopes, granted, connector);
      return { kind: "started", link: await this.#startLink(place, { scopes, returnTo: wish.returnTo }) };
    }

    async keepKey(place: ConnectionPlace, key: string): Promise<KeepAnswer> {
      const room = this.#room(place);
      if (room !== null) return room;
      const id = this.#known(place).id;
      const sealed = await this.#tokens.seal({ ...place, id }, { access: key, refresh: null });
      const now = clock.now();
      const known = this.#known(place, id);
      const grant: Grant = {
        sealed,
        before: null,
        scopes: [],
        account: null,
        connectedAt: now,
        refreshAt: null,
        endsAt: null,
        refreshingSince: null,
        brokenBecause: null,
      };
      const kept = { ...known, updatedAt: now, grant, link: null };
      this.#table.put(kept);
      this.#tell(kept);
      return { kind: "kept", connection: toSeen(kept, "active") };
    }

    view(id: string, secret: string): LinkView | null {
      const connection = this.#table.find(id);
      const link = connection === null ? null : linkOf(connection, clock.now(), digestOf("link", secret));
      if (connection === null || link === null) return null;
      const { subject, connector, name } = connection;
      const { scopes, returnTo, expiresAt, opened, arrival } = link;
      const isUsed = arrival !== null || opened?.isTaken === true;
      return { subject, connector, name, scopes, returnTo, expiresAt, isUsed };
    }

    async open(
      id: string,
      {
        secret,
        browser,
        redirectUri,
      }: { readonly secret: string; readonly browser: string | null; readonly redirectUri: string },
    ): Promise<OpenAnswer> {
      const digest = digestOf("link", secret);
      const connection = this.#table.find(id);
      if (connection === null || linkOf(connection, clock.now(), digest) === null) return { kind: "gone" };
      const connector = this.#oauth(connection.connector);
      if (connector === null) return { kind: "no-connector" };
      const verifier = makeText();
      const sealed = await this.#tokens.vault.seal(verifier, [
        this.#tenant,
        connection.subject,
        id,
        "verifier",
      ]);
      const known = this.#table.find(id);
      if (known === null) return { kind: "gone" };
      const state = makeText();
      // A browser that was here before has shown what it kept; another one, or the first, is given something to keep.
      const kept = browser ?? makeText();
      const opened = openLink(known, clock.now(), {
        digest,
        state: digestOf("state", state),
        browser: digestOf("browser", kept),
        verifier: sealed,
        redirectUri,
      });
      if (!opened.ok) return { kind: opened.error };
      this.#table.put(opened.value);
      const authorizeUrl = toAuthorizeUrl(connector, {
        state: toState({ tenant: this.#tenant, id, secret: state }),
        redirectUri,
        scopes: opened.value.link!.scopes,
        challenge: challengeOf(verifier),
      });
      return { kind: "opened", authorizeUrl, browser: kept };
    }

    async arrive(id: string, { state: text, browser, code, issuer = null }: Comeback): Promise<ArriveAnswer> {
      const now = clock.now();
      const known = this.#table.find(id);
      if (known === null) return { kind: "gone" };
      const state = digestOf("state", text);
      const taken = takeState(known, now, {
        state,
        browser: browser === null ? null : digestOf("browser", browser),
      });
      if (!taken.ok) return { kind: taken.error };
      const { link, opened, connection } = taken.value;
      const { returnTo } = link;
      const connector = this.#oauth(connection.connector);
      const expected = connector?.issuer ?? null;
      if (expected !== null && issuer !== expected) {
        // The code of another issuer must not be shown to this one.
        this.#putOrDelete(id, endLink(connection, now));
        return { kind: "failed", id, returnTo };
      }
      if (code === undefined) {
        this.#putOrDelete(id, endLink(connection, now));
        return { kind: "refused", id, returnTo };
      }
      // Before the provider is asked: the same address again finds nothing to do.
      this.#table.put(connection);
      const sealedFor = [this.#tenant, connection.subject, id, "verifier"] as const;
      const verifier = await this.#tokens.vault.open(opened.verifier, sealedFor);
      const tokens =
        connector === null || verifier === null
          ? null
          : await this.#exchange(connector, { code, verifier, redirectUri: opened.redirectUri });
      if (tokens === null) {
        this.#endLinkOf(id, state);
        return { kind: "failed", id, returnTo };
      }
      const sealed = await this.#tokens.seal(connection, tokens);
      const latest = this.#table.find(id);
      if (latest?.link?.opened?.state !== state) return { kind: "gone" };
      const grant: Grant = {
        sealed,
        before: null,
        scopes: tokens.scopes ?? link.scopes,
        account: tokens.account,
        connectedAt: clock.now(),
        ...timesOf(now, tokens.expiresInS),
        refreshingSince: null,
        brokenBecause: null,
      };
      const codeText = makeText();
      const code256 = digestOf("code", codeText);
      const arrived = arrive(latest, clock.now(), { state, code: code256, grant, confirmsItself });
      this.#table.put(arrived);
      if (confirmsItself) this.#tell(arrived);
      const { subject, name } = connection;
      const place = { subject, connector: connection.connector, name };
      const { account } = tokens;
      return { kind: "arrived", id, returnTo, code: codeText, place, account, isActive: confirmsItself };
    }

    async beginVisit(
      id: string,
      { code, kept }: { readonly code: string; readonly kept: string },
    ): Promise<string | null> {
      const known = this.#table.find(id);
      if (known === null) return null;
      const sealed = await this.#tokens.vault.seal(kept, [this.#tenant, known.subject, id, "visit"]);
      const latest = this.#table.find(id);
      if (latest === null) return null;
      const state = makeText();
      const begun = beginVisit(latest, clock.now(), {
        code: digestOf("code", code),
        state: digestOf("visit", state),
        kept: sealed,
      });
      if (!begun.ok) return null;
      this.#table.put(begun.value);
      return toState({ tenant: this.#tenant, id, secret: state });
    }

    async endVisit(
      id: string,
      { state, browser }: Pick<Comeback, "state" | "browser">,
    ): Promise<VisitAnswer> {
      const known = this.#table.find(id);
      if (known === null) return { kind: "gone" };
      const ended = endVisit(known, clock.now(), {
        state: digestOf("visit", state),
        browser: browser === null ? null : digestOf("browser", browser),
      });
      if (!ended.ok) return { kind: ended.error };
      // Before the issuer is asked: the same address again finds nothing to do.
      this.#table.put(ended.value.connection);
      const { subject, connector, name } = known;
      const sealedFor = [this.#tenant, subject, id, "visit"] as const;
      const kept = await this.#tokens.vault.open(ended.value.visit.kept, sealedFor);
      return kept === null ? { kind: "gone" } : { kind: "back", kept, place: { subject, connector, name } };
    }

    confirm(
      id: string,
      { code, subject }: { readonly code: string; readonly subject: string | null },
    ): ConfirmAnswer {
      const known = this.#table.find(id);
      if (known === null || isOver(known, clock.now())) return { kind: "unknown" };
      const confirmed = confirm(known, clock.now(), { code: digestOf("code", code), subject });
      if (confirmed.kind === "no-code") return { kind: "no-code" };
      if (confirmed.kind === "other-subject") {
        this.#putOrDelete(id, confirmed.left);
        return { kind: "other-subject" };
      }
      this.#table.put(confirmed.connection);
      // One that was used at once was told of then.
      if (!confirmsItself) this.#tell(confirmed.connection);
      return { kind: "active", connection: toSeen(confirmed.connection, "active") };
    }

    async token({ scopes, refused, ...place }: TokenWish): Promise<UseAnswer> {
      const connection = this.#table.at(place);
      const grant = connection?.grant ?? null;
      const connector = connectorOf(this.#setup.connectors, place.connector, this.#tenant);
      if (connector === undefined) return { kind: "misconfigured" };
      if (connection === null || grant === null) {
        const because = connection === null || isOver(connection, clock.now()) ? "missing" : "pending";
        return this.#require(place, { because, scopes });
      }
      if (grant.brokenBecause !== null) return this.#require(place, { because: grant.brokenBecause, scopes });
      if (connector.kind === "oauth2") {
        const missing = missingScopes(scopes, grant.scopes, connector);
        if (missing.length > 0) return this.#require(place, { because: "scopes", scopes, missing });
      }
      const used = await this.#open(connection.id, refused);
      switch (used.kind) {
        case "tokens":
          return { kind: "token", access: used.tokens.access, account: grant.account };
        case "broken":
          return this.#require(place, { because: used.because, scopes });
        case "gone":
          return this.#require(place, { because: "missing", scopes });
        case "misconfigured":
        case "failed":
          return { kind: used.kind };
      }
    }

    get(id: string): SeenConnection | null {
      const known = this.#table.find(id);
      return known === null || isOver(known, clock.now()) ? null : toSeen(known, stateOf(known));
    }

    list(query: ConnectionQuery): SeenConnection[] {
      this.#table.prune(clock.now());
      return this.#table.list(query).map((connection) => toSeen(connection, stateOf(connection)));
    }

    async remove(id: string): Promise<boolean> {
      const known = this.#table.find(id);
      if (known === null) return false;
      this.#table.delete(id);
      // An account that was not confirmed goes too. The provider is asked afterwards: here it is gone already.
      const grants = [known.grant, known.link?.arrival?.grant ?? null].filter((grant) => grant !== null);
      await Promise.all(grants.map((grant) => this.#revoke(known, grant)));
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
      return this.#table.erase();
    }

    get #deployment(): Deployment {
      return deploymentOf(this.env);
    }

    get #setup(): ConnectionSetup {
      return connectionSetupOf(this.#deployment.configured);
    }

    get #tokens(): TokenBox {
      return (this.#box ??= new TokenBox(this.#setup.vault, this.#tenant));
    }

    #oauth(name: string): OAuthConnector | null {
      const connector = connectorOf(this.#setup.connectors, name, this.#tenant);
      return connector?.kind === "oauth2" ? connector : null;
    }

    #ask(request: ProviderRequest): Promise<CameBack> {
      return askProvider(request, { fetch: this.#deployment.ports.fetch, clock });
    }

    #clientOf(connector: OAuthConnector): Client {
      return { connector, secret: this.#deployment.ports.secret(connector.secret) ?? "" };
    }

    /** A connection as it is kept, or a new one. */
    #known(place: ConnectionPlace, id?: string): Connection {
      const { subject, connector, name } = place;
      const now = clock.now();
      return (
        this.#table.at(place) ?? {
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

    /** Whether there is room for one more; null where there is. */
    #room(place: ConnectionPlace): TooMany | null {
      this.#table.prune(clock.now());
      if (this.#table.at(place) !== null) return null;
      if (this.#table.count(place.subject) >= LIMITS.connectionsOfSubject)
        return { kind: "too-many", of: "subject" };
      return this.#table.count(null) >= LIMITS.connectionsPerShard
        ? { kind: "too-many", of: "tenant" }
        : null;
    }

    async #startLink(
      place: ConnectionPlace,
      { scopes, returnTo }: { readonly scopes: readonly string[]; readonly returnTo: string | null },
    ): Promise<MadeLink> {
      const { id } = this.#known(place);
      const secret = makeText();
      const sealed = await this.#tokens.vault.seal(secret, [this.#tenant, place.subject, id, "link"]);
      const now = clock.now();
      const link = { digest: digestOf("link", secret), sealed, scopes, returnTo };
      const started = startLink(this.#known(place, id), now, link);
      this.#table.put(started);
      return { id: started.id, secret, expiresAt: started.link!.expiresAt };
    }

    /** Say that a call needs a person, and give the link: the one that is there, where it will do. */
    async #require(
      place: ConnectionPlace,
      {
        because,
        scopes,
        missing = [],
      }: {
        readonly because: Extract<UseAnswer, { kind: "required" }>["because"];
        readonly scopes: readonly string[];
        readonly missing?: readonly string[];
      },
    ): Promise<UseAnswer> {
      const connector = this.#oauth(place.connector);
      const { configured } = this.#deployment;
      const canFinish = confirmsItself || peopleOf(this.#tenant, configured) !== null;
      const none = { kind: "required", because, missing, link: null, canFinish } as const;
      if (connector === null || this.#room(place) !== null) return none;
      const known = this.#table.at(place);
      const wanted = scopesOfLink(scopes, known?.grant?.scopes ?? [], connector);
      const link = known?.link ?? null;
      if (
        known !== null &&
        link !== null &&
        isUnused(link, clock.now()) &&
        missingScopes(wanted, link.scopes, connector).length === 0
      ) {
        const secret = await this.#tokens.vault.open(link.sealed, [
          this.#tenant,
          place.subject,
          known.id,
          "link",
        ]);
        if (secret !== null)
          return {
            ...none,
            link: { id: known.id, secret, expiresAt: link.expiresAt },
            canFinish: canFinish || link.returnTo !== null,
          };
      }
      return { ...none, link: await this.#linkOnce(place, wanted) };
    }

    #linkOnce(place: ConnectionPlace, scopes: readonly string[]): Promise<MadeLink> {
      const key = JSON.stringify([place.subject, place.connector, place.name, scopes]);
      const known = this.#making.get(key);
      if (known !== undefined) return known;
      const made = this.#startLink(place, { scopes, returnTo: null }).finally(() => this.#making.delete(key));
      this.#making.set(key, made);
      return made;
    }

    async #exchange(
      connector: OAuthConnector,
      given: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    ): Promise<Tokens | null> {
      const answer = readTokenAnswer(
        await this.#ask(makeExchange(this.#clientOf(connector), given)),
        connector,
      );
      if (answer.kind !== "tokens") return null;
      const { tokens } = answer;
      const request = tokens.account === null ? makeAccountRequest(connector, tokens.access) : null;
      if (request === null) return tokens;
      const said = await this.#ask(request);
      const parsed = said?.status === 200 ? attemptNow(() => parseExact(said.text)) : null;
      return { ...tokens, account: parsed?.ok === true ? readAccount(parsed.value, connector) : null };
    }

    /** Open the tokens of a connection, refreshed where that is due. */
    #open(id: string, refused?: string) {
      this.#refreshes ??= new Refreshes({
        clock,
        table: this.#table,
        box: this.#tokens,
        clientOf: (connection) => {
          const connector = this.#oauth(connection.connector);
          return connector === null ? null : this.#clientOf(connector);
        },
        ask: (request) => this.#ask(request),
        onBroken: (connection) => this.#tell(connection),
      });
      const isRefused =
        refused === undefined ? undefined : ({ access }: KeptTokens) => sha256(access) === refused;
      return this.#refreshes.open(id, isRefused);
    }

    /** Tell the tenant what has become of a connection; what is stored does not wait for it. */
    #tell(connection: Connection): void {
      const notice = toConnectionNotice(connection);
      if (notice !== null) this.ctx.waitUntil(attempt(() => this.#offer(notice)));
    }

    /** Offer an event to the tenant's endpoints; once more where that is not certain, because its id lets it be published once. */
    async #offer(notice: Notice): Promise<void> {
      const deployment = this.#deployment;
      const { tellTenant } = deployment.configured;
      if (tellTenant === undefined) return;
      const told = { tenant: this.#tenant, jurisdiction: deployment.runnerOf(this.#tenant)?.jurisdiction };
      const once = await attempt(() => tellTenant([notice], told));
      if (!once.ok) await tellTenant([notice], told);
    }

    async #revoke(connection: Connection, grant: Grant): Promise<void> {
      const connector = this.#oauth(connection.connector);
      const tokens = connector === null ? null : await this.#tokens.open(connection, grant.sealed);
      if (connector === null || tokens === null) return;
      const request = makeRevocation(this.#clientOf(connector), tokens);
      if (request !== null) await this.#ask(request);
    }

    async #reseal(id: string): Promise<"sealed" | "unreadable" | "as-it-was"> {
      const known = this.#table.find(id);
      const grant = known?.grant;
      if (known === null || grant === null || grant === undefined) return "as-it-was";
      if (this.#tokens.vault.isCurrent(grant.sealed)) return "as-it-was";
      const tokens = await this.#tokens.open(known, grant.sealed);
      if (tokens === null) return "unreadable";
      const sealed = await this.#tokens.seal(known, tokens);
      const before = grant.before === null ? null : await this.#tokens.open(known, grant.before);
      const sealedBefore = before === null ? null : await this.#tokens.seal(known, before);
      const latest = this.#table.find(id);
      // Refreshed meanwhile: what is there now is sealed under the new key.
      if (latest?.grant?.sealed !== grant.sealed) return "as-it-was";
      this.#table.put({ ...latest, grant: { ...latest.grant, sealed, before: sealedBefore } });
      return "sealed";
    }

    #endLinkOf(id: string, state: string): void {
      const latest = this.#table.find(id);
      if (latest?.link?.opened?.state === state) this.#putOrDelete(id, endLink(latest, clock.now()));
    }

    #putOrDelete(id: string, connection: Connection | null): void {
      if (connection === null) this.#table.delete(id);
      else this.#table.put(connection);
    }
  };
}

/** 32 random bytes as text. */
function makeText(): string {
  return makeSecretText(crypto.getRandomValues(new Uint8Array(32)));
}
