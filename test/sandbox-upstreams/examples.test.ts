import { beforeEach, expect, test } from "vitest";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { EXAMPLE_TOOLS } from "../sandbox/example-tools.ts";
import { EXAMPLES_HOST, resetExamples, WEBHOOK_SECRET } from "../sandbox/upstreams/examples.ts";
import { runTool } from "../support/run-tool.ts";
import { callStandIn } from "./call-stand-in.ts";

const AT = `https://${EXAMPLES_HOST}`;
const CATALOG = createCatalog(EXAMPLE_TOOLS);

function run(name: string, args: unknown, secret = WEBHOOK_SECRET) {
  const secrets = { EXAMPLES_WEBHOOK_SECRET: secret };
  return runTool(CATALOG.get(name)!, args, { secrets, idempotencyKey: "key" });
}

beforeEach(resetExamples);

test.each([
  ["vector_search", { concurrency: Number.POSITIVE_INFINITY, isWrite: false }],
  ["list_calendar_events", { isWrite: false, confirm: false }],
  ["delete_calendar_event", { isWrite: true, concurrency: 1, confirm: true }],
  ["dispatch_event", { concurrency: 25, isWrite: true, onError: "partial-success" }],
])("%s promises what its worked example says", (name, contract) => {
  expect(CATALOG.get(name)).toMatchObject(contract);
});

test("a calendar's event is deleted once", async () => {
  const list = () => run("list_calendar_events", {}).output;
  expect(await list()).toMatchObject({ events: [{ event_id: "abc123" }, { event_id: "def456" }] });
  expect(await run("delete_calendar_event", { event_id: "abc123" }).output).toEqual({
    event_id: "abc123",
    title: "Meeting with John",
  });
  expect(await list()).toEqual({ events: [{ event_id: "def456", title: "Stand-up" }] });
  await expect(run("delete_calendar_event", { event_id: "abc123" }).output).rejects.toMatchObject({
    failure: { code: "NOT_FOUND" },
  });
});

test("passages are found", async () => {
  expect(await run("vector_search", { query: "tea" }).output).toMatchObject({
    matches: [{ id: "tea/1" }, { id: "tea/2" }, { id: "tea/3" }],
  });
});

test("an event that a hook refused for the moment comes again, under the same id", async () => {
  const { output, requests } = run("dispatch_event", { type: "paid", urls: [`${AT}/hooks/flaky`] });
  expect(await output).toEqual({
    results: [{ index: 0, url: `${AT}/hooks/flaky`, status: "ok", attempts: 2 }],
    summary: { ok: 1, error: 0 },
  });
  expect(requests.map(({ headers }) => headers.get("webhook-id"))).toEqual(["key:0", "key:0"]);
});

test("a hook takes no event with a wrong signature", async () => {
  const { output } = run("dispatch_event", { type: "paid", urls: [`${AT}/hooks/a`] }, "guess");
  expect(await output).toMatchObject({ results: [{ status: "error", code: "UPSTREAM_ERROR", attempts: 1 }] });
  expect(await callStandIn(`${AT}/stats`)).toMatchObject({ body: { deliveries: {} } });
});

test("the stand-in answers 404 where there is nothing, and counts by route", async () => {
  expect((await callStandIn(`${AT}/elsewhere`)).status).toBe(404);
  await Promise.all([callStandIn(`${AT}/vectors?q=a`), callStandIn(`${AT}/vectors?q=b`)]);
  expect((await callStandIn(`${AT}/stats`)).body).toMatchObject({
    routes: { "GET /elsewhere": { requests: 1, peak: 1 }, "GET /vectors": { requests: 2, peak: 2 } },
  });
});
