import * as z from "zod/mini";

import { waitField } from "../../../core/contract/list-query.ts";
import { awaitChange } from "../../../cloudflare/http/await-change.ts";
import { respondJson } from "../../../feature/answer.ts";
import { ok } from "../../../feature/refuse.ts";
import { connectionSchema, toWireConnection } from "../wire-connection.ts";
import { findConnection, routeOf } from "./open-connections.ts";

/** `GET /v1/connections/{id}`: one connection; with `wait_s` when its state has changed. */
export const showConnection = routeOf(
  "GET /v1/connections/:id",
  async (opened, { request, context, id }) => {
    const found = await awaitChange(() => findConnection(opened.shards, id, context), {
      request,
      context,
      liveStatus: (connection) => connection.state,
    });
    return found.ok ? ok(respondJson(JSON.stringify(toWireConnection(found.value)))) : found;
  },
  () => ({
    id: "getConnection",
    summary: "Show a connection",
    query: z.strictObject({
      wait_s: waitField("Answer when its state changes, after so many seconds at most"),
    }),
    answer: { description: "The connection, without tokens", schema: connectionSchema() },
    refusals: ["NOT_FOUND", "INVALID_QUERY"],
  }),
);
