import { expect, test } from "vitest";

import { FakeToolContext } from "./fake-tool-context.ts";

const TOOL = { hosts: ["api.example.com"], secrets: ["KEY"] };

test("FakeToolContext sends a value as JSON and records the request", async () => {
  const ctx = new FakeToolContext(TOOL, {
    answer: async (request) => Response.json({ got: await request.json() }),
  });
  const response = await ctx.fetch("https://api.example.com/a?b=1", { method: "POST", body: { n: 1 } });
  expect(response.json()).toEqual({ got: { n: 1 } });
  expect(ctx.requests).toMatchObject([{ method: "POST", body: '{"n":1}' }]);
  expect(ctx.requests[0]!.headers.get("content-type")).toBe("application/json");
  expect(ctx.requests[0]!.url.search).toBe("?b=1");
});

test.each([
  [404, { code: "NOT_FOUND", upstreamStatus: 404 }],
  [429, { code: "RATE_LIMITED", upstreamStatus: 429, retryAfterMs: 2_000 }],
  [422, { code: "UPSTREAM_ERROR", upstreamStatus: 422, retryable: false }],
  [503, { code: "UPSTREAM_ERROR", upstreamStatus: 503, retryable: true }],
])("FakeToolContext turns an upstream's %i into a failure", async (status, failure) => {
  const ctx = new FakeToolContext(TOOL, {
    answer: () => new Response("secret detail", { status, headers: { "retry-after": "2" } }),
  });
  await expect(ctx.fetch("https://api.example.com/")).rejects.toMatchObject({ failure });
});

test("FakeToolContext refuses a host that the tool does not declare", async () => {
  const ctx = new FakeToolContext(TOOL, { answer: () => new Response() });
  await expect(ctx.fetch("https://other.example.com/")).rejects.toMatchObject({
    failure: { code: "EGRESS_DENIED" },
  });
  await expect(ctx.fetch("http://api.example.com/")).rejects.toMatchObject({
    failure: { code: "EGRESS_DENIED" },
  });
  expect(ctx.requests).toEqual([]);
});

test("FakeToolContext gives only secrets that are declared and set", () => {
  const ctx = new FakeToolContext(TOOL, { answer: () => new Response(), secrets: { KEY: "k", OTHER: "o" } });
  expect(ctx.secret("KEY")).toBe("k");
  expect(() => ctx.secret("OTHER")).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: "MISCONFIGURED" }) }),
  );
});

test("FakeToolContext refuses a body that is not JSON only when JSON is asked for", async () => {
  const ctx = new FakeToolContext(TOOL, { answer: () => new Response("<html>") });
  const response = await ctx.fetch("https://api.example.com/");
  expect(response.text()).toBe("<html>");
  expect(() => response.json()).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: "BAD_UPSTREAM_RESPONSE" }) }),
  );
});

test("FakeToolContext gives only bindings that are declared and set, and says who calls", () => {
  const bindings = { DB: { name: "db" }, OTHER: {} };
  const options = { answer: () => new Response(), bindings };
  const ctx = new FakeToolContext({ ...TOOL, bindings: ["DB", "MISSING"] }, options);
  expect(ctx.binding<{ readonly name: string }>("DB").name).toBe("db");
  expect(() => ctx.binding("OTHER")).toThrow("Cannot use binding 'OTHER'");
  expect(() => ctx.binding("MISSING")).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: "MISCONFIGURED" }) }),
  );
  expect(ctx.caller).toEqual({ tenant: "acme", key: "tester" });
  const caller = { tenant: "other", key: "theirs" };
  expect(new FakeToolContext(TOOL, { ...options, caller }).caller).toEqual(caller);
});

test("FakeToolContext keeps what is logged, with its level", () => {
  const { log, logged } = new FakeToolContext(TOOL, { answer: () => new Response() });
  log("plain");
  log.warn("odd", { n: 1 });
  expect(logged).toEqual([
    { level: "info", message: "plain" },
    { level: "warn", message: "odd", fields: { n: 1 } },
  ]);
});
