import { expect, test } from "vitest";
import * as z from "zod";

import type { InSpan, SpanAttributes } from "../../../src/core/egress/ports.ts";
import { traceFetch } from "../../../src/core/observe/traced-fetch.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

/** Spans as the platform would show them. */
class SeenSpans {
  readonly spans: { readonly name: string; readonly attributes: SpanAttributes }[] = [];

  readonly inSpan: InSpan = async (name, attributes, work) => {
    const span: { name: string; attributes: SpanAttributes } = { name, attributes };
    this.spans.push(span);
    return work((more) => void (span.attributes = { ...span.attributes, ...more }));
  };
}

const ask = contractOf("ask", {
  input: z.strictObject({ q: z.string() }),
  hosts: ["upstream.example"],
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 10 } },
  run: async ({ q }, ctx) => (await ctx.fetch(`https://upstream.example/find/${q}?token=${q}`)).json(),
});

test("An admission and every request that is sent have a span, which says the host and nothing more of the address", async () => {
  const world = new TestWorld();
  const { spans, inSpan } = new SeenSpans();
  let asked = 0;
  world.fetch = async () => {
    asked += 1;
    return asked === 1 ? new Response("CANARY", { status: 503 }) : Response.json(["CANARY"]);
  };
  await world.run(
    [ask],
    { actions: [{ tool: "ask", args: { q: "CANARY" } }] },
    {
      ports: { ...world.ports, inSpan },
      origin: { tenant: "acme", key: "tester", requestId: "r", traceId: "t".repeat(32) },
    },
  );
  const upstream = (attempt: number, status: number) => ({
    name: "volley.upstream",
    attributes: {
      "volley.tool": "ask",
      "volley.attempt": attempt,
      "server.address": "upstream.example",
      "http.request.method": "GET",
      "http.response.status_code": status,
    },
  });
  expect(spans).toEqual([
    {
      name: "volley.admission",
      attributes: {
        "volley.request_id": "r",
        "volley.trace_id": "t".repeat(32),
        "volley.tenant": "acme",
        "volley.key": "tester",
        "volley.actions": 1,
        "volley.admitted": "yes",
      },
    },
    upstream(1, 503),
    upstream(2, 200),
  ]);
});

test("A refused admission says why in its span, and a request without an answer has no status in its own", async () => {
  const world = new TestWorld();
  const { spans, inSpan } = new SeenSpans();
  world.fetch = () => Promise.reject(new TypeError("CANARY"));
  const ports = { ...world.ports, inSpan };
  const once = { ...ask, orchestration: { mode: "parallel-safe" } } as const;
  await world.run([once], { actions: [{ tool: "ask", args: { q: "x" } }] }, { ports });
  world.gate.quotaAllowed = false;
  await world.execute([once], { actions: [{ tool: "ask", args: { q: "x" } }] }, { ports });
  expect(spans.map(({ name, attributes }) => [name, attributes["volley.admitted"]])).toEqual([
    ["volley.admission", "yes"],
    ["volley.upstream", undefined],
    ["volley.admission", "QUOTA_EXCEEDED"],
  ]);
  expect(spans[1]!.attributes).not.toHaveProperty("http.response.status_code");
  expect(JSON.stringify(spans)).not.toContain("CANARY");
});

test("A request's span says its method, GET where the request names none; without spans the requests are as they were", async () => {
  const { spans, inSpan } = new SeenSpans();
  const fetch = async () => new Response("");
  const traced = traceFetch({ fetch, inSpan }, () => ({}));
  await traced("https://upstream.example/", { method: "POST" });
  await traced("https://upstream.example/", {});
  expect(spans.map(({ attributes }) => attributes["http.request.method"])).toEqual(["POST", "GET"]);
  expect(traceFetch({ fetch, inSpan: undefined }, () => ({}))).toBe(fetch);
});
