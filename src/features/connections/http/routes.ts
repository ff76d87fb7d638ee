import * as z from "zod/mini";

import { awaitChange } from "../../../cloudflare/http/await-change.ts";
import { shardOfSubject, SUBJECT, SUBJECT_IN_WORDS } from "../../../core/contract/gate/caller.ts";
import { toCursor } from "../../../core/contract/gate/job-query.ts";
import { pageSchema, waitField } from "../../../core/contract/list-query.ts";
import { pageFields, parseList, refuseQuery } from "../../../feature/schema.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, type RequestContext, respondJson, respondList } from "../../../feature/answer.ts";
import { connectorOf } from "../connectors/connector.ts";
import { shardOfId } from "../link-token.ts";
import { listAll } from "../objects/connection-shards.ts";
import type { ConnectionQuery, ListPlace, SeenConnection } from "../shard-methods.ts";
import { connectionSchema, toWireConnection } from "../wire-connection.ts";
import {
  findConnection,
  NO_CONNECTION,
  refuseOtherSubject,
  routeOf,
  subjectOf,
  UNREADABLE,
} from "./open-connections.ts";

/** `GET /v1/connections?subject=&connector=`: the newest first. */
export const listConnections = routeOf(
  "GET /v1/connections",
  async (opened, { query, context }) => {
    const parsed = parseQuery(query, context);
    if (!parsed.ok) return parsed;
    const { shards, connectors } = opened;
    const asked = parsed.value;
    const { subject, limit } = asked;
    const found = await askGate(
      () => (subject === null ? listAll(shards, asked) : shards(shardOfSubject(subject)).list(asked)),
      UNREADABLE,
    );
    if (!found.ok) return found;
    const toJson = (one: SeenConnection): string => JSON.stringify(toWireConnection(one));
    const { rows, hasMore } = found.value;
    const { tenant } = context.caller;
    const mine = [...connectors.keys()].filter((one) => connectorOf(connectors, one, tenant) !== undefined);
    const beside = asked.after === null ? { connectors: mine } : {};
    return respondList("connections", rows, { limit, hasMore, toJson, toCursor, beside });
  },
  () => ({
    id: "listConnections",
    summary: "List connections, the newest first",
    query: z.strictObject({
      subject: z.optional(subjectOf()),
      connector: z.optional(z.string()),
      ...pageFields(),
    }),
    answer: {
      description: "A page of connections, without tokens",
      schema: z
        .extend(pageSchema("connections", connectionSchema(), "ConnectionRows"), {
          connectors: z
            .optional(z.array(z.string()))
            .check(z.describe("On the first page, the connectors that the tenant may use")),
        })
        .register(z.globalRegistry, { id: "ConnectionPage" }),
    },
    refusals: ["INVALID_QUERY", "FORBIDDEN"],
  }),
);

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

/** `DELETE /v1/connections/{id}`: forget its tokens, and take them back at the provider where it can be. */
export const deleteConnection = routeOf(
  "DELETE /v1/connections/:id",
  async (opened, { context, id }) => {
    const found = await findConnection(opened.shards, id, context);
    if (!found.ok) return found;
    const removed = await askGate(
      () => opened.shards(shardOfId(id)!).remove(id),
      "Whether the connection is gone is not certain; send the same request again.",
    );
    if (!removed.ok) return removed;
    return removed.value ? ok(new Response(null, { status: 204 })) : err(NO_CONNECTION);
  },
  () => ({
    id: "deleteConnection",
    summary: "End a connection: its tokens are forgotten, and taken back at the provider where it can be",
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND"],
  }),
);

function parseQuery(query: URLSearchParams, context: RequestContext): Result<ConnectionQuery, Refusal> {
  const parsed = parseList(query, parseCursor, { subject: "text", connector: "text" });
  if (!parsed.ok) return parsed;
  const { subject = context.caller.subject ?? null, connector = null, ...page } = parsed.value;
  if (subject !== null && !SUBJECT.test(subject))
    return err(refuseQuery("subject", SUBJECT_IN_WORDS, subject));
  const foreign = subject === null ? null : refuseOtherSubject(context, subject);
  if (foreign !== null) return err(foreign);
  return ok({ subject, connector, ...page });
}

function parseCursor(text: string): ListPlace | null {
  const [, createdAt, id] = /^(\d{1,15})_(cn_[0-9a-f]{25})$/.exec(text) ?? [];
  return id === undefined ? null : { createdAt: Number(createdAt), id };
}
