import { expect, test } from "vitest";

import { HOUR, openTriggers } from "./trigger-world.ts";
import { trial } from "../support/trial.ts";

/** Run a loop of so many elements in the background: it takes a turn for each 25 of them. */
async function runLoop(of: (at: number) => string) {
  const told: { readonly type: string; readonly data: object }[] = [];
  const world = await openTriggers({
    routes: {
      "POST https://shop.example.com/*": (sent) => {
        told.push(sent.json() as (typeof told)[number]);
        return {};
      },
    },
  });
  const { send, volley, statuses, stored } = world;
  statuses["bad"] = 400;
  await send("PUT", "/v1/endpoints/watch", { url: "https://shop.example.com/hooks", events: ["volley.*"] });
  const all = {
    id: "all",
    tool: "store_it",
    for_each: Array.from({ length: 60 }, (_, at) => of(at)),
    args: { of: { $ref: "item#" } },
  };
  await send("POST", "/v1/execute_actions", { background: true, actions: [all] });
  await volley.advance(HOUR);
  return { ...world, told, stored };
}

trial(
  "a tenant's endpoint is told of no batch in the background that goes on, and once of one that failed",
  async () => {
    const good = await runLoop((at) => `n${at}`);
    expect([good.stored.length, good.told]).toEqual([60, []]);
    const { told } = await runLoop((at) => (at === 40 ? "bad" : `n${at}`));
    expect(told.map(({ type }) => type).toSorted()).toEqual(["volley.job.failed", "volley.run.failed"]);
    expect(told.find(({ type }) => type === "volley.run.failed")!.data).toMatchObject({
      source: "background",
      error: { action: "all", code: "UPSTREAM_ERROR" },
    });
  },
);

test("a batch in the background is one run for who operates, however many turns it takes, and no error while it goes on", async () => {
  const { get } = await runLoop((at) => `n${at}`);
  const { tenants } = await get("/v1/operator/overview", "root");
  expect(tenants).toMatchObject([{ runs: 1, actions: 1, error_rate: 0 }]);
  expect(tenants[0].tools).toMatchObject([{ tool: "store_it", calls: 1, error_rate: 0 }]);
});
