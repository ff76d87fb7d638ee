import { sliceRows } from "../../../feature/kit.ts";
import { mayDo } from "../../../feature/caller.ts";
import * as z from "zod/mini";

import type { TenantPart } from "../../../feature/define.ts";
import { openShards, allOf, listAll } from "../objects/connection-shards.ts";
import type { ListPlace } from "../shard-methods.ts";
import { connectionSchema, toWireConnection } from "../wire-connection.ts";
import { restoreConnections } from "../restore-connections.ts";

/** Connections of one page: a few hundred bytes each. */
const PAGE = 500;

/** The connections of a tenant: exported without tokens, for a caller that may manage connections. */
export const CONNECTIONS_OF_TENANT: TenantPart = {
  field: "connections",
  describeExport: () => z.array(connectionSchema()),
  async exportJson({ caller, configured }, from) {
    const shards = openShards(caller, configured);
    if (!mayDo(caller, "manage_connections") || caller.subject !== undefined || !shards.ok) return null;
    const asked = { subject: null, connector: null, limit: PAGE };
    return sliceRows((after: ListPlace | null) => listAll(shards.value, { ...asked, after }), from, {
      toText: (one) => JSON.stringify(toWireConnection(one)),
      toPlace: ({ createdAt, id }) => ({ createdAt, id }),
    });
  },
  restore: restoreConnections,
  erased: "Connections, with their tokens; what providers keep of them is theirs",
  async erase({ caller, configured }) {
    const shards = openShards(caller, configured);
    if (!shards.ok) return 0;
    const counts = await Promise.all(allOf(shards.value).map((shard) => shard.erase()));
    return counts.reduce((sum, count) => sum + count, 0);
  },
};
