import { parseExact } from "../../../feature/schema.ts";
import type { Clock } from "../../../feature/kit.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import {
  arrive,
  type Connection,
  type ConnectionPlace,
  confirm,
  endLink,
  type Grant,
  countWrong,
  isMadeBy,
  isSameDigest,
  isOver,
  linkOf,
  type OpenedLink,
  openLink,
  takeState,
  timesOf,
} from "../connection.ts";
import type { OAuthConnector } from "../connectors/connector.ts";
import {
  type Exchange,
  makeAccountRequest,
  makeExchange,
  toAuthorizeUrl,
} from "../connectors/provider-request.ts";
import { readAccount, readCallback, readTokenAnswer, type Tokens } from "../connectors/token-answer.ts";
import { peopleOf } from "../http/people-of.ts";
import { challengeOf, digestOf, digestOfCode, returnTextOf, toState, typedCodeOf } from "../link-token.ts";
import {
  type ArriveAnswer,
  type CodeSaid,
  type Comeback,
  type ConfirmAnswer,
  type ConnectionShardMethods,
  type LinkMade,
  type LinkView,
  type OpenAnswer,
  toSeen,
} from "../shard-methods.ts";
import type { ConnectionTable } from "./connection-table.ts";
import type { ShardWorld } from "./shard-world.ts";

/**
 * The ways of people by the links of a shard: to the provider and back, until somebody says who came. Nothing is decided while something
 * else is waited for: each method reads the row again after it.
 */
export class Links {
  readonly #world: ShardWorld;
  readonly #table: ConnectionTable;
  readonly #tenant: string;
  readonly #clock: Clock;

  constructor(world: ShardWorld) {
    this.#world = world;
    this.#table = world.table;
    this.#tenant = world.tenant;
    this.#clock = world.clock;
  }

  async view(
    id: string,
    { secret, browser }: { readonly secret: string; readonly browser: string | null },
  ): Promise<LinkView | ArriveAnswer | null> {
    const connection = this.#table.find(id);
    if (connection === null) return null;
    const digest = digestOf("link", secret);
    if (isMadeBy(connection, { link: digest })) return toMade(connection);
    const link = linkOf(connection, this.#clock.now(), digest);
    if (link === null) return null;
    const { subject, connector, name } = connection;
    const { scopes, returnTo, site, expiresAt, opened, arrival } = link;
    // A person may have closed the page with the code.
    if (arrival !== null || opened?.isTaken === true) return this.#showAgain(connection, browser);
    return { subject, connector, name, scopes, returnTo, site, expiresAt };
  }

  async open(
    id: string,
    { secret, browser, redirectUri }: Parameters<ConnectionShardMethods["open"]>[1],
  ): Promise<OpenAnswer> {
    const digest = digestOf("link", secret);
    const connection = this.#table.find(id);
    if (connection === null) return { kind: "gone" };
    if (isMadeBy(connection, { link: digest })) return toMade(connection);
    if (linkOf(connection, this.#clock.now(), digest) === null) return { kind: "gone" };
    const connector = this.#world.oauth(connection.connector, connection.link?.site);
    if (connector === null) return { kind: "no-connector" };
    // A browser that was here before has shown what it kept; another one, or the first, is given something to keep.
    const kept = browser ?? this.#world.makeText();
    const opening = { browser: digestOf("browser", kept), redirectUri };
    const verifier = await this.#proofKeyOf(connection, opening);
    const sealed = await this.#world.seal(verifier, connection, "verifier");
    const known = this.#table.find(id);
    if (known === null) return { kind: "gone" };
    // Opened meanwhile: the form was sent twice.
    if (known.link?.opened?.state !== connection.link?.opened?.state)
      return this.open(id, { secret, browser: kept, redirectUri });
    const state = returnTextOf(verifier);
    const opened = openLink(known, this.#clock.now(), {
      ...opening,
      digest,
      state: digestOf("state", state),
      verifier: sealed,
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

  /** The proof key of a link: the same again for the browser that has begun it, which may have it in two tabs. */
  async #proofKeyOf(
    connection: Connection,
    opening: Pick<OpenedLink, "browser" | "redirectUri">,
  ): Promise<string> {
    const opened = connection.link?.opened;
    const isAgain = opened?.browser === opening.browser && opened.redirectUri === opening.redirectUri;
    const known = isAgain ? await this.#world.unseal(opened.verifier, connection, "verifier") : null;
    return known ?? this.#world.makeText();
  }

  async arrive(
    id: string,
    { state: text, browser, code, issuer = null, query = "" }: Comeback,
  ): Promise<ArriveAnswer> {
    const now = this.#clock.now();
    const known = this.#table.find(id);
    if (known === null) return { kind: "gone" };
    const state = digestOf("state", text);
    const taken = takeState(known, now, {
      state,
      browser: browser === null ? null : digestOf("browser", browser),
    });
    if (!taken.ok && taken.error === "used") return this.#showAgain(known, browser);
    if (!taken.ok) return taken.error === "made" ? toMade(known) : { kind: taken.error };
    const { link, opened, connection } = taken.value;
    const { returnTo } = link;
    const connector = this.#world.oauth(connection.connector, link.site);
    const expected = connector?.issuer ?? null;
    if (expected !== null && issuer !== expected) {
      // The code of another issuer must not be shown to this one.
      this.#world.putOrDelete(id, endLink(connection, now));
      return { kind: "failed", id, returnTo };
    }
    if (code === undefined) {
      this.#world.putOrDelete(id, endLink(connection, now));
      return { kind: "refused", id, returnTo };
    }
    // Before the provider is asked: the same address again finds nothing to do.
    this.#table.put(connection);
    const verifier = await this.#world.unseal(opened.verifier, connection, "verifier");
    const tokens =
      connector === null || verifier === null
        ? null
        : await this.#exchange(connector, { code, verifier, redirectUri: opened.redirectUri, query });
    if (tokens === null) {
      this.#endLinkOf(id, state);
      return { kind: "failed", id, returnTo };
    }
    const sealed = await this.#world.tokens.seal(connection, tokens);
    const latest = this.#table.find(id);
    const grant: Grant = {
      sealed,
      before: null,
      scopes: tokens.scopes ?? link.scopes,
      account: tokens.account,
      accountId: tokens.accountId ?? this.#world.makeAccountId(),
      ...siteOf(tokens.site ?? link.site),
      connectedAt: this.#clock.now(),
      ...timesOf(now, tokens.expiresInS),
      refreshingSince: null,
      brokenBecause: null,
    };
    if (latest?.link?.opened?.state !== state) {
      this.#world.revokeUnused(connection, grant);
      return { kind: "gone" };
    }
    const { confirmsItself: isActive, deployment } = this.#world;
    const backTo = latest.link.returnTo;
    const isTyped = backTo === null && !isActive && peopleOf(this.#tenant, deployment.configured) === null;
    const codeText = isTyped ? typedCodeOf(verifier!) : this.#world.makeText();
    const arrived = arrive(latest, this.#clock.now(), {
      state,
      code: digestOfCode(codeText),
      grant,
      confirmsItself: isActive,
      isTyped,
    });
    if (isActive) this.#world.activate(arrived);
    else {
      this.#table.put(arrived);
      this.#world.alarm.arm(arrived.link!.expiresAt);
    }
    const { account } = tokens;
    const place = toPlace(connection);
    return { kind: "arrived", id, returnTo: backTo, code: codeText, isTyped, place, account, isActive };
  }

  /** Show the code again to the browser that was shown it, as long as it is open. */
  async #showAgain(connection: Connection, browser: string | null): Promise<ArriveAnswer> {
    const { id, link } = connection;
    const { opened, arrival } = link!;
    const isBrowser = browser !== null && isSameDigest(opened!.browser, digestOf("browser", browser));
    if (!isBrowser || arrival?.wrong === undefined) return { kind: "used" };
    const verifier = await this.#world.unseal(opened!.verifier, connection, "verifier");
    if (verifier === null) return { kind: "used" };
    const [code, place] = [typedCodeOf(verifier), toPlace(connection)];
    const account = arrival.grant?.account ?? null;
    return { kind: "arrived", id, returnTo: null, code, isTyped: true, place, account, isActive: false };
  }

  confirm(
    id: string,
    { code, subject }: { readonly code: string; readonly subject: string | null },
  ): ConfirmAnswer {
    const known = this.#table.find(id);
    if (known === null || isOver(known, this.#clock.now())) return { kind: "unknown" };
    const confirmed = confirm(known, this.#clock.now(), { code: digestOfCode(code), subject });
    if (confirmed.kind === "no-code") return this.#countWrong([known]);
    if (confirmed.kind === "other-subject") {
      this.#world.putOrDelete(id, confirmed.left);
      // In a sandbox it was used already.
      this.#world.revokeUnused(known, known.link?.arrival?.grant ?? known.grant);
      return { kind: "other-subject" };
    }
    // One that was used at once was told of then.
    if (this.#world.confirmsItself) this.#table.put(confirmed.connection);
    else this.#world.activate(confirmed.connection);
    return { kind: "active", connection: toSeen(confirmed.connection, "active") };
  }

  /** The same, where the code alone says which connection: among the subject's own, or all that are kept here. */
  confirmCode({ code, subject, isOwnOnly }: CodeSaid): ConfirmAnswer {
    const now = this.#clock.now();
    const digest = digestOfCode(code);
    const arrived = this.#table.arrived().filter(({ link }) => now < link!.expiresAt);
    const own = arrived.filter((one) => one.subject === subject);
    const [found] = (isOwnOnly ? own : arrived).filter(({ link }) =>
      isSameDigest(link!.arrival!.code, digest),
    );
    return found === undefined ? this.#countWrong(own) : this.confirm(found.id, { code, subject });
  }

  #countWrong(said: readonly Connection[]): ConfirmAnswer {
    for (const connection of said) {
      const counted = countWrong(connection, this.#clock.now());
      if (counted === null) continue;
      this.#table.put(counted.connection);
      this.#world.revokeUnused(connection, counted.ended);
    }
    return { kind: "no-code" };
  }

  /** Forget accounts that were brought and of which the caller did not say in time whose they are. */
  endUnconfirmed(): void {
    const now = this.#clock.now();
    for (const connection of this.#table.arrived()) {
      const { id, link } = connection;
      // In a sandbox it is used by now.
      if (link!.arrival!.grant === null) continue;
      if (now < link!.expiresAt) {
        this.#world.alarm.arm(link!.expiresAt);
        continue;
      }
      this.#world.putOrDelete(id, endLink(connection, now));
      this.#world.revokeUnused(connection, link!.arrival!.grant);
    }
  }

  async #exchange(
    connector: OAuthConnector,
    given: Exchange & { readonly query: string },
  ): Promise<Tokens | null> {
    const came = await readCallback(
      this.#world.clientOf(connector),
      new URLSearchParams(given.query),
      this.#world.deployment.ports.sign,
    );
    if (!came.isRight) return null;
    const answer = readTokenAnswer(
      await this.#world.ask(makeExchange(this.#world.clientOf(connector), given)),
      connector,
    );
    if (answer.kind !== "tokens") return null;
    const { accountId: said } = came;
    const tokens =
      said === null
        ? answer.tokens
        : { ...answer.tokens, accountId: said, account: answer.tokens.account ?? said };
    const isTold = tokens.account !== null && tokens.accountId !== null;
    const request = isTold ? null : makeAccountRequest(connector, tokens.access);
    if (request === null) return tokens;
    const answered = await this.#world.ask(request);
    const parsed = answered?.status === 200 ? attemptNow(() => parseExact(answered.text)) : null;
    if (parsed?.ok !== true) return tokens;
    const accountIdAt = connector.accountRequest?.idAt ?? connector.accountIdAt;
    const { account, accountId } = readAccount(parsed.value, { ...connector, accountIdAt });
    return { ...tokens, account: account ?? tokens.account, accountId: accountId ?? tokens.accountId };
  }

  #endLinkOf(id: string, state: string): void {
    const latest = this.#table.find(id);
    if (latest?.link?.opened?.state === state)
      this.#world.putOrDelete(id, endLink(latest, this.#clock.now()));
  }
}

function toPlace({ subject, connector, name }: Connection): ConnectionPlace {
  return { subject, connector, name };
}

function siteOf(site: string | undefined): Pick<Grant, "site"> {
  return site === undefined ? {} : { site };
}

function toMade({ connector }: Connection): LinkMade {
  return { kind: "made", connector };
}
