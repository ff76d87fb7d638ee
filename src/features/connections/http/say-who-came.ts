import * as z from "zod/mini";

import { strictSchema } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, readRequest, type RequestContext, respondJson } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { SUBJECT_SHARDS, shardOfSubject } from "../../../core/contract/gate/caller.ts";
import { shardOfId } from "../link-token.ts";
import type { Shards } from "../objects/connection-shards.ts";
import type { ConfirmAnswer } from "../shard-methods.ts";
import { connectionSchema, toWireConnection } from "../wire-connection.ts";
import {
  findConnection,
  NO_CONNECTION,
  openConnections,
  refuseOtherSubject,
  subjectOf,
  TAG,
} from "./open-connections.ts";

const confirmSchema = strictSchema("ConnectionConfirmation", () => ({
  code: z
    .string()
    .check(
      z.describe(
        "The code that the browser came back with, or that the page showed, for one use: of eight letters, small ones, blanks and dashes do not matter",
      ),
    ),
  subject: subjectOf().check(z.describe("Who was in that browser, by the caller's own session")),
}));

type Said = z.output<ReturnType<typeof confirmSchema>>;

/** `POST /v1/connections/{id}/confirm`: say who came back. */
export const confirmConnection: Route = {
  route: "POST /v1/connections/:id/confirm",
  handle: (request, context, id) =>
    confirm(request, context, async (said, shards) => {
      const found = await findConnection(shards, id, context);
      return found.ok ? ok(await shards(shardOfId(id)!).confirm(id, said)) : found;
    }),
  describe: () => ({
    id: "confirmConnection",
    summary:
      "Say who came back from the provider: the right subject makes the connection active, another one ends it",
    tag: TAG,
    body: {
      schema: confirmSchema(),
      example: { code: "q83vEjRWeJA8jL0qEyXq0pYw6XoHn0yYV6JmHyYh1sE", subject: "user_42" },
    },
    answer: { description: "The connection, which is active", schema: connectionSchema() },
    refusals: ["NOT_FOUND", ...REFUSALS],
  }),
};

/** `POST /v1/connections/confirm`: the same by the code alone, as a person gives it to the application. */
export const confirmCode: Route = {
  route: "POST /v1/connections/confirm",
  handle: (request, context) =>
    confirm(request, context, async ({ code, subject }, shards) => {
      const isOwnOnly = context.caller.subject !== undefined;
      const said = { code, subject, isOwnOnly };
      const own = shardOfSubject(subject);
      const answer = await shards(own).confirmCode(said);
      if (answer.kind !== "no-code" || isOwnOnly) return ok(answer);
      // Who gives another's code here came by the link of another: that ends it.
      const others = Array.from({ length: SUBJECT_SHARDS }, (_, shard) => shard).filter(
        (shard) => shard !== own,
      );
      const answers = await Promise.all(others.map((shard) => shards(shard).confirmCode(said)));
      return ok(answers.find(({ kind }) => kind !== "no-code") ?? answer);
    }),
  describe: () => ({
    id: "confirmConnectionCode",
    summary: "Confirm a connection by the code that its page showed to the person",
    tag: TAG,
    body: { schema: confirmSchema(), example: { code: "KXWDPRTB", subject: "user_42" } },
    answer: { description: "The connection, which is active", schema: connectionSchema() },
    refusals: REFUSALS,
  }),
};

const REFUSALS = [
  "INVALID_REQUEST",
  "FORBIDDEN",
  "CONFIRMATION_INVALID",
  "MISCONFIGURED",
  "UNAVAILABLE",
] as const;

async function confirm(
  request: Request,
  context: RequestContext,
  say: (said: Said, shards: Shards) => Promise<Result<ConfirmAnswer, Refusal>>,
): Promise<Result<Response, Refusal>> {
  const opened = openConnections(context);
  if (!opened.ok) return opened;
  const body = await readRequest(request, confirmSchema());
  if (!body.ok) return body;
  const other = refuseOtherSubject(context, body.value.parsed.subject);
  if (other !== null) return err(other);
  const asked = await askGate(
    () => say(body.value.parsed, opened.value.shards),
    "Whether the connection was confirmed is not certain; look at it.",
  );
  if (!asked.ok) return asked;
  if (!asked.value.ok) return asked.value;
  const said = asked.value.value;
  switch (said.kind) {
    case "active":
      return ok(respondJson(JSON.stringify(toWireConnection(said.connection))));
    case "other-subject":
      return err(OTHER_CAME);
    case "no-code":
      return err(NO_CODE);
    case "unknown":
      return err(NO_CONNECTION);
  }
}

const OTHER_CAME = makeRefusal(
  "FORBIDDEN",
  "Another subject came than the one that the link was made for, so what came with it is forgotten; make a new link.",
);
const NO_CODE = makeRefusal(
  "CONFIRMATION_INVALID",
  "The code is not the one of this connection, was used, or is over; make a new link.",
);
