import * as LIMITS from "./limits.ts";
import { err, ok, type Result } from "../../feature/refuse.ts";
import { sha256 } from "../../feature/kit.ts";

/** The states of a connection, as they are told. */
export const CONNECTION_STATES = ["pending", "active", "broken"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * Why a connection is broken: the provider does not take its tokens any more; a refresh was cut off, and its answer may have had the only
 * token that is good; or no key of the vault opens it.
 */
export const BROKEN_BECAUSE = ["revoked", "refresh_lost", "unreadable"] as const;
export type BrokenBecause = (typeof BROKEN_BECAUSE)[number];

/** Tokens that were given, sealed, and what is known of them. */
export interface Grant {
  readonly sealed: string;
  /** Those that a refresh has replaced; kept until the next refresh shows that its tokens are good. */
  readonly before: string | null;
  readonly scopes: readonly string[];
  readonly account: string | null;
  /** The provider's id of the account, or one of this consent where it gives none; absent in rows of earlier versions. */
  readonly accountId?: string;
  /** The part of the provider's addresses that is the account's own; absent where there is none. */
  readonly site?: string;
  readonly connectedAt: number;
  /** From then on the access token is refreshed before it is used, and from then on it is not good; null for one that does not end. */
  readonly refreshAt: number | null;
  readonly endsAt: number | null;
  /** Since when a refresh is under way, or was when it was cut off; null where none is. */
  readonly refreshingSince: number | null;
  readonly brokenBecause: BrokenBecause | null;
  /** The refusals of its refresh token in a row; absent where the last answer was none. */
  readonly refusals?: Refusals | undefined;
}

/** Refusals of a refresh token by words that may be about the grant, the client or the moment. */
export interface Refusals {
  readonly times: number;
  /** The last one: its status and the provider's word. */
  readonly answer: string;
  /** The provider is not asked before. */
  readonly askAt: number;
  /** The client is wrong: the provider says so, or refuses other accounts alike. */
  readonly ofClient?: "said" | "alike";
}

/** A person at the provider, by one link. */
export interface OpenedLink {
  /** Digests of the text that comes back with the person, and of what the browser keeps. */
  readonly state: string;
  readonly browser: string;
  /** The proof key, sealed. */
  readonly verifier: string;
  readonly redirectUri: string;
  /** The provider has sent somebody back with it: it is taken once. */
  readonly isTaken: boolean;
}

/** Somebody came back with an account, and the caller has not said yet who. */
export interface Arrival {
  /** The digest of the code by which the caller knows the browser. */
  readonly code: string;
  /** Null where it is used already: in a sandbox. */
  readonly grant: Grant | null;
  /** How many wrong codes were said of it; absent where its code is no typed one, which cannot be guessed. */
  readonly wrong?: number;
  /** Where no application says who came, the person is at the issuer to show it; absent before and after. */
  readonly visit?: Visit;
}

/** A person at the issuer. */
export interface Visit {
  /** The digest of the text that comes back with the person. */
  readonly state: string;
  /** The text that is needed then, sealed. */
  readonly kept: string;
}

/** The way to a new grant. Each of its three texts is good once, and all of it for ten minutes. */
export interface Link {
  /** The digest of the text in its address. */
  readonly digest: string;
  /** That text, sealed: a call that needs the same link again is given the same. */
  readonly sealed: string;
  readonly scopes: readonly string[];
  readonly returnTo: string | null;
  readonly site?: string | undefined;
  readonly expiresAt: number;
  readonly opened: OpenedLink | null;
  readonly arrival: Arrival | null;
}

/** A connection of a subject to a provider, by connector and name. */
export interface Connection {
  readonly id: string;
  readonly subject: string;
  readonly connector: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null until the caller has said once that the right one came. */
  readonly grant: Grant | null;
  /** Null where none is under way. */
  readonly link: Link | null;
  /** The digests of the link that the grant came by, and of what came back with the person; absent where none did. */
  readonly madeBy?: { readonly link: string; readonly state: string };
}

/** A connection by what it is, without its state. */
export type ConnectionPlace = Pick<Connection, "subject" | "connector" | "name">;

/** The state of a connection. One that is connected anew stays what it was until the new grant is confirmed. */
export function stateOf({ grant }: Pick<Connection, "grant">): ConnectionState {
  if (grant === null) return "pending";
  return grant.brokenBecause === null ? "active" : "broken";
}

/** The id of a connection's account; null without a grant. Those of earlier versions have one of their consent. */
export function accountIdOf({ id, grant }: Pick<Connection, "id" | "grant">): string | null {
  if (grant === null) return null;
  return grant.accountId ?? `ac_${sha256(`${id} ${grant.connectedAt}`).slice(0, 32)}`;
}

/** Whether a connection that never had a grant can have none any more: its link is over. */
export function isOver({ grant, link }: Connection, now: number): boolean {
  return grant === null && (link === null || now >= link.expiresAt);
}

/** Whether a connection is active by a link, which leads nowhere any more: a person may have it in another tab. */
export function isMadeBy(connection: Connection, by: Partial<NonNullable<Connection["madeBy"]>>): boolean {
  const { madeBy } = connection;
  if (madeBy === undefined || stateOf(connection) !== "active") return false;
  return madeBy.link === by.link || madeBy.state === by.state;
}

/** Begin a link: it takes the place of one that was under way. */
export function startLink(
  connection: Connection,
  now: number,
  link: Pick<Link, "digest" | "sealed" | "scopes" | "returnTo" | "site">,
): Connection {
  const expiresAt = now + LIMITS.connectionLinkMs;
  return { ...connection, updatedAt: now, link: { ...link, expiresAt, opened: null, arrival: null } };
}

/** The link that somebody has, as long as it leads anywhere. */
export function linkOf(connection: Connection, now: number, digest: string): Link | null {
  const { link } = connection;
  return link === null || link.digest !== digest || now >= link.expiresAt ? null : link;
}

/**
 * Whether a link is given again to a call that misses the connection. Another one in its place would end it: for the person who has it, or
 * is on the way by it, or has come back and waits for the caller's word. A link that was not begun needs time for that.
 */
export function isGivenAgain({ opened, arrival, expiresAt }: Link, now: number): boolean {
  // In a sandbox the account is used by now, and the link has done all that it can.
  if (arrival?.grant === null) return false;
  return opened === null ? expiresAt - now >= LIMITS.connectionLinkMs / 5 : now < expiresAt;
}

/** Have a link ask for more scopes too, as long as it was not begun. */
export function widenLink(connection: Connection, scopes: readonly string[]): Connection {
  const { link } = connection;
  return link === null || link.opened !== null ? connection : { ...connection, link: { ...link, scopes } };
}

/** Have a link lead back to the address of the latest call, until a person comes back by it. */
export function turnLink(connection: Connection, returnTo: string | null): Connection {
  const { link } = connection;
  if (link === null || link.arrival !== null || returnTo === null) return connection;
  return { ...connection, link: { ...link, returnTo } };
}

/** Send a person to the provider. The same browser may try again; another one may not, because the link was passed on. */
export function openLink(
  connection: Connection,
  now: number,
  { digest, ...opened }: Omit<OpenedLink, "isTaken"> & { readonly digest: string },
): Result<Connection, "gone" | "used"> {
  const link = linkOf(connection, now, digest);
  if (link === null) return err("gone");
  if (link.arrival !== null || link.opened?.isTaken === true) return err("used");
  if (link.opened !== null && link.opened.browser !== opened.browser) return err("used");
  return ok({ ...connection, updatedAt: now, link: { ...link, opened: { ...opened, isTaken: false } } });
}

/** Somebody who came back from the provider. */
export interface Returned {
  readonly state: string;
  /** Null of a client that keeps nothing, and that another page cannot have sent here. */
  readonly browser: string | null;
}

/** Take the text that came back, once, before anything is asked with it. */
export function takeState(
  connection: Connection,
  now: number,
  { state, browser }: Returned,
): Result<
  { readonly connection: Connection; readonly link: Link; readonly opened: OpenedLink },
  "gone" | "used" | "made" | "other-browser"
> {
  if (isMadeBy(connection, { state })) return err("made");
  const { link } = connection;
  const opened = link?.opened;
  if (link === null || now >= link.expiresAt || opened?.state !== state) return err("gone");
  if (opened.isTaken) return err("used");
  if (browser !== null && browser !== opened.browser) return err("other-browser");
  const taken = { ...link, opened: { ...opened, isTaken: true } };
  return ok({ connection: { ...connection, updatedAt: now, link: taken }, link: taken, opened });
}

/** Keep what a person brought, until the caller says who it was; in a sandbox it is used at once. */
export function arrive(
  connection: Connection,
  now: number,
  {
    state,
    code,
    grant,
    confirmsItself,
    isTyped = false,
  }: {
    readonly state: string;
    readonly code: string;
    readonly grant: Grant;
    readonly confirmsItself: boolean;
    /** The code is one that a person is shown and types. */
    readonly isTyped?: boolean;
  },
): Connection {
  const { link } = connection;
  // Another link was begun while the provider was asked.
  if (link?.opened?.state !== state) return connection;
  const arrival = { code, grant: confirmsItself ? null : grant, ...(isTyped && { wrong: 0 }) };
  const arrived = { ...link, expiresAt: now + LIMITS.connectionLinkMs, arrival };
  return {
    ...connection,
    updatedAt: now,
    link: arrived,
    ...(confirmsItself && { grant, madeBy: { link: link.digest, state } }),
  };
}

/** End a link. Null where nothing is left of the connection. */
export function endLink(connection: Connection, now: number): Connection | null {
  return connection.grant === null ? null : { ...connection, updatedAt: now, link: null };
}

/** The end of a confirmation. */
export type Confirmed =
  | { readonly kind: "active"; readonly connection: Connection }
  /** Another one had come: it is over. */
  | { readonly kind: "other-subject"; readonly left: Connection | null }
  | { readonly kind: "no-code" };

/** The caller says who came; null for a person who did not show it. */
export function confirm(
  connection: Connection,
  now: number,
  { code, subject }: { readonly code: string; readonly subject: string | null },
): Confirmed {
  const { link } = connection;
  const arrival = link?.arrival;
  if (link === null || now >= link.expiresAt || arrival === null || arrival === undefined)
    return { kind: "no-code" };
  if (!isSameDigest(arrival.code, code)) return { kind: "no-code" };
  if (subject !== connection.subject) {
    // In a sandbox it was used already; then nothing is left to go back to.
    const left = arrival.grant === null ? null : endLink(connection, now);
    return { kind: "other-subject", left };
  }
  const grant = arrival.grant ?? connection.grant;
  const madeBy = { link: link.digest, state: link.opened!.state };
  return { kind: "active", connection: { ...connection, updatedAt: now, grant, link: null, madeBy } };
}

/** An arrival that was ended by wrong codes: no code is its own. */
const ENDED: Arrival = { code: "", grant: null };

/** Count a wrong code that was said of a connection: so many end what waits for one. Null where none that can be guessed is open. */
export function countWrong(
  connection: Connection,
  now: number,
): { readonly connection: Connection; readonly ended: Grant | null } | null {
  const { link } = connection;
  const arrival = link?.arrival;
  if (link === null || now >= link.expiresAt || arrival?.wrong === undefined) return null;
  const wrong = arrival.wrong + 1;
  const isOver = wrong >= LIMITS.wrongCodes;
  const left = { ...link, arrival: isOver ? ENDED : { ...arrival, wrong } };
  return { connection: { ...connection, updatedAt: now, link: left }, ended: isOver ? arrival.grant : null };
}

/** Compare digests in a time that tells nothing of how far they are the same. */
export function isSameDigest(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

/** Change the grant of a connection that has one. */
export function withGrant(connection: Connection, now: number, change: Partial<Grant>): Connection {
  const { grant } = connection;
  return grant === null ? connection : { ...connection, updatedAt: now, grant: { ...grant, ...change } };
}

/** The times of an access token. Its life is counted from the question, because the way of the answer is part of it. */
export function timesOf(askedAt: number, expiresInS: number | null): Pick<Grant, "refreshAt" | "endsAt"> {
  if (expiresInS === null) return { refreshAt: null, endsAt: null };
  const lifeMs = 1_000 * expiresInS;
  // Clocks differ, and a request that waits for a slot is to arrive in time.
  const marginMs = Math.min(LIMITS.tokenMarginMs, lifeMs / 2);
  return { refreshAt: askedAt + lifeMs - marginMs, endsAt: askedAt + lifeMs };
}

/** How long a provider is left alone after so many refusals in a row. The first is asked about again at once: it may have been the moment. */
export function pauseAfter(refusals: number): number {
  return [0, 0, 20_000, 40_000][refusals] ?? 60_000;
}

/** Whether an access token is to be refreshed before it is used. */
export function isDue({ refreshAt }: Grant, now: number): boolean {
  return refreshAt !== null && now >= refreshAt;
}

/** Whether an access token is good still. */
export function isGood({ endsAt }: Grant, now: number): boolean {
  return endsAt === null || now < endsAt;
}
