import { expect, test } from "vitest";

import { listHosts } from "../../src/core/catalog/define-tool.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { EXAMPLES_HOST } from "../sandbox/upstreams/examples.ts";
import { PROBE_HOST } from "../sandbox/upstreams/probe.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";

test.each([PROBE_HOST, EXAMPLES_HOST, ...new Set(SHIPPED_TOOLS.flatMap(listHosts))])(
  "routeUpstream() has a stand-in for %s",
  async (host) => {
    expect(await routeUpstream(new Request(`https://${host}/`), INSTANT_PORTS)).toBeInstanceOf(Response);
  },
);

test("routeUpstream() leaves every other host alone", () => {
  expect(routeUpstream(new Request("https://example.com/"), INSTANT_PORTS)).toBeNull();
  expect(routeUpstream(new Request("https://api.nhtsa.gov.example.com/"), INSTANT_PORTS)).toBeNull();
});

test("routeUpstream() makes callers wait as long as the provider takes", async () => {
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => void slept.push(ms);
  const ports = { ...INSTANT_PORTS, sleep };
  for (const host of new Set(SHIPPED_TOOLS.flatMap(listHosts)))
    await routeUpstream(new Request(`https://${host}/`), ports);
  expect(slept).toEqual([240, 380, 180, 110, 210, 150, 120, 120, 80, 140, 90, 160, 110]);
});

test("routeUpstream() rejects as soon as the request is aborted", async () => {
  const abort = new AbortController();
  const answer = routeUpstream(new Request(`https://${PROBE_HOST}/echo?d=1`, { signal: abort.signal }), {
    ...INSTANT_PORTS,
    sleep: () => new Promise(() => {}),
  });
  abort.abort(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
});

test("routeUpstream() rejects a request that was aborted before", async () => {
  const signal = AbortSignal.abort(new Error("gone"));
  await expect(
    routeUpstream(new Request(`https://${PROBE_HOST}/echo`, { signal }), INSTANT_PORTS),
  ).rejects.toThrow("gone");
});
