import { type CallBounds, type ObjectNamespace, openObject } from "../../../feature/object.ts";
import { mergeRows, type TakenRows } from "../../../feature/kit.ts";
import * as LIMITS from "../limits.ts";
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

/** The objects that keep sign-ins, as one. Everything rejects where an object does not answer. */
export interface SignInStores {
  read(key: string): Promise<Kept | null>;
  write(key: string, value: string, options: Writing): Promise<Written>;
  drop(key: string): Promise<boolean>;
  /** List keys of one owner. */
  list(prefix: string, options: ListOptions): Promise<readonly ListedKey[]>;
  use(key: string, untilMs: number): Promise<void>;
  signIns(prefix: string, after: SignInPlace | null, limit: number): Promise<TakenRows<KeptSignIn>>;
  end(prefix: string, id: string): Promise<string | null>;
  forget(prefix: string): Promise<number>;
}

/** Create a client of the objects that keep sign-ins. */
export function createSignInStores(
  namespace: ObjectNamespace<SignInStoreMethods>,
  bounds: CallBounds,
): SignInStores {
  const open = (shard: number) => openObject(namespace, `sign-ins ${shard}`, bounds);
  const holderOf = (key: string) => open(shardOfKey(key));
  const all = () => Array.from({ length: LIMITS.signInShards }, (_, shard) => open(shard));
  return {
    read: (key) => holderOf(key).read(key),
    write: (key, value, options) => holderOf(key).write(key, value, options),
    drop: (key) => holderOf(key).drop(key),
    list: (prefix, options) => holderOf(prefix).list(prefix, options),
    use: (key, untilMs) => holderOf(key).use(key, untilMs),
    async signIns(prefix, after, limit) {
      const lists = await Promise.all(all().map((stub) => stub.signIns(prefix, after, limit)));
      return mergeRows(lists, limit, compareSignIns);
    },
    async end(prefix, id) {
      const names = await Promise.all(all().map((stub) => stub.end(prefix, id)));
      return names.find((name) => name !== null) ?? null;
    },
    async forget(prefix) {
      const counts = await Promise.all(all().map((stub) => stub.forget(prefix)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
