import type { TakenRows } from "../../feature/kit.ts";
import type { Refused } from "./objects/refused-lately.ts";
import {
  accountIdOf,
  type BrokenBecause,
  type Connection,
  type ConnectionPlace,
  type Link,
} from "./connection.ts";

/** The binding of the objects that keep connections. */
export const CONNECTIONS = "CONNECTIONS";

/** A connection as it is told: nothing sealed, and no digest. */
export interface SeenConnection extends ConnectionPlace {
  readonly id: string;
  readonly state: "pending" | "active" | "broken";
  readonly brokenBecause: BrokenBecause | null;
  readonly scopes: readonly string[];
  readonly account: string | null;
  readonly accountId: string | null;
  /** The account's own part of the provider's addresses; null where there is none. */
  readonly site: string | null;
  /** The refusal of the client that keeps it from being renewed; null where it is another's, or none. */
  readonly clientRefused: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly connectedAt: number | null;
  /** When the link that is under way ends; null without one. */
  readonly linkExpiresAt: number | null;
}

/** A link that was made, with the text in its address. */
export interface MadeLink {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: number;
}

export type StartAnswer =
  | { readonly kind: "started"; readonly link: MadeLink }
  | { readonly kind: "too-many"; readonly of: "subject" | "tenant" };

export type KeepAnswer =
  | { readonly kind: "kept"; readonly connection: SeenConnection }
  | { readonly kind: "too-many"; readonly of: "subject" | "tenant" };

/** The page of a link: what it would connect. */
export type LinkView = ConnectionPlace & Pick<Link, "scopes" | "returnTo" | "site" | "expiresAt">;

/** A link by which the account is connected already. */
export interface LinkMade extends Pick<ConnectionPlace, "connector"> {
  readonly kind: "made";
}

export type OpenAnswer =
  | { readonly kind: "opened"; readonly authorizeUrl: string; readonly browser: string }
  | LinkMade
  | { readonly kind: "gone" | "used" | "no-connector" };

/** A browser that the provider sent back. */
export interface Comeback {
  /** The text of its state, without what says where to look. */
  readonly state: string;
  /** The text that the browser kept; null for a client that keeps nothing. */
  readonly browser: string | null;
  /** Absent where the provider says no instead. */
  readonly code?: string | undefined;
  /** The issuer that it says it is of (RFC 9207). */
  readonly issuer?: string | null;
  /** All that came with it, as it stood in the address. */
  readonly query?: string;
}

export type ArriveAnswer =
  | {
      readonly kind: "arrived";
      readonly id: string;
      readonly returnTo: string | null;
      /** By it the caller knows the browser. */
      readonly code: string;
      /** A person types it: the page shows it. */
      readonly isTyped: boolean;
      readonly place: ConnectionPlace;
      readonly account: string | null;
      readonly isActive: boolean;
    }
  /** The person said no, or the provider refused. */
  | { readonly kind: "refused" | "failed"; readonly id: string; readonly returnTo: string | null }
  | LinkMade
  | { readonly kind: "gone" | "used" | "other-browser" };

/** A person who is back from the issuer, with what was kept for that. */
export type VisitAnswer =
  | { readonly kind: "back"; readonly kept: string; readonly place: ConnectionPlace }
  | { readonly kind: "gone" | "other-browser" };

export type ConfirmAnswer =
  | { readonly kind: "active"; readonly connection: SeenConnection }
  | { readonly kind: "other-subject" | "no-code" | "unknown" };

/** A code that says by itself which connection it is of. */
export interface CodeSaid {
  readonly code: string;
  readonly subject: string;
  /** Only connections of the subject are looked at; else one of another subject is ended. */
  readonly isOwnOnly: boolean;
}

/** A call that needs a token. */
export interface TokenWish extends ConnectionPlace {
  readonly scopes: readonly string[];
  /** An access token that the service did not take, by its digest: another one is wanted. */
  readonly refused?: string;
  /** The caller only looks whether there is one, and does without it otherwise: no link is made. */
  readonly isLook?: true;
  /** Where a link that is made for it leads back to. */
  readonly returnTo?: string | undefined;
}

export type UseAnswer =
  | {
      readonly kind: "token";
      readonly access: string;
      readonly account: string | null;
      readonly accountId: string;
      readonly site?: string | undefined;
      /** When it was connected; an earlier version did not say. */
      readonly connectedAt?: number;
    }
  | {
      readonly kind: "required";
      readonly because: "missing" | "pending" | "scopes" | BrokenBecause;
      /** The scopes that it has too few. */
      readonly missing: readonly string[];
      /** Null where there is none to make: of a connector of keys, or where the subject has too many. */
      readonly link: MadeLink | null;
      /** The link shows a code in the end, because neither an application nor an issuer says who came. */
      readonly showsCode: boolean;
    }
  /** The provider does not know the client. */
  | { readonly kind: "misconfigured" }
  /** It gave no token, or was not asked for one, because it has been failing. It is left alone for so long. */
  | { readonly kind: "failed" | "kept-back"; readonly retryAfterMs: number };

/** A place in the list of connections, newest first. */
export interface ListPlace {
  readonly createdAt: number;
  readonly id: string;
}

export interface ConnectionQuery {
  readonly subject: string | null;
  readonly connector: string | null;
  readonly after: ListPlace | null;
  readonly limit: number;
}

/** Connections that were sealed anew. */
export interface Resealed {
  readonly sealed: number;
  /** Those that no key opens. */
  readonly unreadable: number;
  /** Where the next call goes on; null at the end. */
  readonly next: string | null;
}

/** An account at a provider. */
export interface HeldAccount {
  readonly connector: string;
  readonly accountId: string;
  /** Its name. */
  readonly account: string | null;
}

/** The methods of an object that keeps connections. */
export interface ConnectionShardMethods {
  start(place: ConnectionPlace, wish: Pick<Link, "scopes" | "returnTo" | "site">): Promise<StartAnswer>;
  keepKey(place: ConnectionPlace, key: string): Promise<KeepAnswer>;
  /** A link that somebody came back by is answered as the way back is, to the same browser. */
  view(
    id: string,
    by: { readonly secret: string; readonly browser: string | null },
  ): Promise<LinkView | ArriveAnswer | null>;
  open(
    id: string,
    opening: { readonly secret: string; readonly browser: string | null; readonly redirectUri: string },
  ): Promise<OpenAnswer>;
  arrive(id: string, comeback: Comeback): Promise<ArriveAnswer>;
  /** A person who arrived goes on to the issuer; the text that is to come back, null where it is over. */
  beginVisit(id: string, visit: { readonly code: string; readonly kept: string }): Promise<string | null>;
  endVisit(id: string, comeback: Pick<Comeback, "state" | "browser">): Promise<VisitAnswer>;
  /** @param said the subject is null where the person did not show who it is */
  confirm(id: string, said: { readonly code: string; readonly subject: string | null }): ConfirmAnswer;
  confirmCode(said: CodeSaid): ConfirmAnswer;
  token(wish: TokenWish): Promise<UseAnswer>;
  /** Hear of actions that wait for these: what can run by now is run. */
  awaited(places: readonly ConnectionPlace[]): void;
  /** Whether it got the same refusal for another account in the last minute. */
  isAlike(refused: Refused): boolean;
  /** Whether one of its connections that work is of an account. */
  holds(account: HeldAccount): boolean;
  get(id: string): SeenConnection | null;
  list(query: ConnectionQuery): TakenRows<SeenConnection>;
  remove(id: string): Promise<boolean>;
  reseal(after: string | null): Promise<Resealed>;
  erase(): Promise<number>;
}

/** A connection as it is told. */
export function toSeen(connection: Connection, state: SeenConnection["state"]): SeenConnection {
  const { id, subject, connector, name, createdAt, updatedAt, grant, link } = connection;
  return {
    id,
    subject,
    connector,
    name,
    state,
    brokenBecause: grant?.brokenBecause ?? null,
    scopes: grant?.scopes ?? [],
    account: grant?.account ?? null,
    accountId: accountIdOf(connection),
    site: grant?.site ?? link?.site ?? null,
    clientRefused: grant?.refusals?.ofClient === undefined ? null : grant.refusals.answer,
    createdAt,
    updatedAt,
    connectedAt: grant?.connectedAt ?? null,
    linkExpiresAt: link?.expiresAt ?? null,
  };
}
