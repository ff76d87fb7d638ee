import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import { callBounded, type CallBounds } from "../../../cloudflare/gate-client/call-bounded.ts";
import { CONNECTION_SHARDS } from "../link-token.ts";
import type { ConnectionQuery, ConnectionShardMethods, SeenConnection } from "../shard-methods.ts";

type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** An object that keeps connections, from outside. */
export type Shard = Promised<ConnectionShardMethods>;

/** The binding, as much of it as is used. */
export interface ShardNamespace {
  idFromName(name: string): object;
  get(id: object): Shard;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): ShardNamespace;
}

/** Call one of a tenant's objects, within its time. Rejects where it does not answer. */
export type AskShard = <T>(shard: number, send: (stub: Shard) => Promise<T>) => Promise<T>;

/** Open the objects of a tenant. */
export function askShardsIn(
  namespace: ShardNamespace,
  { tenant, bounds }: { readonly tenant: string; readonly bounds: CallBounds },
): AskShard {
  return (shard, send) =>
    callBounded(() => send(namespace.get(namespace.idFromName(`${tenant}/${shard}`))), bounds);
}

/** Ask all objects of a tenant. */
export function askAll<T>(ask: AskShard, send: (stub: Shard) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CONNECTION_SHARDS }, (_, shard) => ask(shard, send)));
}

/** List connections of all objects as one list, newest first. */
export async function listAll(ask: AskShard, query: ConnectionQuery): Promise<SeenConnection[]> {
  const pages = await askAll(ask, (stub) => stub.list(query));
  const found = pages.flat();
  found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
  return found.slice(0, query.limit);
}
