import { defineObject, type ObjectNamespace, openObject } from "../../../feature/object.ts";
import type { Configured } from "../../../feature/define.ts";
import type { Jurisdiction } from "../../../feature/caller.ts";
import { ENDPOINTS } from "../publishing.ts";
import type { Remote } from "../../../feature/tool.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { type Clock, mergeRows, type TakenRows } from "../../../feature/kit.ts";
import type { DirectoryMethods, FoundDelivery } from "../directory-methods.ts";
import { ENDPOINT_SHARDS } from "../endpoint.ts";
import * as LIMITS from "../limits.ts";
import type { EndpointShardMethods, DeliveryQuery } from "../endpoint-shard-methods.ts";

/** A tenant's directory from outside. */
export type Directory = Remote<DirectoryMethods>;
export type Shard = Remote<EndpointShardMethods>;

const directoriesOf = defineObject<DirectoryMethods>({
  binding: ENDPOINTS,
  isErased: true,
  timeoutMs: LIMITS.directoryTimeoutMs,
});

/** Open the directory of a tenant; refused where the deployment has no objects for it. */
export function openDirectory(
  owner: { readonly tenant: string; readonly jurisdiction?: Jurisdiction | undefined },
  configured: Configured,
): Result<Directory, Refusal> {
  const open = directoriesOf(configured);
  const { [ENDPOINT_SHARDS]: shards } = configured.env;
  if (open === null || typeof shards !== "object" || shards === null) return err(UNBOUND);
  return ok(open(owner.tenant, owner));
}

const UNBOUND = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no endpoints; its operator has to bind the classes EndpointDirectory as ${ENDPOINTS} and EndpointShard as ${ENDPOINT_SHARDS}.`,
);

/** An object that asks another one of its tenant: its name begins with the tenant's, and the others are where it is. */
interface Asker {
  readonly id: { readonly name?: string | undefined; readonly jurisdiction?: unknown };
  readonly env: Record<string, unknown>;
  readonly clock: Clock;
}

/** Open one of the objects that deliver, from its tenant's directory. Its calls arrive in the order in which they are made. */
export function openShardOf(asker: Asker, shard: number): Shard {
  const bounds = { clock: asker.clock, timeoutMs: LIMITS.gateTimeoutMs, inOrder: true };
  return openObject(
    besides<EndpointShardMethods>(asker, ENDPOINT_SHARDS),
    `${tenantOf(asker.id)}/${shard}`,
    bounds,
  );
}

/** Open the directory of a tenant, from an object that delivers. */
export function openDirectoryOf(asker: Asker): Directory {
  const { clock } = asker;
  const bounds = { clock, timeoutMs: LIMITS.directoryTimeoutMs, begunAt: clock.now() };
  return openObject(besides<DirectoryMethods>(asker, ENDPOINTS), tenantOf(asker.id), bounds);
}

export function tenantOf({ name = "" }: Asker["id"]): string {
  return name.split("/")[0]!;
}

function besides<Methods>({ id, env }: Asker, binding: string): ObjectNamespace<Methods> {
  const anywhere = env[binding] as ObjectNamespace<Methods>;
  return id.jurisdiction === undefined ? anywhere : anywhere.jurisdiction!(id.jurisdiction as Jurisdiction);
}

/** Every object of a tenant that delivers. */
export const ALL_SHARDS: readonly number[] = Array.from(
  { length: LIMITS.endpointShards },
  (_, shard) => shard,
);

/** Calls the objects of one tenant that deliver. */
export class ShardCalls {
  readonly #open: (shard: number) => Shard;
  readonly #opened = new Map<number, Shard>();

  constructor(open: (shard: number) => Shard) {
    this.#open = open;
  }

  /** One of them: always the same client, so that its calls keep their order. */
  of(shard: number): Shard {
    const opened = this.#opened.get(shard) ?? this.#open(shard);
    this.#opened.set(shard, opened);
    return opened;
  }

  /** Call some of them at once. */
  callEach<T>(shards: readonly number[], send: (stub: Shard) => Promise<T>): Promise<T[]> {
    return Promise.all(shards.map((shard) => send(this.of(shard))));
  }

  /** Find deliveries in some of them, the latest event first. */
  async deliveriesIn(shards: readonly number[], query: DeliveryQuery): Promise<TakenRows<FoundDelivery>> {
    const all = await Promise.all(
      shards.map(async (shard) => {
        const { rows, hasMore } = await this.of(shard).deliveries(query);
        return { rows: rows.map((one) => ({ ...one, shard })), hasMore };
      }),
    );
    return mergeRows(all, query.limit, (a, b) => b.seq - a.seq || b.no - a.no);
  }
}
