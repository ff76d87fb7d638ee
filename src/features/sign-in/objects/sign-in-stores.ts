import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../limits.ts";
import { callBounded, type CallBounds } from "../../../cloudflare/gate-client/call-bounded.ts";
import {
  compareSignIns,
  type Kept,
  type KeptSignIn,
  type ListedKey,
  type ListOptions,
  shardOfKey,
  type SignInPlace,
  type SignInStoreMethods,
  type Writing,
  type Written,
} from "../store-methods.ts";

type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};

/** The binding, as much of it as the client uses. */
export interface SignInNamespace {
  idFromName(name: string): object;
  get(id: object): Promised<SignInStoreMethods>;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): SignInNamespace;
}

/** The objects that keep sign-ins, as one. Everything rejects where an object does not answer. */
export interface SignInStores {
  read(key: string): Promise<Kept | null>;
  write(key: string, value: string, options: Writing): Promise<Written>;
  drop(key: string): Promise<boolean>;
  /** List keys of one owner. */
  list(prefix: string, options: ListOptions): Promise<readonly ListedKey[]>;
  use(key: string, untilMs: number): Promise<void>;
  signIns(prefix: string, after: SignInPlace | null, limit: number): Promise<readonly KeptSignIn[]>;
  end(prefix: string, id: string): Promise<string | null>;
  forget(prefix: string): Promise<number>;
}

/** Create a client of the objects that keep sign-ins. */
export function createSignInStores(namespace: SignInNamespace, bounds: CallBounds): SignInStores {
  const ask = <T>(shard: number, send: (stub: Promised<SignInStoreMethods>) => Promise<T>): Promise<T> =>
    callBounded(() => send(namespace.get(namespace.idFromName(`sign-ins ${shard}`))), bounds);
  const askAll = <T>(send: (stub: Promised<SignInStoreMethods>) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: LIMITS.signInShards }, (_, shard) => ask(shard, send)));
  return {
    read: (key) => ask(shardOfKey(key), (stub) => stub.read(key)),
    write: (key, value, options) => ask(shardOfKey(key), (stub) => stub.write(key, value, options)),
    drop: (key) => ask(shardOfKey(key), (stub) => stub.drop(key)),
    list: (prefix, options) => ask(shardOfKey(prefix), (stub) => stub.list(prefix, options)),
    use: (key, untilMs) => ask(shardOfKey(key), (stub) => stub.use(key, untilMs)),
    async signIns(prefix, after, limit) {
      const lists = await askAll((stub) => stub.signIns(prefix, after, limit));
      return lists.flat().sort(compareSignIns).slice(0, limit);
    },
    async end(prefix, id) {
      const names = await askAll((stub) => stub.end(prefix, id));
      return names.find((name) => name !== null) ?? null;
    },
    async forget(prefix) {
      const counts = await askAll((stub) => stub.forget(prefix));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
