import { expect, test } from "vitest";

import { callStandIn } from "./call-stand-in.ts";

const URL = "https://api.search.brave.com/res/v1/web/search";
const HEADERS = { "X-Subscription-Token": "token" };

test("Brave's stand-in answers in the service's own shape, highlighted", async () => {
  const { status, body } = await callStandIn(`${URL}?q=tea+%26+milk&count=2`, { headers: HEADERS });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    type: "search",
    query: { original: "tea & milk" },
    web: {
      results: { length: 2, 0: { description: expect.stringContaining("<strong>tea &amp; milk</strong>") } },
    },
  });
});

test("Brave's stand-in leaves the web section out when it finds nothing", async () => {
  const { body } = await callStandIn(`${URL}?q=nowhere`, { headers: HEADERS });
  expect(body).not.toHaveProperty("web");
});

test.each([
  ["without a token", {}, "VALIDATION"],
  ["with a wrong token", { "X-Subscription-Token": "invalid" }, "SUBSCRIPTION_TOKEN_INVALID"],
])("Brave's stand-in refuses a search %s with 422, never 401", async (_, headers, code) => {
  expect(await callStandIn(`${URL}?q=tea`, { headers })).toMatchObject({
    status: 422,
    body: { type: "ErrorResponse", error: { status: 422, code } },
  });
});

test.each([
  "",
  "?q=",
  "?q=tea&count=0",
  "?q=tea&count=21",
  "?q=tea&count=x",
  `?q=${"x".repeat(401)}`,
  `?q=${"x+".repeat(51)}`,
])("Brave's stand-in refuses the query '%s'", async (query) => {
  expect(await callStandIn(URL + query, { headers: HEADERS })).toMatchObject({
    status: 422,
    body: { error: { code: "VALIDATION" } },
  });
});

test("Brave's stand-in knows no other method or path", async () => {
  expect((await callStandIn(`${URL}?q=tea`, { method: "POST", headers: HEADERS })).status).toBe(405);
  expect((await callStandIn("https://api.search.brave.com/", { headers: HEADERS })).status).toBe(404);
});
