import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { openBookings, TOOLS } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const SECRET = `whsec_${btoa("0123456789abcdef01234567")}`;

/** Keep a flow of two bookings, and open a Volley whose deliveries or clock run it. */
async function openTriggered(triggers: object, last: string) {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  const volley = await createTestVolley({
    tools: TOOLS,
    features: [undo(), discovery(), addedTools(), confirmations(), flows(), runs()],
    routes: bookings.routes,
    key: { flags: ["manage_tools"] },
    env: { VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["test"], hosts: [] } }), HOOK: SECRET },
  });
  const flow = {
    summary: "Books two things",
    input_schema: { type: "object" },
    actions: [
      { id: "one", tool: "book", args: { name: "a" } },
      { id: "two", tool: "book", args: { name: last }, depends_on: ["one"] },
    ],
    on_error: "undo",
    triggers,
  };
  const headers = { "content-type": "application/json" };
  const kept = await volley.fetch("/v1/flows/pair", { method: "PUT", headers, body: JSON.stringify(flow) });
  expect(kept.status, await kept.text()).toBe(201);
  return { bookings, volley };
}

test.each([
  ["fails", []],
  ["b", ["a", "b"]],
])(
  "a delivery's run of a flow that says so is undone where it fails: its last booking is %s",
  async (last, live) => {
    const webhook = { verify: "standard-webhooks", secret: "HOOK" };
    const { bookings, volley } = await openTriggered({ webhook }, last);
    const at = new Date(volley.now());
    const headers = {
      "content-type": "application/json",
      "webhook-id": "m1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(SECRET).sign("m1", at, "{}"),
    };
    const taken = await volley.fetch("/hooks/test/pair", { method: "POST", headers, body: "{}" });
    expect(taken.status, await taken.text()).toBe(202);
    await volley.advance(60_000);
    expect(bookings.heard).toContain(`book ${last}`);
    expect([...bookings.live].toSorted()).toEqual(live);
  },
);

trial.each([
  ["fails", []],
  ["b", ["a", "b"]],
])(
  "a clock's run of a flow that says so is undone where it fails: its last booking is %s",
  async (last, live) => {
    const { bookings, volley } = await openTriggered({ cron: "0 * * * *", timezone: "UTC" }, last);
    await volley.advance(65 * 60_000);
    expect(bookings.heard).toContain(`book ${last}`);
    expect([...bookings.live].toSorted()).toEqual(live);
  },
);
