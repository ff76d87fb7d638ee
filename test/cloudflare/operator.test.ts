import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import type { DataPoint } from "../../src/core/egress/ports.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";
import { ALL_FEATURES } from "../support/all-features.ts";

/* The operator's bindings and settings, in the Worker as it is deployed. */

/** A dataset that keeps its points, and takes none where a test says so. */
class FakeDataset {
  readonly points: DataPoint[] = [];
  isBroken = false;

  writeDataPoint(point: DataPoint): void {
    if (this.isBroken) throw new TypeError("The dataset takes no more points");
    this.points.push(point);
  }
}

/** The platform's tracing, of an invocation that is sampled or not. */
class FakeTracing {
  readonly names: string[] = [];
  readonly attributes: Record<string, unknown> = {};
  readonly #isTraced: boolean;

  constructor(isTraced: boolean) {
    this.#isTraced = isTraced;
  }

  getActiveSpan() {
    return { isTraced: this.#isTraced };
  }

  enterSpan<T>(name: string, work: (span: { setAttribute(key: string, value: unknown): void }) => T): T {
    this.names.push(name);
    return work({ setAttribute: (key, value) => void (this.attributes[key] = value) });
  }
}

const hash = Array.from(await digestKey("key"), (byte) => byte.toString(16).padStart(2, "0")).join("");
const VOLLEY_KEYS = JSON.stringify([
  { name: "k", hash, tenant: "operator", tools: ["*"], quota: { limit: 1_000, window_s: 3_600 } },
]);
async function send(bindings: object, { tracing, ...init }: RequestInit & { tracing?: FakeTracing } = {}) {
  // One of its own: an isolate has one platform.
  const { app } = createVolley({
    tools: createProbeTools("https://probe.example.com"),
    features: ALL_FEATURES,
    send: async (url) => Response.json({ path: new URL(url).pathname, n: 1 }),
  });
  const context = createExecutionContext();
  const ctx = Object.assign(
    { waitUntil: (work: Promise<unknown>) => context.waitUntil(work), passThroughOnException: () => {} },
    tracing && { tracing },
  ) as unknown as ExecutionContext;
  const { path = "/v1/execute_actions", ...rest } = init as RequestInit & { path?: string };
  const response = await app.fetch(
    new Request(`https://volley.test${path}`, {
      method: "POST",
      headers: { authorization: "Bearer key", "content-type": "application/json" },
      body: JSON.stringify({
        actions: [
          { tool: "probe-echo", args: { n: 1 } },
          { tool: "probe-echo", args: { n: "CANARY" } },
        ],
      }),
      ...rest,
    }),
    { TENANT_GATE: env.TENANT_GATE, TOOL_GATE: {}, VOLLEY_KEYS, VOLLEY_LOG: "off", ...bindings },
    ctx,
  );
  const body = (await response.json()) as Record<string, unknown>;
  await waitOnExecutionContext(context);
  return { response, body };
}

describe("A dataset that is bound as METRICS", () => {
  test("gets one point of the batch and one of each action, also where no line is wanted", async () => {
    const METRICS = new FakeDataset();
    const { response } = await send({ METRICS });
    expect(response.status).toBe(200);
    const id = response.headers.get("x-request-id");
    expect(METRICS.points.map(({ indexes, blobs }) => [indexes[0], blobs[0], ...blobs.slice(4, 8)])).toEqual([
      ["operator", "batch", "", "run", "INVALID_ARGS", id],
      ["operator", "action", "probe-echo", "success", "", id],
      ["operator", "action", "probe-echo", "error", "INVALID_ARGS", id],
    ]);
    expect(JSON.stringify(METRICS.points)).not.toContain("CANARY");
  });

  test("gets one of a refusal, where it is known who was refused", async () => {
    const METRICS = new FakeDataset();
    await send({ METRICS }, { body: "{" });
    await send({ METRICS }, { headers: { authorization: "Bearer CANARY" } });
    expect(METRICS.points.map(({ blobs }) => blobs.slice(0, 8))).toEqual([
      [
        "refused",
        "operator",
        "k",
        "POST /v1/execute_actions",
        "",
        "400",
        "MALFORMED_JSON",
        expect.any(String),
      ],
    ]);
  });

  test("costs no caller an answer when it takes no points", async () => {
    const METRICS = new FakeDataset();
    METRICS.isBroken = true;
    const { response, body } = await send({ METRICS });
    expect(response.status).toBe(200);
    expect(body).toMatchObject({ summary: { ok: 1, error: 1 } });
  });
});

test.each([
  ["METRICS", { METRICS: "volley" }],
  ["METRICS", { METRICS: {} }],
  ["VOLLEY_LOG", { VOLLEY_LOG: "loud" }],
  ["VOLLEY_LOG", { VOLLEY_LOG: 1 }],
])("%s that cannot be read is named by health, and its value is not", async (name, bindings) => {
  const init = { path: "/healthz", method: "GET", body: null, headers: {} } as RequestInit;
  const { response, body } = await send(bindings, init);
  expect(response.status).toBe(503);
  expect(body["detail"]).toMatch(new RegExp(`^${name} cannot be read`));
  expect(response.headers.get("server-timing")).toMatch(/^parse;dur=\d+$/);
});

describe("Spans", () => {
  test("are entered in an invocation that is traced: one for the admission, one for each request that is sent", async () => {
    const tracing = new FakeTracing(true);
    const { response } = await send({}, { tracing });
    expect(tracing.names).toEqual(["volley.admission", "volley.upstream"]);
    expect(tracing.attributes).toMatchObject({
      "volley.request_id": response.headers.get("x-request-id"),
      "volley.tenant": "operator",
      "volley.admitted": "yes",
      "volley.tool": "probe-echo",
      "volley.attempt": 1,
      "server.address": "probe.example.com",
      "http.response.status_code": 200,
    });
  });

  test("are not entered in one that is not, nor where there is no tracing", async () => {
    const tracing = new FakeTracing(false);
    expect((await send({}, { tracing })).response.status).toBe(200);
    expect((await send({})).response.status).toBe(200);
    expect(tracing.names).toEqual([]);
  });
});
