import { validate } from "@readme/openapi-parser";
import { describe, expect, test } from "vitest";

import packageJson from "../../../package.json" with { type: "json" };
import type { OutcomeMeta } from "../../../src/core/contract/outcome.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import { err } from "../../../src/core/kit/result.ts";
import type { Step } from "../../../src/core/plan/step.ts";
import { toResultJson } from "../../../src/core/answer/envelope.ts";
import {
  bodySchema,
  type DocumentedOperation,
  findDeviation,
  findUndocumented,
  fits,
  isManaged,
  readOperations,
} from "../../support/api-document.ts";
import { eventually } from "../../support/eventually.ts";
import { startSandbox } from "../../support/sandbox.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");
const operator = new TestCaller(volley.url, "sandbox-operator-key");
const callerOf = (operation: DocumentedOperation): TestCaller => {
  if (operation.path.includes("/operator/") || operation.operationId.startsWith("reseal")) return operator;
  return isManaged(operation) && !operation.path.startsWith("/v1/runs/") ? admin : caller;
};

type Json = Readonly<Record<string, unknown>>;

const { text } = await caller.get("/openapi.json");
const operations = readOperations(text);

function operationOf(id: string): DocumentedOperation {
  return operations.find(({ operationId }) => operationId === id)!;
}

/** A confirmation that waits for somebody's yes. */
async function park(): Promise<string> {
  const { results } = await caller.execute([{ tool: "probe-delete", args: { id: 1 } }]);
  return results[0]!.confirmation!.id;
}

/** A run that can be run again, once it is seen. */
async function runOnce(): Promise<string> {
  const answer = await caller.send({
    path: "/v1/execute_actions",
    body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }),
  });
  const { batch_id: id } = JSON.parse(answer.text) as { readonly batch_id: string };
  return eventually("the run", async () =>
    (await caller.get(`/v1/runs/${id}`)).status === 200 ? id : undefined,
  );
}

/** The id in a path: of something that is there, unless the path makes it. */
function idFor({ path }: DocumentedOperation): string | Promise<string> {
  if (path.includes("confirmations")) return park();
  return path.startsWith("/v1/runs/") ? runOnce() : path.split("/")[2]!;
}

/** The statuses of success that are not 200. */
const STATUSES: Readonly<Record<string, number>> = {
  postKey: 201,
  publishEvent: 202,
  publishEventBatch: 202,
  testEndpoint: 202,
  makePortalLink: 201,
  resendDelivery: 202,
  recoverEndpoint: 202,
  restoreRuns: 200,
  startConnection: 201,
};

describe("/openapi.json", () => {
  test("is a valid OpenAPI 3.1 document of this version", async () => {
    const document = JSON.parse(text) as { readonly openapi: string; readonly info: Json };
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info["version"]).toBe(packageJson.version);
    expect(await validate(JSON.parse(text) as never)).toMatchObject({ valid: true });
  });

  test("describes every path and method that is answered, each under a name of its own", () => {
    // That no route of the table is left out is for the compiler.
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(["POST /v1/execute_actions", "GET /v1/jobs/{id}", "GET /healthz", "POST /mcp"]),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  test("describes bodies with the schemas that parse them", () => {
    expect(bodySchema(operationOf("executeActions"))).toMatchObject({
      properties: { actions: { maxItems: 50, items: { required: ["tool"] } } },
      additionalProperties: false,
    });
  });

  test("names what generated clients handle, and says everything once", () => {
    const { components } = JSON.parse(text) as { readonly components: { readonly schemas: Json } };
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(["Action", "Batch", "Envelope", "Failure", "Job", "Problem", "Result"]),
    );
    // Written out in every place it would be three times that.
    expect(text.length).toBeLessThan(354_000);
  });

  test("says which paths answer with events too", () => {
    const streamed = operations.filter(({ responses }) =>
      Object.hasOwn(responses["200"]?.content ?? {}, "text/event-stream"),
    );
    expect(streamed.map(({ path }) => path).sort()).toEqual([
      "/mcp",
      "/v1/anthropic/tool_use",
      "/v1/events/stream",
      "/v1/execute_actions",
      "/v1/flows/{id}/run",
      "/v1/gemini/function_calls",
      "/v1/openai/function_calls",
      "/v1/openai/tool_calls",
      "/v1/runs/{id}",
    ]);
  });

  test("has an example for every body, which is answered with what the document says", async () => {
    upstream.script("/tool/read", (_, response) => void response.end("{}"));
    // A delivery has to be signed, which no example is, and a connection is confirmed with a code that a browser brings back.
    const exemplified = operations.filter(
      ({ requestBody, path, operationId }) =>
        requestBody !== undefined &&
        !path.startsWith("/hooks/") &&
        !operationId.startsWith("confirmConnection"),
    );
    for (const operation of exemplified) {
      const { example } = operation.requestBody!.content!["application/json"]!;
      expect(fits(example, bodySchema(operation)!), operation.operationId).toBe(true);
      // The tenant whose data goes is written out, and an example has no tenant.
      const body = operation.operationId === "deleteTenant" ? { tenant: "sandbox-admin" } : example;
      const answer = await callerOf(operation).send({
        method: operation.method,
        path: operation.path.replace("{id}", await idFor(operation)),
        headers: { accept: operation.path === "/mcp" ? "application/json, text/event-stream" : "*/*" },
        body: JSON.stringify(body),
      });
      expect([operation.operationId, answer.status], answer.text).toEqual([
        operation.operationId,
        STATUSES[operation.operationId] ?? (operation.method === "PUT" ? 201 : 200),
      ]);
      expect(answer.text).not.toMatch(/"status":"error"|"success":false|"is_error":true/);
      expect(findDeviation(operation, answer)).toBeNull();
    }
  });

  test("tells of the headers that say how much may still be asked, and when again", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const invoke = operationOf("invokeTool");
    const body = JSON.stringify({ tool_name: "probe-echo", parameters: { n: 1 } });
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => small.send({ path: "/v1/invoke_tool", body })),
    );
    const denied = answers.find(({ status }) => status === 429)!;
    expect(denied.headers).toHaveProperty("retry-after");
    for (const answer of answers) expect(findDeviation(invoke, answer)).toBeNull();
  });

  test("tells of a request that is still running, and of one that ran before", async () => {
    const operation = operationOf("executeActions");
    const request = {
      headers: { "idempotency-key": "documented" },
      body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 400 } }] }),
    };
    const answerRead = upstream.hold("/echo", 400);
    const sending = [caller.send(request), caller.send(request)];
    // Who came second is told so while the first one still runs.
    await Promise.race(sending);
    answerRead();
    const together = await Promise.all(sending);
    const again = await caller.send(request);
    expect(together.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]));
    expect(again.headers["idempotency-replayed"]).toBe("true");
    for (const answer of [...together, again]) expect(findDeviation(operation, answer)).toBeNull();
  });

  test("tells of a body that is too large", async () => {
    const answer = await caller.send({ body: JSON.stringify({ actions: ["x".repeat(300_000)] }) });
    expect(answer.status).toBe(413);
    expect(findDeviation(operationOf("executeActions"), answer)).toBeNull();
  });

  test("is what a path that does not exist points to", async () => {
    const answer = await caller.get("/v1/tools/");
    expect(problemOf(answer)).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      detail: expect.stringContaining("GET /openapi.json lists every path"),
    });
  });

  test("tells of a deployment whose configuration cannot be read", async () => {
    await using broken = await startSandbox({ vars: { VOLLEY_KEYS: "no JSON" } });
    const anybody = new TestCaller(broken.url);
    for (const operation of operations) {
      const answer = await anybody.send({ method: operation.method, path: operation.path });
      expect(answer.status, operation.path).toBeGreaterThanOrEqual(500);
      expect(findUndocumented(operation, answer)).toBeNull();
    }
  });

  test("knows every field that the meta of a result can have", () => {
    const meta: Required<OutcomeMeta> = {
      startedMs: 0,
      tries: [
        { started_ms: 0, duration_ms: 1, code: "TIMEOUT" },
        { started_ms: 1, duration_ms: 1 },
      ],
      durationMs: 1,
      queuedMs: 1,
      attempts: 1,
      readAs: "JSON text in /ids",
      log: [{ at: 0, text: "one line" }],
      more: { undone: true },
      note: "taken back",
      bytes: 1,
      workMs: 1,
      inDoubt: true,
      sentNothing: true,
      accounts: { google: "ac_1" },
      items: { total: 1, ok: 1, error: 0 },
      deduplicatedOf: "a",
      ageMs: 1,
      selectMissing: ["/n"],
      selectHints: ["n"],
      keepsWhole: true,
      isCut: true,
      truncated: {
        tokens_before: 2,
        tokens_after: 1,
        elements_dropped: 0,
        fields_dropped: 0,
        characters_dropped: 1,
        at: [""],
      },
      demoted: true,
      verification: { tool: "probe-verify", verdict: "took_effect", durationMs: 1 },
      handle: "h",
      replayed: true,
      limiter: "degraded",
    };
    const step = { index: 0, id: "a0", toolName: "probe-echo", task: err(makeFailure("CANCELLED")) } as Step;
    const result = JSON.parse(toResultJson(step, { status: "success", data: 1, json: "1", meta })) as Json;
    const schema = operationOf("executeActions").responses["200"]!.content!["application/json"]!.schema;
    const answer = {
      batch_id: "b",
      results: [result],
      summary: { total: 1, ok: 1, error: 0, initiated: 0, skipped: 0, pending_confirmation: 0, unknown: 0 },
      stats: { duration_ms: 1, critical_path_ms: 1, sequential_ms: 1, speedup: 1, max_parallelism: 1 },
    };
    expect(Object.keys(result["meta"] as Json)).toHaveLength(21);
    expect(fits(answer, schema)).toBe(true);
  });
});
