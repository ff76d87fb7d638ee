import { expect, test } from "vitest";

import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";

const ask = (query: string, init: RequestInit = {}): Promise<Response> =>
  routeUpstream(new Request(`https://api.duckduckgo.com/${query}`, init), INSTANT_PORTS)!;

test("DuckDuckGo's stand-in answers JSON under a script's type", async () => {
  const response = await ask("?q=tea&format=json&no_html=1");
  expect(response.headers.get("content-type")).toBe("application/x-javascript");
  expect(JSON.parse(await response.text())).toMatchObject({
    Heading: "tea",
    Type: "A",
    RelatedTopics: { length: 3 },
  });
});

test("it answers a page unless it is asked for data, and leads a bang elsewhere unless it is told not to", async () => {
  expect((await ask("?q=tea")).headers.get("content-type")).toBe("text/html");
  expect((await ask("?q=!w+tea&format=json")).status).toBe(303);
  expect((await ask("?q=!w+tea&format=json&no_redirect=1")).status).toBe(200);
  expect((await ask("?q=throttled&format=json")).status).toBe(202);
});

test.each(["?format=json", "?q=tea&format=yaml", "?q=tea&no_html=yes", "?q=tea&limit=5"])(
  "it refuses '%s'",
  async (query) => {
    expect((await ask(query)).status).toBe(400);
  },
);

test("it knows no other path or method", async () => {
  expect((await ask("search?q=tea")).status).toBe(404);
  expect((await ask("?q=tea&format=json", { method: "POST" })).status).toBe(405);
});
