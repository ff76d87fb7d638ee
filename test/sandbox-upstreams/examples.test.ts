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
  ["search_documents", { concurrency: Number.POSITIVE_INFINITY, isWrite: false }],
  ["fetch_document", { concurrency: 4, isWrite: false, orchestration: { mode: "dependent" } }],
  ["vector_search", { concurrency: Number.POSITIVE_INFINITY, isWrite: false }],
  ["rerank", { concurrency: 1, isWrite: false }],
  ["create_contacts", { isWrite: true, onError: "fail-fast", repeatable: false }],
  ["dispatch_event", { concurrency: 25, isWrite: true, onError: "partial-success" }],
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
  await Promise.all([callStandIn(`${AT}/documents?q=a`), callStandIn(`${AT}/documents?q=b`)]);
  expect((await callStandIn(`${AT}/stats`)).body).toMatchObject({
    routes: { "GET /elsewhere": { requests: 1, peak: 1 }, "GET /documents": { requests: 2, peak: 2 } },
  });
});
