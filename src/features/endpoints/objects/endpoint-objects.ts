import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import type { DirectoryMethods } from "../directory-methods.ts";
import { ENDPOINTS } from "../../../core/contract/gate/publishing.ts";
import { ENDPOINT_SHARDS } from "../endpoint.ts";
import type { EndpointShardMethods } from "../shard-methods.ts";

type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** A tenant's directory from outside. Every method rejects where the object does not answer. */
export type Directory = Promised<DirectoryMethods>;
export type Shard = Promised<EndpointShardMethods>;

/** A binding, as much of it as is used. */
export interface ObjectNamespace<Stub> {
  idFromName(name: string): object;
  get(id: object): Stub;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): ObjectNamespace<Stub>;
}

/** The id of the object that asks: its name begins with its tenant's, and the others are where it is. */
interface Asker {
  readonly name?: string | undefined;
  readonly jurisdiction?: unknown;
}

/** Open one of the objects that deliver, from its tenant's directory. */
export function openShardOf(id: Asker, env: Record<string, unknown>, shard: number): Shard {
  return open(id, env[ENDPOINT_SHARDS] as ObjectNamespace<Shard>, `${tenantOf(id)}/${shard}`);
}

/** Open the directory of a tenant, from an object that delivers. */
export function openDirectoryOf(id: Asker, env: Record<string, unknown>): Directory {
  return open(id, env[ENDPOINTS] as ObjectNamespace<Directory>, tenantOf(id));
}

/** The tenant of an object. */
export function tenantOf({ name = "" }: Asker): string {
  return name.split("/")[0]!;
}

function open<Stub>({ jurisdiction }: Asker, anywhere: ObjectNamespace<Stub>, name: string): Stub {
  const placed = jurisdiction === undefined ? anywhere : anywhere.jurisdiction!(jurisdiction as Jurisdiction);
  return placed.get(placed.idFromName(name));
}
