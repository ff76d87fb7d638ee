import { expect, test } from "vitest";

import { keepFlow } from "../../src/registry/keep-flow.ts";
import { declareFlow, TRIGGER_RULES } from "../support/sample-flows.ts";
import { SAMPLE_CATALOG } from "../support/sample-tools.ts";
import { valueOf } from "../support/unwrap.ts";

/** What an object is handed over of a flow with these triggers. */
async function clockOf(triggers?: object) {
  const properties = { query: { type: "string" }, limit: { type: "integer" } };
  const flow = declareFlow({ input_schema: { type: "object", properties }, ...(triggers && { triggers }) });
  const kept = await keepFlow(flow, {
    name: "my_flow",
    catalog: SAMPLE_CATALOG,
    triggers: TRIGGER_RULES,
    sha256: (text) => Promise.resolve(text),
  });
  return valueOf(kept).tool.clock;
}

test("a flow with a cron is handed over with its clock, in its zone, and when it comes first", async () => {
  // It is noon in UTC on a Thursday.
  const clock = { cron: "0 7 * * 1-5", timezone: "Europe/Berlin" };
  expect(await clockOf(clock)).toEqual({ ...clock, nextAt: Date.UTC(2026, 8, 4, 5) });
});

test("a cron without a zone is read in UTC", async () => {
  expect(await clockOf({ cron: "0 13 * * *" })).toEqual({
    cron: "0 13 * * *",
    timezone: "UTC",
    nextAt: Date.UTC(2026, 8, 3, 13),
  });
});

test("a paused one has no clock, nor has a flow that only a webhook runs, or its callers", async () => {
  expect(await clockOf({ cron: "0 7 * * *", paused: true })).toBeUndefined();
  expect(await clockOf({ webhook: { verify: "github", secret: "HOOK_SECRET" } })).toBeUndefined();
  expect(await clockOf()).toBeUndefined();
});
