import * as z from "zod/mini";

import { envelopeSchema } from "../../../core/answer/result-schema.ts";
import { receiptForm, tagsForm } from "../../../core/contract/batch.ts";
import { isJsonObject, lazySchema, parseRequest, strictSchema } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { executeFlow } from "../run/execute-flow.ts";
import { readRun } from "../../../feature/answer.ts";
import { ok } from "../../../feature/refuse.ts";
import { respondBatch } from "../../../cloudflare/http/respond-run.ts";
import type { Route } from "../../../feature/route.ts";

const runSchema = strictSchema("FlowRun", () => ({
  input: z._default(z.record(z.string(), z.unknown()), {}),
  deadline_ms: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxDeadlineMs))),
  max_tokens: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxTokens))),
  dry_run: z.optional(z.boolean()),
  plan_receipt: z.optional(receiptForm.schema()),
  skip_approval: z.optional(z.boolean()),
  callback_url: z.optional(z.string()),
  progress: z.optional(z.boolean()),
  tags: z.optional(tagsForm.schema()),
}));

/** `POST /v1/flows/{name}/run`: the batch that a flow is, run with an input; its envelope, and the flow's answer. */
export const runFlowEndpoint: Route = {
  route: "POST /v1/flows/:id/run",
  runs: true,
  async handle(request, received, name) {
    const body = await readRun(request, received, { mayBeAbsent: true });
    if (!body.ok) return body;
    const whole = body.value.value;
    const fields = received.hooks?.fields;
    const said =
      fields?.read(whole, { request, context: received, code: "INVALID_REQUEST" }) ??
      ok({ rest: whole, context: received });
    if (!said.ok) return said;
    const { rest: value, context } = said.value;
    const read = parseRequest(runSchema(), value, { taken: fields?.names });
    if (!read.ok) return read;
    const { parsed, value: sentWhole } = read.value;
    // The input as it was sent, not Zod's copy: a copy may already have dropped keys that must be refused.
    const sent = isJsonObject(sentWhole) ? sentWhole["input"] : undefined;
    const run = {
      name,
      input: isJsonObject(sent) ? sent : {},
      deadlineMs: parsed.deadline_ms,
      maxTokens: parsed.max_tokens ?? null,
      dryRun: parsed.dry_run ?? false,
      planReceipt: parsed.plan_receipt,
      skipApproval: parsed.skip_approval ?? false,
      ...(parsed.callback_url !== undefined && { callbackUrl: parsed.callback_url }),
      ...(parsed.progress === true && { tellsStarts: true as const }),
      ...(parsed.tags !== undefined && { tags: parsed.tags }),
    };
    const keyed = body.value.keyed([name, whole]);
    return respondBatch(
      (listener) => executeFlow(run, { ...context, ...keyed, ...listener }),
      request,
      // It holds the body's bytes.
      received,
    );
  },
  describe: ({ withFields }) => ({
    id: "runFlow",
    summary: "Run a flow with an input",
    tag: "Flows",
    keyed: true,
    body: {
      schema: withFields(runSchema()),
      example: { input: { city: "Phoenix" } },
      optional: true,
    },
    answer: {
      description:
        "One result for every action of the flow, in its order, and its answer; with dry_run, the plan",
      schema: flowAnswerSchema(),
      events: true,
    },
    refusals: ["INVALID_REQUEST", "NOT_FOUND", "FLOW_BROKEN", "PLAN_CHANGED"],
    counted: true,
  }),
};

const flowAnswerSchema = lazySchema("FlowAnswer", () =>
  z.extend(envelopeSchema(), {
    answer: z.optional(z.unknown()).check(z.describe("The answer of the flow")),
    answer_error: z.optional(z.looseObject({})).check(z.describe("Why there is none")),
  }),
);
