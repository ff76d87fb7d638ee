import { askGate } from "../../../feature/answer.ts";
import { err, ok } from "../../../feature/refuse.ts";
import { shardOfId } from "../link-token.ts";
import { findConnection, NO_CONNECTION, routeOf } from "./open-connections.ts";

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
