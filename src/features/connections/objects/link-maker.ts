import type { Clock } from "../../../feature/kit.ts";
import {
  type Connection,
  type ConnectionPlace,
  isGivenAgain,
  type Link,
  startLink,
  turnLink,
  widenLink,
} from "../connection.ts";
import type { OAuthConnector } from "../connectors/connector.ts";
import { missingScopes, scopesOfLink } from "../connectors/scopes.ts";
import { peopleOf } from "../http/people-of.ts";
import { digestOf } from "../link-token.ts";
import type { MadeLink, StartAnswer, UseAnswer } from "../shard-methods.ts";
import type { ConnectionTable } from "./connection-table.ts";
import type { ShardWorld } from "./shard-world.ts";

/** A connection that a call needs and has not. */
export interface Lack {
  readonly because: Extract<UseAnswer, { kind: "required" }>["because"];
  readonly scopes: readonly string[];
  /** The scopes that it has too few. */
  readonly missing?: readonly string[];
  /** Where the link leads back to. */
  readonly returnTo?: string | null | undefined;
}

/** A link that calls need. */
interface Wish {
  readonly wanted: readonly string[];
  readonly returnTo: string | null;
  readonly connector: OAuthConnector;
}

/** Makes the links of a shard: for an application that asks for one, and for calls that miss a connection. */
export class LinkMaker {
  readonly #world: ShardWorld;
  readonly #table: ConnectionTable;
  readonly #clock: Clock;
  /** Links that are being made: many calls that miss the same connection are given the same one. */
  readonly #making = new Map<string, Promise<MadeLink>>();

  constructor(world: ShardWorld) {
    this.#world = world;
    this.#table = world.table;
    this.#clock = world.clock;
  }

  async start(
    place: ConnectionPlace,
    wish: Pick<Link, "scopes" | "returnTo" | "site">,
  ): Promise<StartAnswer> {
    const room = this.#world.room(place);
    if (room !== null) return room;
    const connector = this.#world.oauth(place.connector);
    if (connector === null) throw new Error(`Cannot start a link: '${place.connector}' has none`);
    const granted = this.#table.at(place)?.grant?.scopes ?? [];
    const scopes = scopesOfLink(wish.scopes, granted, connector);
    return { kind: "started", link: await this.#startLink(place, { ...wish, scopes }) };
  }

  /** Say that a call needs a person, and give the link: the one that is there, where it will do. */
  async require(
    place: ConnectionPlace,
    { because, scopes, missing = [], returnTo = null }: Lack,
  ): Promise<UseAnswer> {
    const connector = this.#world.oauth(place.connector);
    const { configured } = this.#world.deployment;
    const isSaid = this.#world.confirmsItself || peopleOf(this.#world.tenant, configured) !== null;
    const none = { kind: "required", because, missing, link: null, showsCode: false } as const;
    if (connector === null || this.#world.room(place) !== null) return none;
    // The application alone knows the site of an account that never was connected.
    const known = this.#table.at(place);
    const site = known?.grant?.site ?? known?.link?.site;
    if (connector.site?.fallback === null && site === undefined) return none;
    const wanted = scopesOfLink(scopes, this.#table.at(place)?.grant?.scopes ?? [], connector);
    const link = await this.#offerLink(place, { wanted, returnTo, connector });
    return { ...none, link, showsCode: !isSaid && link.returnTo === null };
  }

  /** Give the link that is there, where there is one, or make one: once for all calls that miss the same connection. */
  async #offerLink(place: ConnectionPlace, wish: Wish): Promise<MadeLink & Pick<Link, "returnTo">> {
    const key = JSON.stringify([place.subject, place.connector, place.name]);
    for (;;) {
      const known = this.#table.at(place);
      const again = known === null ? null : await this.#giveAgain(known, wish);
      if (again !== null) return again;
      const making = this.#making.get(key);
      if (making === undefined) break;
      // It may ask for fewer scopes: then it is given again, for more.
      await making;
    }
    const { wanted: scopes, returnTo } = wish;
    const { grant, link: former } = this.#table.at(place) ?? {};
    const site = grant?.site ?? former?.site;
    const made = this.#startLink(place, { scopes, returnTo, site });
    this.#making.set(key, made);
    const link = await made.finally(() => this.#making.delete(key));
    return { ...link, returnTo };
  }

  /** Give the link that is there to one more call, which may need more scopes; null where there is none to give. */
  async #giveAgain(
    { id, link: first, ...known }: Connection,
    { wanted, returnTo: wantedBack, connector }: Wish,
  ): Promise<(MadeLink & Pick<Link, "returnTo">) | null> {
    if (first === null || !isGivenAgain(first, this.#clock.now())) return null;
    const secret = await this.#world.unseal(first.sealed, { ...known, id }, "link");
    const latest = this.#table.find(id);
    const link = latest?.link ?? null;
    if (secret === null || latest === null || link?.digest !== first.digest) return null;
    const isMore = missingScopes(wanted, link.scopes, connector).length > 0;
    const wider = isMore ? widenLink(latest, scopesOfLink(wanted, link.scopes, connector)) : latest;
    const turned = turnLink(wider, wantedBack);
    if (turned !== latest) this.#table.put(turned);
    const { expiresAt, returnTo } = turned.link!;
    return { id, secret, expiresAt, returnTo };
  }

  async #startLink(
    place: ConnectionPlace,
    { scopes, returnTo, site }: Pick<Link, "scopes" | "returnTo" | "site">,
  ): Promise<MadeLink> {
    const { subject } = place;
    const secret = this.#world.makeText();
    const { known, sealed } = await this.#world.sealFor(place, (id) =>
      this.#world.seal(secret, { subject, id }, "link"),
    );
    const now = this.#clock.now();
    const link = { digest: digestOf("link", secret), sealed, scopes, returnTo, site };
    const started = startLink(known, now, link);
    this.#table.put(started);
    this.#world.revokeUnused(known, known.link?.arrival?.grant);
    return { id: started.id, secret, expiresAt: started.link!.expiresAt };
  }
}
