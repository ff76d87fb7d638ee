import { Validator } from "@cfworker/json-schema";
import { dereference, validate } from "@readme/openapi-parser";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { OutcomeMeta } from "../../src/contract/outcome.ts";
import type { Step } from "../../src/plan/step.ts";
import { toResultJson } from "../../src/run/envelope.ts";
import { jsonArbitrary } from "../support/json-arbitrary.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import type { RawAnswer, RawRequest } from "../support/test-caller.ts";

const { upstream, caller } = await setUpSandbox();

type Json = Readonly<Record<string, unknown>>;
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Json }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const answer = await caller.get("/openapi.json");
const document = JSON.parse(answer.text) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** Jobs that exist: one that ended well and one that did not. */
const { results } = await caller.execute(
  [200, 422].map((status, n) => ({ tool: "probe-background", args: { n, status } })),
);
const JOBS = results.map(({ job_id }) => job_id!);

/** Confirmations that wait, more of them than are decided. */
const parked = await caller.execute(
  Array.from({ length: 40 }, (_, id) => ({ tool: "probe-delete", args: { id } })),
);
const CONFIRMATIONS = parked.results.map(({ confirmation }) => confirmation!.id);

/** How many requests the fuzzer sends; each operation gets its share. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 5_000);

/** Tools that answer at once, whatever they are asked. */
const TOOLS = [
  "probe-echo",
  "probe-cached",
  "probe-search",
  "probe-write",
  "probe-delete",
  "probe-background",
  "probe-nothing",
  "get_weather",
];

/** A small part of what is sent is fixed, so that requests get past the first check and never take long. */
function override(path: readonly string[]): fc.Arbitrary<unknown> | undefined {
  const at = path.at(-1);
  if (at === "tool" || at === "tool_name" || at === "toolName") return fc.constantFrom(...TOOLS);
  if (at === "args" || at === "parameters" || at === "input")
    return fc.oneof(
      fc.record({ n: fc.integer(), d: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: ["n"] }),
      fc.record({ q: fc.string() }),
      fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
      fc.constant({ n: { $ref: "a0#/n" } }),
    );
  if (at === "id") return fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
  if (at === "depends_on") return fc.subarray(["a0", "a1", "nobody"]);
  if (at === "for_each")
    return fc.oneof(fc.array(fc.integer(), { maxLength: 3 }), fc.constant({ $ref: "a0#" }));
  if (at === "select") return fc.constantFrom(["/n"], ["/path", "/nothing"]);
  return undefined;
}

/** A function with its arguments, as the dialects call one somewhere in a call. */
const called = fc.record({
  name: fc.constantFrom(...TOOLS),
  arguments: fc.constantFrom('{"n":1}', "{", "", "[]", '{"n":"x"}'),
});
const calls = fc.array(
  fc.record({
    id: fc.string(),
    call_id: fc.string(),
    type: fc.constantFrom("function", "function_call", "tool_use"),
    name: fc.constantFrom(...TOOLS),
    function: called,
    input: fc.constantFrom({ n: 1 }, {}),
    arguments: fc.constantFrom('{"n":1}', "{"),
  }),
  { maxLength: 4 },
);
const turns = fc.oneof(
  calls,
  called.map((function_call) => ({ role: "assistant", content: null, function_call })),
  calls.map((content) => ({ role: "assistant", content })),
  calls.map((tool_calls) => ({ choices: [{ message: { role: "assistant", tool_calls } }] })),
  calls.map((output) => ({ object: "response", output })),
);

/** Something that is wrong with a body that was right. */
function mutate(body: unknown): fc.Arbitrary<string> {
  const text = JSON.stringify(body) ?? "null";
  const fields = typeof body === "object" && body !== null ? Object.keys(body) : [];
  return fc.oneof(
    fc.constant(text),
    fc.nat(Math.max(1, text.length)).map((at) => text.slice(0, at)),
    fc.json(),
    fc.constant(JSON.stringify({ ...(body as object), surprise: 1 })),
    fc
      .constantFrom(...fields, "none")
      .map((field) => JSON.stringify({ ...(body as object), [field]: undefined })),
    fc
      .tuple(fc.constantFrom(...fields, "none"), fc.jsonValue({ maxDepth: 2 }))
      .map(([field, value]) => JSON.stringify({ ...(body as object), [field]: value })),
    fc.constant(`{"__proto__":${text}}`),
  );
}

function bodies({ operation, path }: (typeof operations)[number]): fc.Arbitrary<string | undefined> {
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (schema === undefined) return fc.constant(undefined);
  const valid = /tool_calls|function_calls|tool_use/.test(path) ? turns : jsonArbitrary(schema, override);
  return valid.chain((body) => fc.oneof(fc.constant(JSON.stringify(body)), mutate(body)));
}

function requests(target: (typeof operations)[number]): fc.Arbitrary<RawRequest> {
  const { method, path, operation } = target;
  const query = Object.fromEntries(
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "query")
      .map(({ name, schema }) => [
        name,
        fc.oneof(
          jsonArbitrary(schema, () => undefined),
          fc.string({ maxLength: 10 }),
        ),
      ]),
  );
  const headers = fc.oneof(
    { weight: 20, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: fc.constant({ accept: "text/event-stream" }) },
    { weight: 1, arbitrary: fc.constant({ authorization: "Bearer wrong" }) },
    { weight: 1, arbitrary: fc.constant({ "content-type": "text/plain" }) },
    { weight: 1, arbitrary: fc.constant({ "volley-hop": "1" }) },
  );
  return fc
    .record({
      body: bodies(target),
      query: fc.record(query, { requiredKeys: [] }),
      headers,
      id: fc.constantFrom(
        ...(path.startsWith("/v1/confirmations") ? CONFIRMATIONS : JOBS),
        "00000000-0000-4000-8000-000000000000",
        "x",
        "%00",
        "a%2Fb",
      ),
    })
    .map(({ body, query: chosen, headers: sent, id }) => {
      const search = new URLSearchParams(
        Object.entries(chosen).map(([key, value]): [string, string] => [key, String(value)]),
      );
      return {
        method,
        path: `${path.replace(/\{\w+\}/g, id)}${search.size === 0 ? "" : `?${search.toString()}`}`,
        headers: { ...(path === "/mcp" && { accept: "application/json, text/event-stream" }), ...sent },
        ...(body !== undefined && { body }),
      };
    });
}

/** Why an answer is not what the document says; null when it is. */
function findDeviation(
  { operation }: (typeof operations)[number],
  { status, headers, text }: RawAnswer,
): string | null {
  if (status >= 500) return `${status}: ${text}`;
  const response = operation.responses[status];
  if (response === undefined) return `undocumented status ${status}: ${text.slice(0, 300)}`;
  if (response.content === undefined) return text === "" ? null : `undocumented body: ${text.slice(0, 300)}`;
  const type = String(headers["content-type"]).split(";")[0]!;
  const schema = response.content[type]?.schema;
  if (schema === undefined) return `undocumented type ${type} of ${status}`;
  // A stream ends with what the plain answer would have been.
  const streamed = type === "text/event-stream";
  const { valid, errors } = new Validator(
    streamed ? response.content["application/json"]!.schema : schema,
    "2020-12",
  ).validate(JSON.parse(streamed ? lastDataOf(text) : text));
  if (valid) return null;
  const why = errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join("; ");
  return `off its schema: ${why.slice(0, 600)} — ${text.slice(0, 600)}`;
}

function lastDataOf(stream: string): string {
  let last = "";
  createParser({ onEvent: ({ data }) => (last = data) }).feed(stream);
  return last;
}

describe("/openapi.json", () => {
  test("is a valid OpenAPI 3.1 document", async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const result = await validate(structuredClone(document) as never);
    expect(result).toMatchObject({ valid: true });
    await dereference(structuredClone(document) as never);
  });

  test("describes every route with the schemas that parse it", () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(["POST /v1/execute_actions", "GET /v1/jobs/{id}", "GET /healthz", "POST /mcp"]),
    );
    const batch = document.paths["/v1/execute_actions"]!["post"]!.requestBody!.content!["application/json"]!;
    expect(batch.schema).toMatchObject({
      properties: { actions: { maxItems: 50, items: { required: ["tool"] } } },
      additionalProperties: false,
    });
  });

  test("says which paths answer with events too", () => {
    const streamed = operations.filter(({ operation }) =>
      Object.hasOwn(operation.responses["200"]?.content ?? {}, "text/event-stream"),
    );
    expect(streamed.map(({ path }) => path).sort()).toEqual([
      "/mcp",
      "/v1/anthropic/tool_use",
      "/v1/execute_actions",
      "/v1/gemini/function_calls",
      "/v1/openai/function_calls",
      "/v1/openai/tool_calls",
    ]);
  });

  test("knows every field that the meta of a result can have", () => {
    const meta: Required<OutcomeMeta> = {
      durationMs: 1,
      queuedMs: 1,
      attempts: 1,
      bytes: 1,
      workMs: 1,
      items: { total: 1, ok: 1, error: 0 },
      deduplicatedOf: "a",
      ageMs: 1,
      selectMissing: ["/n"],
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
    const step = { index: 0, id: "a0", toolName: "probe-echo" } as Step;
    const result = JSON.parse(toResultJson(step, { status: "success", data: 1, json: "1", meta })) as Json;
    const envelope = document.paths["/v1/execute_actions"]!["post"]!.responses["200"]!.content!;
    const schema = envelope["application/json"]!.schema;
    const answer = {
      batch_id: "b",
      results: [result],
      summary: { total: 1, ok: 1, error: 0, initiated: 0, skipped: 0, pending_confirmation: 0, unknown: 0 },
      stats: { duration_ms: 1, critical_path_ms: 1, sequential_ms: 1, speedup: 1, max_parallelism: 1 },
    };
    expect(Object.keys(result["meta"] as Json)).toHaveLength(15);
    expect(new Validator(schema, "2020-12").validate(answer)).toMatchObject({ valid: true });
  });

  test(`says the truth about ${REQUESTS} valid and mutated requests`, { timeout: 120_000 }, async () => {
    upstream.script(
      "/write",
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    );
    const share = Math.ceil(REQUESTS / operations.length);
    const deviations: string[] = [];
    let sent = 0;
    for (const target of operations) {
      const samples = fc.sample(requests(target), { numRuns: share, seed: 20_261_121 });
      const queue = samples.values();
      const worker = async (): Promise<void> => {
        for (const request of queue) {
          const deviation = findDeviation(target, await caller.send(request));
          sent += 1;
          if (deviation !== null)
            deviations.push(
              `${request.method} ${request.path} ${String(request.body).slice(0, 200)} → ${deviation}`,
            );
        }
      };
      await Promise.all(Array.from({ length: 8 }, worker));
    }
    expect(deviations.slice(0, 5)).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  });
});
