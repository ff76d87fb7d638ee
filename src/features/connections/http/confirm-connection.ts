import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import { makeRefusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import { readRequest } from "../../../cloudflare/http/read-request-body.ts";
import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { Route } from "../../../cloudflare/openapi/route.ts";
import { err, ok } from "../../../core/kit/result.ts";
import { shardOfId } from "../link-token.ts";
import { connectionSchema, toWireConnection } from "../wire-connection.ts";
import {
  findConnection,
  NO_CONNECTION,
  openConnections,
  refuseOtherSubject,
  subjectOf,
  TAG,
} from "./open-connections.ts";

const confirmSchema = lazySchema(() =>
  z.strictObject({
    code: z.string().check(z.describe("The code that the browser came back with, for one use")),
    subject: subjectOf().check(z.describe("Who was in that browser, by the caller's own session")),
  }),
);

/** `POST /v1/connections/{id}/confirm`: say who came back. */
export const confirmConnection: Route = {
  route: "POST /v1/connections/:id/confirm",
  runsNothing: true,
  async handle(request, context, id) {
    const opened = openConnections(context);
    if (!opened.ok) return opened;
    const body = await readRequest(request, confirmSchema());
    if (!body.ok) return body;
    const { code, subject } = body.value.parsed;
    const other = refuseOtherSubject(context, subject);
    if (other !== null) return err(other);
    const found = await findConnection(opened.value.shards, id, context);
    if (!found.ok) return found;
    const said = await askGate(
      () => opened.value.shards(shardOfId(id)!).confirm(id, { code, subject }),
      "Whether the connection was confirmed is not certain; look at it.",
    );
    if (!said.ok) return said;
    switch (said.value.kind) {
      case "active":
        return ok(respondJson(JSON.stringify(toWireConnection(said.value.connection))));
      case "other-subject":
        return err(OTHER_CAME);
      case "no-code":
        return err(NO_CODE);
      case "unknown":
        return err(NO_CONNECTION);
    }
  },
  describe: () => ({
    id: "confirmConnection",
    summary:
      "Say who came back from the provider: the right subject makes the connection active, another one ends it",
    tag: TAG,
    body: {
      schema: confirmSchema().check(z.meta({ id: "ConnectionConfirmation" })),
      example: { code: "q83vEjRWeJA8jL0qEyXq0pYw6XoHn0yYV6JmHyYh1sE", subject: "user_42" },
    },
    answer: { description: "The connection, which is active", schema: connectionSchema() },
    refusals: [
      "NOT_FOUND",
      "INVALID_REQUEST",
      "FORBIDDEN",
      "CONFIRMATION_INVALID",
      "MISCONFIGURED",
      "UNAVAILABLE",
    ],
  }),
};

const OTHER_CAME = makeRefusal(
  "FORBIDDEN",
  "Another subject came than the one that the link was made for, so what came with it is forgotten; make a new link.",
);
const NO_CODE = makeRefusal(
  "CONFIRMATION_INVALID",
  "The code is not the one of this connection, was used, or is over; make a new link.",
);
