import { type CallBounds, defineObject, type ObjectNamespace, openObject } from "../../../feature/object.ts";
import { mergeRows, type TakenRows } from "../../../feature/kit.ts";
import { type Jurisdiction, SUBJECT_SHARDS } from "../../../core/contract/gate/caller.ts";
import type { Remote } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Configured } from "../../../feature/define.ts";
import {
  type ConnectionQuery,
  CONNECTIONS,
  type ConnectionShardMethods,
  type SeenConnection,
} from "../shard-methods.ts";

/** The objects of a tenant that keep connections, by their numbers. */
export type Shards = (shard: number) => Remote<ConnectionShardMethods>;

const objectsOf = defineObject<ConnectionShardMethods>({
  binding: CONNECTIONS,
  isErased: true,
  timeoutMs: LIMITS.connectionTimeoutMs,
});

const nameOf = (tenant: string, shard: number): string => `${tenant}/${shard}`;

/** Open the objects of a tenant; refused where the deployment has none. */
export function openShards(
  owner: { readonly tenant: string; readonly jurisdiction?: Jurisdiction | undefined },
  configured: Configured,
): Result<Shards, Refusal> {
  const open = objectsOf(configured);
  if (open === null) return err(UNBOUND);
  const { tenant, jurisdiction } = owner;
  const place = { jurisdiction, begunAt: configured.ports.clock.now() };
  return ok((shard) => open(nameOf(tenant, shard), place));
}

const UNBOUND = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no connections; its operator has to bind the class ConnectionShard as ${CONNECTIONS}.`,
);

/** Open the objects of a tenant in a binding that is placed already, as the port of a call is. */
export function shardsIn(binding: object, tenant: string, clock: CallBounds["clock"]): Shards {
  const namespace = binding as ObjectNamespace<ConnectionShardMethods>;
  const bounds = { clock, timeoutMs: LIMITS.connectionTimeoutMs };
  return (shard) => openObject(namespace, nameOf(tenant, shard), bounds);
}

/** All objects of a tenant. */
export function allOf(shards: Shards): ReturnType<Shards>[] {
  return Array.from({ length: SUBJECT_SHARDS }, (_, shard) => shards(shard));
}

/** List connections of all objects as one list, newest first. */
export async function listAll(shards: Shards, query: ConnectionQuery): Promise<TakenRows<SeenConnection>> {
  const pages = await Promise.all(allOf(shards).map((shard) => shard.list(query)));
  return mergeRows(
    pages,
    query.limit,
    (a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id)),
  );
}
