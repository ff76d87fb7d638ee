import * as z from "zod/mini";

import { resultSchema } from "../../../core/answer/result-schema.ts";
import { invocationSchema } from "../../../core/catalog/alias.ts";
import { parseBatch } from "../../../core/contract/batch.ts";
import { isJsonObject, parseExact } from "../../../core/contract/json.ts";
import { parseRequest } from "../../../core/contract/parse-request.ts";
import { execute } from "../../../core/run/execute/executor.ts";
import { ok } from "../../../core/kit/result.ts";
import { readSentKey, underKey } from "../../../cloudflare/http/read-idempotency-key.ts";
import { readRunBody } from "../../../cloudflare/http/read-request-body.ts";
import { respondDocument } from "../../../cloudflare/http/respond-run.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";

/**
 * `POST /v1/invoke_tool`: one tool call, answered with its result whatever became of it. It is a batch of one, so it is
 * counted, bounded and held to the tool's contract as every action is.
 */
export const invokeTool: Endpoint = {
  route: "POST /v1/invoke_tool",
  async handle(request, context) {
    const key = readSentKey(request);
    if (!key.ok) return key;
    const body = await readRunBody(request, context);
    if (!body.ok) return body;
    const sent = parseRequest(invocationSchema(), body.value.value);
    if (!sent.ok) return sent;
    const { parsed, value } = sent.value;
    // The parameters as they were sent, not Zod's copy: a copy may already have dropped the keys that must be refused.
    const args = isJsonObject(value) ? value["parameters"] : undefined;
    const actions = [{ tool: parsed.tool_name, ...(args !== undefined && { args }) }];
    const batch = parseBatch({ actions }, body.value.bytes);
    if (!batch.ok) return batch;

    return respondDocument(
      async (listener) => {
        const keyed = underKey(key.value, value);
        const answer = await execute(batch.value, { ...context, ...listener, ...keyed });
        if (!answer.ok) return answer;
        const { json, quota, replayed } = answer.value;
        const { results } = parseExact(json) as { readonly results: readonly unknown[] };
        return ok({ json: JSON.stringify(results[0]), quota, replayed });
      },
      request,
      context,
    );
  },
  describe: () => ({
    id: "invokeTool",
    summary: "Call one tool",
    tag: "Discovery",
    keyed: true,
    body: {
      schema: invocationSchema().check(z.meta({ id: "Invocation" })),
      example: { tool_name: "discover_tools", parameters: { query: "weather in Phoenix" } },
    },
    answer: { description: "Its result, whatever became of it", schema: resultSchema() },
    refusals: ["INVALID_REQUEST"],
    counted: true,
  }),
};
