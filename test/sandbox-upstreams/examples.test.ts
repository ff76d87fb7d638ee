import { beforeEach, expect, test } from "vitest";
import { Webhook } from "standardwebhooks";

import { createCatalog } from "../support/create-catalog.ts";
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

test.each([["vector_search", { concurrency: Number.POSITIVE_INFINITY, isWrite: false }]])(
  "%s promises what its worked example says",
  (name, contract) => {
    expect(CATALOG.get(name)).toMatchObject(contract);
  },
);

test("passages are found", async () => {
  expect(await run("vector_search", { query: "tea" }).output).toMatchObject({
    matches: [{ id: "tea/1" }, { id: "tea/2" }, { id: "tea/3" }],
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
  await Promise.all([callStandIn(`${AT}/vectors?q=a`), callStandIn(`${AT}/vectors?q=b`)]);
  expect((await callStandIn(`${AT}/stats`)).body).toMatchObject({
    routes: { "GET /elsewhere": { requests: 1, peak: 1 }, "GET /vectors": { requests: 2, peak: 2 } },
  });
});
