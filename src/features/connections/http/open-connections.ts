import { subjectField } from "../../../feature/caller.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { routesOf } from "../../../cloudflare/openapi/route.ts";
import type { Connectors } from "../connectors/connector.ts";
import { shardOfId } from "../link-token.ts";
import { openShards, type Shards } from "../objects/connection-shards.ts";
import type { SeenConnection } from "../shard-methods.ts";
import { OTHER_SUBJECT } from "../subject.ts";
import { connectionSetupOf } from "./connection-setup.ts";

/** The heading of the endpoints in the document. */
export const TAG = "Connections";

/** The field that names a subject, as the document describes it. */
export const subjectOf = () => subjectField("Whose account it is: a word of the caller's own");

/** The connections of a tenant, and its deployment's connectors. */
export interface OpenedConnections {
  readonly shards: Shards;
  readonly connectors: Connectors;
}

/** Open the connections of a caller's tenant; refused where the deployment has none. */
export function openConnections({ configured, caller }: RequestContext): Result<OpenedConnections, Refusal> {
  const { connectors } = connectionSetupOf(configured);
  if (connectors.size === 0) return err(NO_CONNECTORS);
  const shards = openShards(caller, configured);
  return shards.ok ? ok({ shards: shards.value, connectors }) : shards;
}

export const routeOf = routesOf({
  tag: TAG,
  open: openConnections,
  refusals: ["MISCONFIGURED", "UNAVAILABLE"],
});

/** Find a connection that the caller may see. */
export async function findConnection(
  shards: Shards,
  id: string,
  context: RequestContext,
): Promise<Result<SeenConnection, Refusal>> {
  const shard = shardOfId(id);
  if (shard === null) return err(NO_CONNECTION);
  const found = await askGate(() => shards(shard).get(id), UNREADABLE);
  if (!found.ok) return found;
  const isOwn = context.caller.subject === undefined || found.value?.subject === context.caller.subject;
  return found.value === null || !isOwn ? err(NO_CONNECTION) : ok(found.value);
}

/** A key that acts for one subject names no other. */
export function refuseOtherSubject({ caller }: RequestContext, subject: string): Refusal | null {
  return caller.subject === undefined || caller.subject === subject ? null : OTHER_SUBJECT;
}

const NO_CONNECTORS = makeRefusal(
  "MISCONFIGURED",
  "This deployment has no connectors; its operator sets VOLLEY_CONNECTORS and VOLLEY_VAULT_KEY.",
);

export const NO_CONNECTION = makeRefusal("NOT_FOUND", "There is no connection of that id.");

export const UNREADABLE = "The tenant's connections could not be read; ask again.";
