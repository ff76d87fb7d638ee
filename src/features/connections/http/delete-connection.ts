import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import type { Route } from "../../../cloudflare/openapi/route.ts";
import { err, ok } from "../../../core/kit/result.ts";
import { shardOfId } from "../link-token.ts";
import { findConnection, NO_CONNECTION, openConnections, TAG } from "./open-connections.ts";

/** `DELETE /v1/connections/{id}`: forget its tokens, and take them back at the provider where it can be. */
export const deleteConnection: Route = {
  route: "DELETE /v1/connections/:id",
  runsNothing: true,
  async handle(_, context, id) {
    const opened = openConnections(context);
    if (!opened.ok) return opened;
    const found = await findConnection(opened.value.shards, id, context);
    if (!found.ok) return found;
    const removed = await askGate(
      () => opened.value.shards(shardOfId(id)!).remove(id),
      "Whether the connection is gone is not certain; send the same request again.",
    );
    if (!removed.ok) return removed;
    return removed.value ? ok(new Response(null, { status: 204 })) : err(NO_CONNECTION);
  },
  describe: () => ({
    id: "deleteConnection",
    summary: "End a connection: its tokens are forgotten, and taken back at the provider where it can be",
    tag: TAG,
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND", "MISCONFIGURED", "UNAVAILABLE"],
  }),
};
