import * as z from "zod/mini";

import { executionSchema } from "../../answer/result-schema.ts";
import { actionSchema } from "../../contract/action.ts";
import { batchSchema, parseBatch } from "../../contract/batch.ts";
import { LIMITS } from "../../contract/limits.ts";
import { execute } from "../../run/execute/executor.ts";
import { refuseOtherParameters } from "../../contract/parse-request.ts";
import { err, ok } from "../../kit/result.ts";
import { readSentKey, underKey } from "../http/read-idempotency-key.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { respondBatch } from "../http/respond-run.ts";
import type { Endpoint } from "../openapi/endpoint.ts";

/**
 * `POST /v1/execute_actions`: one batch in, every result out. As events an answer that is replayed for its idempotency key
 * comes all at once, and a dry run has no results: its plan is the `done`.
 */
export const executeActions: Endpoint = {
  route: "POST /v1/execute_actions",
  async handle(request, context) {
    // Ignored, a `dry_run` there would run for good.
    const unread = request.url.includes("?")
      ? refuseOtherParameters(new URL(request.url).searchParams, [])
      : null;
    if (unread !== null) return err(unread);
    const { headers } = request;
    const isNamed = headers.has("idempotency-key") || headers.has("x-stainless-retry-count");
    const key = isNamed ? readSentKey(request) : ok(null);
    if (!key.ok) return key;
    const body = await readRequestBody(request);
    if (!body.ok) return body;
    const batch = parseBatch(body.value.value, body.value.bytes);
    if (!batch.ok) return batch;

    const keyed = key.value === null ? {} : underKey(key.value, body.value.value);
    return respondBatch(
      (listener) => execute(batch.value, { ...context, ...keyed, ...listener }),
      request,
      context,
    );
  },
  describe: (features) => ({
    id: "executeActions",
    summary: "Run a batch of actions and answer each of them",
    tag: "Batches",
    keyed: true,
    body: {
      schema: documentedBatch(),
      example: features.includes("discovery") ? DISCOVERY_EXAMPLE : EXAMPLE,
    },
    answer: {
      description: "One result for every action, in the order asked; with dry_run, the plan",
      schema: executionSchema(),
      events: true,
    },
    refusals: ["INVALID_QUERY"],
    counted: true,
  }),
};

/** A batch as it is documented: its actions are parsed one by one, so that one bad action stays one bad action. */
function documentedBatch(): z.core.$ZodType {
  const action = actionSchema().check(z.meta({ id: "Action" }));
  const actions = z.array(action).check(z.minLength(1), z.maxLength(LIMITS.actions));
  return z.extend(batchSchema(), { actions }).register(z.globalRegistry, { id: "Batch" });
}

/** Calls of tools that every key may call, because every key may read the document. */
const DISCOVERY_EXAMPLE = {
  actions: [
    { id: "first", tool: "discover_tools", args: { limit: 1 } },
    {
      id: "schema",
      tool: "get_tool_schema",
      args: { tool_name: { $template: "{{first#/tools/0/name}}" } },
    },
    { tool: "discover_tools", args: { query: "weather in Phoenix, AZ" }, select: ["/tools/0", "/total"] },
  ],
  on_error: "partial-success",
  deadline_ms: 15_000,
};

/** No tool that every key may call is known here, so the name stands for one of the caller's own. */
const EXAMPLE = {
  actions: [{ id: "first", tool: "your_tool", args: {} }],
  on_error: "partial-success",
  deadline_ms: 15_000,
};
