import { expect, test } from "vitest";

import { keepFlow } from "../../../src/features/flows/keep-flow.ts";
import { declareFlow, TRIGGER_RULES } from "../../support/sample-flows.ts";
import { SAMPLE_CATALOG } from "../../support/sample-tools.ts";
import { valueOf } from "../../support/unwrap.ts";

/** The clock that an object is handed for a flow with these triggers. */
async function clockOf(triggers?: object) {
  const properties = { query: { type: "string" }, limit: { type: "integer" } };
  const flow = declareFlow({ input_schema: { type: "object", properties }, ...(triggers && { triggers }) });
  const kept = await keepFlow(flow, {
    name: "my_flow",
    catalog: SAMPLE_CATALOG,
    tools: ["*"],
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

test("a flow is handed over as the tool that it is, with the rights of the key that kept it in its fingerprint", async () => {
  const keep = async (tools: readonly string[]) =>
    valueOf(
      await keepFlow(declareFlow({}), {
        name: "my_flow",
        catalog: SAMPLE_CATALOG,
        tools,
        triggers: TRIGGER_RULES,
        sha256: (text) => Promise.resolve(text),
      }),
    );
  const { kept, tool } = await keep(["b", "a", "b"]);
  expect(kept.tools).toEqual(["a", "b"]);
  expect((await keep(["b", "*"])).kept.tools).toEqual(["*"]);
  expect(JSON.parse(tool.json)).toMatchObject({ tools: ["a", "b"] });
  expect(JSON.parse(tool.headJson)).toMatchObject({
    summary: kept.flow.summary,
    actions: ["run"],
    is_write: kept.is_write,
  });
  expect((await keep(["a", "b"])).tool.fingerprint).toBe(tool.fingerprint);
  expect((await keep(["a"])).tool.fingerprint).not.toBe(tool.fingerprint);
  const wrong = await keepFlow(null, {
    name: "my_flow",
    catalog: SAMPLE_CATALOG,
    tools: ["*"],
    triggers: TRIGGER_RULES,
    sha256: (text) => Promise.resolve(text),
  });
  expect(wrong.ok).toBe(false);
});
