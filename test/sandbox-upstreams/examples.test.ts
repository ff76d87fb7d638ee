import { beforeEach, expect, test } from "vitest";
import { Webhook } from "standardwebhooks";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { EXAMPLE_TOOLS } from "../sandbox/example-tools.ts";
import { EXAMPLES_HOST, resetExamples, WEBHOOK_SECRET } from "../sandbox/upstreams/examples.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";
import { runTool } from "../support/run-tool.ts";
import { callStandIn } from "./call-stand-in.ts";

const AT = `https://${EXAMPLES_HOST}`;
const CATALOG = createCatalog(EXAMPLE_TOOLS);

function run(name: string, args: unknown) {
  return runTool(CATALOG.get(name)!, args);
}

/** Post an event to a hook, signed by the library of the standard. */
function post(hook: string, { secret = WEBHOOK_SECRET, at = INSTANT_PORTS.now() } = {}) {
  const time = new Date(at);
  const body = JSON.stringify({ type: "paid" });
  const headers = {
    "webhook-id": "msg-1",
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": `v1,AAAA ${new Webhook(secret).sign("msg-1", time, body)}`,
  };
  return callStandIn(`${AT}/hooks/${hook}`, { method: "POST", headers, body });
}

beforeEach(resetExamples);

test.each([
  ["search_documents", { concurrency: Number.POSITIVE_INFINITY, isWrite: false }],
  ["fetch_document", { concurrency: 4, isWrite: false, orchestration: { mode: "dependent" } }],
  ["vector_search", { concurrency: Number.POSITIVE_INFINITY, isWrite: false }],
  ["rerank", { concurrency: 1, isWrite: false }],
  ["create_contacts", { isWrite: true, onError: "fail-fast", repeatable: false }],
  ["list_calendar_events", { isWrite: false, confirm: false }],
  ["delete_calendar_event", { isWrite: true, concurrency: 1, confirm: true }],
])("%s promises what its worked example says", (name, contract) => {
  expect(CATALOG.get(name)).toMatchObject(contract);
});

test("documents are found, and fetched by the ids that were found", async () => {
  const { output } = run("search_documents", { query: "tea", limit: 2 });
  expect(await output).toMatchObject({
    documents: [{ document_id: "tea-1" }, { document_id: "tea-2" }],
  });
  expect(await run("fetch_document", { document_id: "tea-2" }).output).toMatchObject({
    document_id: "tea-2",
  });
  await expect(run("fetch_document", { document_id: "made up" }).output).rejects.toMatchObject({
    failure: { code: "NOT_FOUND" },
  });
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

test("found passages are put in another order", async () => {
  expect(await run("vector_search", { query: "tea" }).output).toMatchObject({
    matches: [{ id: "tea/1" }, { id: "tea/2" }, { id: "tea/3" }],
  });
  expect(await run("rerank", { ids: ["a", "b"] }).output).toEqual({ ids: ["b", "a"] });
});

test("contacts are created all together, or none of them", async () => {
  const good = { name: "Ada", email: "ada@example.com" };
  await expect(
    run("create_contacts", { contacts: [good, { name: "Bob", email: "bob" }] }).output,
  ).rejects.toMatchObject({ failure: { upstreamStatus: 422 } });
  expect(await callStandIn(`${AT}/stats`)).toMatchObject({ body: { contacts: [] } });

  expect(await run("create_contacts", { contacts: [good, good] }).output).toEqual({
    contacts: [
      { contact_id: "c-1", ...good },
      { contact_id: "c-2", ...good },
    ],
  });
});

test("a hook takes a signed event, and one that it refused for the moment when it comes again", async () => {
  expect((await post("a")).status).toBe(200);
  expect((await post("flaky")).status).toBe(503);
  expect((await post("flaky")).status).toBe(200);
  expect(await callStandIn(`${AT}/stats`)).toMatchObject({
    body: { deliveries: { a: [{ type: "paid" }], flaky: [{ type: "paid" }] } },
  });
});

test("a hook takes no event with a wrong signature, or one that is too old", async () => {
  expect((await post("a", { secret: `whsec_${btoa("another secret of 32 characters.")}` })).status).toBe(401);
  expect((await post("a", { at: INSTANT_PORTS.now() - 600_000 })).status).toBe(400);
  expect((await callStandIn(`${AT}/hooks/a`, { method: "POST", body: "{}" })).status).toBe(400);
  expect(await callStandIn(`${AT}/stats`)).toMatchObject({ body: { deliveries: {} } });
});

test("the stand-in answers 404 where there is nothing, and counts by route", async () => {
  expect((await callStandIn(`${AT}/elsewhere`)).status).toBe(404);
  await Promise.all([callStandIn(`${AT}/documents?q=a`), callStandIn(`${AT}/documents?q=b`)]);
  expect((await callStandIn(`${AT}/stats`)).body).toMatchObject({
    routes: { "GET /elsewhere": { requests: 1, peak: 1 }, "GET /documents": { requests: 2, peak: 2 } },
  });
});
