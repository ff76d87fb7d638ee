import * as z from "zod/mini";

import { waitField } from "../../../core/contract/list-query.ts";
import { awaitChange } from "../../../cloudflare/http/await-change.ts";
import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { Route } from "../../../cloudflare/openapi/route.ts";
import { ok } from "../../../core/kit/result.ts";
import { connectionSchema, toWireConnection } from "../wire-connection.ts";
import { findConnection, openConnections, TAG } from "./open-connections.ts";

/** `GET /v1/connections/{id}`: one connection; with `wait_s` when its state has changed. */
export const showConnection: Route = {
  route: "GET /v1/connections/:id",
  runsNothing: true,
  async handle(request, context, id) {
    const opened = openConnections(context);
    if (!opened.ok) return opened;
    const found = await awaitChange(() => findConnection(opened.value.shards, id, context), {
      request,
      context,
      liveStatus: (connection) => connection.state,
    });
    return found.ok ? ok(respondJson(JSON.stringify(toWireConnection(found.value)))) : found;
  },
  describe: () => ({
    id: "getConnection",
    summary: "Show a connection",
    tag: TAG,
    query: z.strictObject({
      wait_s: waitField("Answer when its state changes, after so many seconds at most"),
    }),
    answer: { description: "The connection, without tokens", schema: connectionSchema() },
    refusals: ["NOT_FOUND", "INVALID_QUERY", "MISCONFIGURED", "UNAVAILABLE"],
  }),
};
