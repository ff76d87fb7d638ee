import { sha256, type TakenRows } from "../../feature/kit.ts";
import * as LIMITS from "./limits.ts";

/** The binding of the objects that keep sign-ins. */
export const SIGN_INS = "SIGN_INS";

/** A record, and how often it was written. */
export interface Kept {
  readonly value: string;
  readonly version: number;
}

export interface Writing {
  /** When the request came that writes. */
  readonly begunAt?: number;
  /** The part that a list tells of, as JSON; null for nothing. */
  readonly metadata: string | null;
  /** When it ends, in milliseconds since the epoch; null where it does not. */
  readonly expiresAtMs: number | null;
  /** The version that it replaces, 0 for none; null for whichever there is. */
  readonly expected: number | null;
  /** The client was not let in yet: it is kept for as long as there is room. */
  readonly unused: boolean;
}

/** The fate of a write: another was quicker, or its owner has as many as may be. */
export type Written = "written" | "conflict" | "full";

export interface ListedKey {
  readonly name: string;
  readonly metadata: string | null;
  readonly expiresAtMs: number | null;
}

/** A place in a list of keys. */
export interface ListOptions {
  /** The key after which it begins; null for the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

/** A sign-in as its object has it: who owns it, and the record of the library that keeps it. */
export interface KeptSignIn {
  /** Its owner and its id. */
  readonly name: string;
  readonly createdAt: number;
  readonly value: string;
}

/** A place in a list of sign-ins, which has the newest first. */
export interface SignInPlace {
  readonly createdAt: number;
  readonly name: string;
}

/** The methods of one of the objects that keep sign-ins. Each is one turn of it. */
export interface SignInStoreMethods {
  read(key: string): Kept | null;
  write(key: string, value: string, options: Writing): Written;
  /** Delete a record; whether there was one. */
  drop(key: string): boolean;
  /** List keys that begin so, in their order. */
  list(prefix: string, options: ListOptions): ListedKey[];
  /** A client was let in: keep it for longer. */
  use(key: string, untilMs: number): void;
  /** Sign-ins of owners that begin so and were redeemed, the newest first. */
  signIns(prefix: string, after: SignInPlace | null, limit: number): TakenRows<KeptSignIn>;
  /** End a sign-in of owners that begin so, with its tokens; its whole name, null where there is none. */
  end(prefix: string, id: string): string | null;
  /** Forget everything of the owners that begin so; how many sign-ins that were. */
  forget(prefix: string): number;
}

/** The object that keeps a record: everything of one owner is in one, so that a sign-in ends in one turn. */
export function shardOfKey(key: string): number {
  const [kind, owner] = key.split(":", 2);
  const place = ["grant", "token", "spent", "again"].includes(kind!) ? owner! : key;
  return Number.parseInt(sha256(place)[0]!, 16) % LIMITS.signInShards;
}

/** Put the newest first, names deciding between those of one moment. */
export function compareSignIns(a: SignInPlace, b: SignInPlace): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
