import type { Clock } from "../../../feature/kit.ts";
import {
  accountIdOf,
  type BrokenBecause,
  type Connection,
  type Grant,
  isDue,
  isGood,
  pauseAfter,
  type Refusals,
  timesOf,
  withGrant,
} from "../connection.ts";
import { type Client, makeRefresh, type ProviderRequest } from "../connectors/provider-request.ts";
import { type CameBack, readTokenAnswer, type TokenAnswer } from "../connectors/token-answer.ts";
import type { ConnectionTable } from "./connection-table.ts";
import { type ProviderEntry, ProviderHealth } from "./provider-health.ts";
import type { Refused } from "./refused-lately.ts";
import type { KeptTokens, TokenBox } from "./token-box.ts";

/** The tokens of a connection, or why there are none to use. */
export type Opened =
  | { readonly kind: "tokens"; readonly tokens: KeptTokens }
  | { readonly kind: "broken"; readonly because: BrokenBecause }
  /** The provider gave none, or was not asked, because it has been failing. It is left alone for so long. */
  | { readonly kind: "failed" | "kept-back"; readonly retryAfterMs: number }
  | { readonly kind: "misconfigured" }
  | { readonly kind: "gone" };

interface RefreshOptions {
  readonly clock: Pick<Clock, "now">;
  readonly table: Pick<ConnectionTable, "find" | "put">;
  readonly box: Pick<TokenBox, "open" | "seal">;
  /** Null of a connector that is not there any more, or has keys. */
  readonly clientOf: (connection: Connection) => Client | null;
  readonly ask: (request: ProviderRequest) => Promise<CameBack>;
  /** A connection has become broken, and is stored so. */
  readonly onBroken: (connection: Connection) => void;
  /** A refresh token was refused. */
  readonly onRefused: (refused: Refused) => void;
  /** Whether another account of the connector got the same refusal in the last minute. */
  readonly isAlike: (refused: Refused) => Promise<boolean>;
  /** A provider refuses the client, as was not known before. */
  readonly onClientRefused: (connection: Connection, answer: string) => void;
  /** Tokens came for a connection that was ended meanwhile: they are to be taken back. */
  readonly onUnused: (connection: Connection, tokens: KeptTokens) => void;
}

/** A refresh that is to be made. */
interface Wanted {
  readonly tokens: KeptTokens;
  /** A service did not take these tokens: they are of no use, however long they are good. */
  readonly isWanted: boolean;
}

type Refusal = Extract<TokenAnswer, { kind: "refused" | "invalid-client" }>;

/** So many refusals in a row, over a minute, are no accident. */
const LAST_REFUSAL = 4;

/**
 * Opens the tokens of connections, and refreshes them: once for any number of calls that wait for it.
 *
 * A provider may give a new refresh token and forget the old one in the same moment. So what it answers is written down before anything
 * is done with it, and what was there before is kept beside it until the new one has been good for a refresh. That a refresh was begun is
 * written down before it is sent: where its answer was lost, and the old token is refused, the connection says so.
 */
export class Refreshes {
  readonly #options: RefreshOptions;
  readonly #health: ProviderHealth;
  readonly #underWay = new Map<string, Promise<Opened>>();

  constructor(options: RefreshOptions) {
    this.#options = options;
    this.#health = new ProviderHealth(options.clock);
  }

  /** @param isRefused whether a service did not take some tokens: then others are wanted, if there are none already */
  async open(id: string, isRefused?: (tokens: KeptTokens) => boolean): Promise<Opened> {
    const { clock, box } = this.#options;
    const refreshing = this.#underWay.get(id);
    if (refreshing !== undefined) return refreshing;
    const found = this.#find(id);
    if (found === null) return GONE;
    const { connection, grant } = found;
    if (grant.brokenBecause !== null) return { kind: "broken", because: grant.brokenBecause };
    const tokens = await box.open(connection, grant.sealed);
    const latest = this.#find(id)?.grant;
    // Refreshed, connected anew or sealed anew meanwhile: the refresh token that was opened may be spent.
    if (latest?.sealed !== grant.sealed || latest.brokenBecause !== null) return this.open(id, isRefused);
    if (tokens === null) return this.#break(id, grant, "unreadable");
    const isWanted = isRefused?.(tokens) === true;
    if (!isWanted && !isDue(grant, clock.now())) return { kind: "tokens", tokens };
    // Another call has begun meanwhile.
    const begun = this.#underWay.get(id);
    if (begun !== undefined) return begun;
    const client = this.#options.clientOf(connection);
    if (client === null || tokens.refresh === null)
      return this.#withoutRefresh(id, grant, { tokens, isWanted, client });
    const { refusals } = grant;
    if (refusals !== undefined && clock.now() < refusals.askAt)
      return this.#asTheyAre(grant, { tokens, isWanted }, this.#sayRefused(refusals));
    const entry = this.#health.enter(connection);
    if (!entry.allowed) {
      const { retryAfterMs } = entry;
      return this.#asTheyAre(grant, { tokens, isWanted }, { kind: "kept-back", retryAfterMs });
    }
    const { leave } = entry;
    const refreshed = this.#refresh(id, { tokens, client, isWanted, leave }).finally(() => {
      if (this.#underWay.get(id) === refreshed) this.#underWay.delete(id);
    });
    this.#underWay.set(id, refreshed);
    return refreshed;
  }

  /** Nothing to refresh with: the present ones are used as long as they are good. A key that is refused may be good for another address. */
  #withoutRefresh(
    id: string,
    grant: Grant,
    { tokens, isWanted, client }: Wanted & { readonly client: Client | null },
  ): Opened {
    const isOver = client !== null && (isWanted || !isGood(grant, this.#options.clock.now()));
    return isOver ? this.#break(id, grant, "revoked") : { kind: "tokens", tokens };
  }

  async #refresh(
    id: string,
    {
      tokens,
      client,
      isWanted,
      leave,
    }: Wanted & { readonly client: Client } & Pick<Extract<ProviderEntry, { allowed: true }>, "leave">,
  ): Promise<Opened> {
    const { clock, table, box } = this.#options;
    const begun = this.#find(id);
    if (begun === null) return GONE;
    const { connection, grant } = begun;
    const wasCutOff = grant.refreshingSince !== null;
    table.put(withGrant(connection, clock.now(), { refreshingSince: clock.now() }));
    const known = grant.refusals?.times ?? 0;
    let answer = await this.#ask(client, tokens.refresh!);
    const isNew = answer.kind === "refused" && known === 0;
    if (isNew) answer = await this.#ask(client, tokens.refresh!);
    let askedAt = answer.askedAt;
    if (answer.kind === "invalid-grant" && grant.before !== null) {
      // The one before it may still be good, where the provider gave the new one and did not keep it.
      const before = await box.open(connection, grant.before);
      const former = before?.refresh ?? null;
      if (former !== null && former !== tokens.refresh) {
        answer = await this.#ask(client, former);
        askedAt = answer.askedAt;
      }
    }
    const isAnswered = answer.kind !== "unavailable";
    const retryAfterMs = leave(isAnswered, answer.kind === "unavailable" ? answer.retryAfterMs : 0);
    const still = this.#find(id);
    const next =
      answer.kind === "tokens"
        ? { access: answer.tokens.access, refresh: answer.tokens.refresh ?? tokens.refresh }
        : null;
    const end = (): Opened => {
      if (next !== null) this.#options.onUnused(connection, next);
      return GONE;
    };
    // Deleted, or connected anew, while the provider was asked.
    if (still === null) return end();
    if (!isSame(still.grant, grant)) return this.#openAnew(id);
    if (answer.kind === "tokens" && next !== null) {
      const sealed = await box.seal(connection, next);
      const latest = this.#find(id);
      if (latest === null) return end();
      if (!isSame(latest.grant, grant)) return this.#openAnew(id);
      table.put(
        withGrant(latest.connection, clock.now(), {
          sealed,
          before: next.refresh === tokens.refresh ? null : latest.grant.sealed,
          ...timesOf(askedAt, answer.tokens.expiresInS),
          ...(answer.tokens.scopes !== null && { scopes: answer.tokens.scopes }),
          // People change their addresses.
          ...(answer.tokens.account !== null && { account: answer.tokens.account }),
          refreshingSince: null,
          refusals: undefined,
        }),
      );
      return { kind: "tokens", tokens: next };
    }
    if (answer.kind === "invalid-grant")
      return this.#break(id, grant, wasCutOff ? "refresh_lost" : "revoked");
    if (answer.kind === "refused" || answer.kind === "invalid-client")
      return this.#refuse(id, grant, { ...answer, tokens, isWanted, times: known + (isNew ? 2 : 1) });
    // An answer that was lost on the way may have had new tokens in it; one that came had none.
    if (answer.cameBack) table.put(withGrant(still.connection, clock.now(), { refreshingSince: null }));
    return this.#asTheyAre(grant, { tokens, isWanted }, { kind: "failed", retryAfterMs });
  }

  /**
   * Count a refusal in words that may be about the grant, the client or the moment. The fourth in a row is the end of the grant, unless another account got
   * the same: then the client is wrong, and no grant ends by that.
   */
  async #refuse(
    id: string,
    grant: Grant,
    { kind, answer, times, ...wanted }: Wanted & Refusal & { readonly times: number },
  ): Promise<Opened> {
    const { clock, table, onRefused, isAlike, onClientRefused } = this.#options;
    const found = this.#find(id);
    if (found === null) return GONE;
    const accountId = accountIdOf(found.connection)!;
    const refused = { connector: found.connection.connector, accountId, answer };
    onRefused(refused);
    const isLast = kind === "refused" && times >= LAST_REFUSAL;
    const ofClient =
      kind === "invalid-client" ? "said" : isLast && (await isAlike(refused)) ? "alike" : undefined;
    if (isLast && ofClient === undefined) return this.#break(id, grant, "revoked");
    const latest = this.#find(id);
    if (latest === null) return GONE;
    if (!isSame(latest.grant, grant)) return this.#openAnew(id);
    const askAt = clock.now() + pauseAfter(Math.max(times, 2));
    const refusals: Refusals = { times, answer, askAt, ...(ofClient !== undefined && { ofClient }) };
    table.put(withGrant(latest.connection, clock.now(), { refreshingSince: null, refusals }));
    if (ofClient !== undefined && latest.grant.refusals?.ofClient === undefined)
      onClientRefused(latest.connection, answer);
    return this.#asTheyAre(grant, wanted, this.#sayRefused(refusals));
  }

  #sayRefused({ ofClient, askAt }: Refusals): Opened {
    if (ofClient === "said") return { kind: "misconfigured" };
    return { kind: "failed", retryAfterMs: askAt - this.#options.clock.now() };
  }

  /** No others can be fetched just now: the present ones are used as long as they are good. */
  #asTheyAre(grant: Grant, { tokens, isWanted }: Wanted, otherwise: Opened): Opened {
    return !isWanted && isGood(grant, this.#options.clock.now()) ? { kind: "tokens", tokens } : otherwise;
  }

  /**
   * Open the tokens of what took the place of a grant. Those that came for the grant before are not taken back, because that may end all
   * tokens of the same account.
   */
  #openAnew(id: string): Promise<Opened> {
    // Else it would wait for itself.
    this.#underWay.delete(id);
    return this.open(id);
  }

  async #ask(
    client: Client,
    refreshToken: string,
  ): Promise<TokenAnswer & { readonly askedAt: number; readonly cameBack: boolean }> {
    const askedAt = this.#options.clock.now();
    const came = await this.#options.ask(makeRefresh(client, refreshToken));
    return { ...readTokenAnswer(came, client.connector), askedAt, cameBack: came !== null };
  }

  /** Say of a connection that it is broken, unless it has become another one. */
  #break(id: string, grant: Grant, because: BrokenBecause): Opened {
    const latest = this.#find(id);
    if (latest === null) return GONE;
    if (!isSame(latest.grant, grant)) return { kind: "failed", retryAfterMs: 0 };
    const { clock, table, onBroken } = this.#options;
    const change = { brokenBecause: because, refreshingSince: null };
    const broken = withGrant(latest.connection, clock.now(), change);
    table.put(broken);
    // Calls that found it broken together tell of it once.
    if (latest.grant.brokenBecause === null) onBroken(broken);
    return { kind: "broken", because };
  }

  #find(id: string): { readonly connection: Connection; readonly grant: Grant } | null {
    const connection = this.#options.table.find(id);
    const grant = connection?.grant ?? null;
    return connection === null || grant === null ? null : { connection, grant };
  }
}

/** Whether two are one grant, which may have been sealed anew since. */
function isSame(one: Grant, other: Grant): boolean {
  return one.connectedAt === other.connectedAt;
}

const GONE: Opened = { kind: "gone" };
