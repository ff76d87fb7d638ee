import * as z from "zod/mini";
import { beforeEach, expect, test } from "vitest";

import { createProbeTools } from "../sandbox/probe-tools.ts";
import { PROBE_HOST, resetProbe } from "../sandbox/upstreams/probe.ts";
import { runTool } from "../support/run-tool.ts";

const ORIGIN = `https://${PROBE_HOST}`;
const TOOLS = new Map(createProbeTools(ORIGIN).map((tool) => [tool.name, tool]));

function run(name: string, args: unknown, answer?: (request: Request) => Response) {
  return runTool(TOOLS.get(name)!, args, { idempotencyKey: "job-1", ...(answer && { answer }) });
}

beforeEach(resetProbe);

test("createProbeTools() makes one tool per promise of a contract, all in one category", () => {
  expect([...TOOLS.keys()]).toEqual([
    "probe-echo",
    "probe-limited",
    "probe-serial",
    "probe-read",
    "probe-write",
    "probe-write-keyed",
    "probe-cached",
    "probe-cached-write",
    "probe-write-verified",
    "probe-verify",
    "probe-search",
    "probe-item",
    "probe-delete",
    "probe-background",
    "probe-background-once",
    "probe-book",
    "probe-unbook",
    "probe-quota",
    "probe-global",
    "probe-global-rate",
    "probe-global-background",
    "probe-flaky",
    "probe-secret",
    "probe-any",
    "read",
    "grep",
    "write",
    "bash",
  ]);
  expect(new Set([...TOOLS.values()].map(({ category }) => category))).toEqual(new Set(["probe"]));
});

test.each([
  ["probe-echo", { isWrite: false, concurrency: Number.POSITIVE_INFINITY, domain: "probe" }],
  ["probe-limited", { isWrite: false, concurrency: 3 }],
  ["probe-serial", { isWrite: false, concurrency: 1 }],
  ["probe-read", { isWrite: false, domain: "probe-store" }],
  [
    "probe-write",
    { isWrite: true, domain: "probe-store", repeatable: false, execution: "sync", confirm: false },
  ],
  ["probe-write-keyed", { isWrite: true, execution: "sync", idempotent: false, repeatable: true }],
  ["probe-cached", { isWrite: false, domain: "probe-cached", orchestration: { cache_ttl_s: 60 } }],
  ["probe-cached-write", { isWrite: true, domain: "probe-cached", execution: "sync" }],
  ["probe-item", { isWrite: false, orchestration: { depends_on: [{ from: { id: "/items/0/id" } }] } }],
  ["probe-delete", { isWrite: true, actions: ["delete"], confirm: true }],
  [
    "probe-background",
    { isWrite: true, execution: "fire-and-forget", repeatable: true, delivery: "at-least-once" },
  ],
  [
    "probe-background-once",
    { isWrite: true, execution: "fire-and-forget", repeatable: false, delivery: "at-most-once" },
  ],
  ["probe-quota", { orchestration: { rate_limit: { limit: 5, window_s: 10, scope: "tenant" } } }],
  ["probe-global", { concurrency: 2, globalLimits: { concurrency: 2, rate: null } }],
  ["probe-global-rate", { globalLimits: { concurrency: null, rate: { limit: 5, windowS: 10 } } }],
  ["probe-global-background", { execution: "fire-and-forget", globalLimits: { concurrency: 2, rate: null } }],
  ["probe-flaky", { repeatable: true, orchestration: { backoff: { strategy: "exponential" } } }],
  ["probe-any", { timeoutMs: 2_000, maxResponseBytes: 1_048_576 }],
  ["read", { isWrite: false, domain: "workspace" }],
  ["grep", { isWrite: false, domain: "workspace" }],
  ["write", { isWrite: true, domain: "workspace", confirm: false }],
  ["bash", { isWrite: true, domain: "workspace", confirm: false }],
])("%s promises what its row of the table says", (name, contract) => {
  expect(TOOLS.get(name)).toMatchObject(contract);
});

test.each([
  ["probe-echo", { n: 1, d: 5 }, "GET /echo?n=1&d=5", ""],
  ["probe-limited", { n: 1 }, "GET /limited?n=1", ""],
  ["probe-serial", { n: 1 }, "GET /serial?n=1", ""],
  ["probe-read", { n: 1 }, "GET /read?n=1", ""],
  ["probe-write", { n: 1, d: 5, status: 200 }, "POST /write", '{"n":1,"d":5,"status":200}'],
  ["probe-cached", { n: 1, d: 5 }, "GET /cached?n=1&d=5", ""],
  ["probe-cached-write", { n: 1 }, "POST /cached-write", '{"n":1}'],
  ["probe-search", { q: "a b" }, "GET /search?q=a+b", ""],
  ["probe-item", { id: "tea-1" }, "GET /item?id=tea-1", ""],
  ["probe-delete", { id: 7 }, "DELETE /item?id=7", ""],
  ["probe-write-verified", { n: 1 }, "POST /verified", '{"n":1}'],
  ["probe-write-keyed", { n: 1 }, "POST /keyed", '{"n":1}'],
  ["probe-background", { n: 1 }, "POST /background", '{"n":1}'],
  ["probe-background-once", { n: 1 }, "POST /background", '{"n":1}'],
  ["probe-quota", { n: 1 }, "GET /quota?n=1", ""],
  ["probe-global", { n: 1, d: 5 }, "GET /global?n=1&d=5", ""],
  ["probe-global-rate", { n: 1 }, "GET /global-rate?n=1", ""],
  ["probe-global-background", { n: 1 }, "POST /global-background", '{"n":1}'],
  ["probe-flaky", { key: "k", fail: 0 }, "GET /flaky?key=k&fail=0", ""],
  ["probe-any", { path: "/echo?n=3" }, "GET /echo?n=3", ""],
  ["read", { path: "a.ts" }, "POST /tool/read", '{"path":"a.ts"}'],
  ["grep", {}, "POST /tool/grep", "{}"],
  ["write", { path: "a", content: "b" }, "POST /tool/write", '{"path":"a","content":"b"}'],
  ["bash", { command: "ls" }, "POST /tool/bash", '{"command":"ls"}'],
])("%s with %j calls %s", async (name, args, line, body) => {
  const { output, requests } = run(name, args);
  await output;
  expect(requests.map(({ method, url }) => `${method} ${url.href.replace(ORIGIN, "")}`)).toEqual([line]);
  expect(requests[0]!.body).toBe(body);
});

test.each(["probe-background", "probe-write-keyed"])(
  "%s sends the action's idempotency key",
  async (name) => {
    const { output, requests } = run(name, { n: 1 });
    await output;
    expect(requests[0]!.headers.get("Idempotency-Key")).toBe("job-1");
  },
);

test("probe-item cannot do without an id", () => {
  expect(z.safeParse(TOOLS.get("probe-item")!.input, {}).success).toBe(false);
});

test("probe-any gives JSON as it is and anything else as text", async () => {
  expect(await run("probe-any", { path: "/echo?n=1" }).output).toEqual({ path: "/echo", n: 1 });
  const html = (): Response => new Response("<p>", { headers: { "content-type": "text/html" } });
  expect(await run("probe-any", { path: "/" }, html).output).toEqual({ text: "<p>" });
  const problem = (): Response =>
    new Response("{}", { headers: { "content-type": "application/problem+json; charset=utf-8" } });
  expect(await run("probe-any", { path: "/" }, problem).output).toEqual({});
});

test("probe-any cannot leave its origin", async () => {
  await expect(run("probe-any", { path: "https://example.com/" }).output).rejects.toMatchObject({
    failure: { code: "EGRESS_DENIED" },
  });
});

test("createProbeTools() can point its tools at another origin", () => {
  for (const { hosts } of createProbeTools("http://127.0.0.1:9911/"))
    expect(hosts).toEqual(["http://127.0.0.1:9911"]);
});

test("probe-book books, and probe-unbook takes back what it booked, once", async () => {
  const call = (name: string, args: unknown, idempotencyKey: string): Promise<unknown> =>
    runTool(TOOLS.get(name)!, args, { idempotencyKey }).output;
  for (const key of ["book-1", "book-1"])
    expect(await call("probe-book", { n: 7 }, key)).toEqual({ id: "booking-1" });
  for (const key of ["undo-1", "undo-1"])
    expect(await call("probe-unbook", { id: "booking-1" }, key)).toEqual({ id: "booking-1" });
  await expect(call("probe-unbook", { id: "booking-1" }, "undo-2")).rejects.toMatchObject({
    failure: { upstreamStatus: 404 },
  });
  expect(await call("probe-any", { path: "/bookings" }, "look")).toEqual({
    bookings: [{ id: "booking-1", n: 7, live: false }],
  });
});
