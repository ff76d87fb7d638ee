import { expect, test } from "vitest";

import { PAGE_HOSTS } from "../sandbox/upstreams/pages.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";

const get = (url: string, init: RequestInit = {}): Promise<Response> =>
  routeUpstream(new Request(url, { redirect: "manual", ...init }), INSTANT_PORTS)!;

test("pages.sandbox.test lists its pages, each of the kind that it says", async () => {
  const paths = (await (await get("https://pages.sandbox.test/")).text()).split("\n");
  expect(paths).toContain("/article");
  for (const path of paths) expect((await get(`https://pages.sandbox.test${path}`)).status).not.toBe(404);
  expect((await get("https://pages.sandbox.test/none")).status).toBe(404);
  expect((await get("https://pages.sandbox.test/__proto__")).status).toBe(404);
  expect((await get("https://pages.sandbox.test/", { method: "POST" })).status).toBe(405);
});

test("every host whose pages are found has them", async () => {
  for (const host of PAGE_HOSTS.slice(1))
    expect(await (await get(`https://${host}/any/thing`)).text()).toContain("<main>");
});
