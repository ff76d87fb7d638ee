import { Webhook } from "standardwebhooks";
import { expect } from "vitest";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { openConnections, type WorldOptions } from "../features/connections/http/connection-world.ts";
import { mailbox } from "../features/connections/http/mailbox-tool.ts";
import { DECLARATION, sendIt, store } from "../features/runs/http/store-tools.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { configureKeys } from "../support/configured-keys.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const OWN = new Set(["discovery", "confirmations", "connections", "tenant-data", "keys"]);
const MOST = { limit: 10_000, window_s: 60 };

const later = defineTool({
  ...DECLARATION,
  name: "store_later",
  execution: "fire-and-forget",
  idempotent: true,
  run: sendIt,
});

/** The flow that a delivery or a clock starts: it stores one thing. */
export const STORES = {
  summary: "Store it",
  input_schema: { type: "object" },
  actions: [{ id: "kept", tool: "store_it", args: { of: "kept" } }],
};
export const HOOK = { webhook: { verify: "standard-webhooks", secret: "HOOK" } };
export const CLOCK = { cron: "0 * * * *", timezone: "UTC" };
export const HOUR = 3_600_000;

/** Open a Volley of every feature, in which flows are started by deliveries and clocks. */
export async function openTriggers({ tools = [], env = {}, routes = {}, ...more }: WorldOptions = {}) {
  const keeper = { tenant: "acme", quota: MOST };
  const flags = ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections"];
  const statuses: Record<string, number> = {};
  const stored: string[] = [];
  const world = await openConnections({
    tools: [mailbox, store, later, ...tools],
    features: ALL_FEATURES.filter(({ name }) => !OWN.has(name)),
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "keeper", ...keeper, flags },
        few: { name: "few", ...keeper, tools: ["mailbox"] },
        root: { name: "root", tenant: "root", tools: [], flags: ["operator"] },
      }),
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["acme"], hosts: [] } }),
      HOOK: SECRET,
      ...env,
    },
    routes: {
      "POST https://api.example.com/*": ({ url }) => {
        const of = new URL(url).pathname.slice(1);
        stored.push(of);
        return Response.json({ of }, { status: statuses[of] ?? 200 });
      },
      ...routes,
    },
    ...more,
  });
  const { send, volley } = world;
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const keep = async (name: string, flow: object, key = "test-key") => {
    const kept = await send("PUT", `/v1/flows/${name}`, flow, as(key));
    expect(kept.status, JSON.stringify(kept.body)).toBeLessThan(300);
    await volley.advance(6_000);
  };
  /** Deliver an event to a flow, as its sender signs it. */
  const deliver = (name: string, body: object = {}, id = "m1") => {
    const text = JSON.stringify(body);
    const at = new Date(volley.now());
    return send("POST", `/hooks/acme/${name}`, text, {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(SECRET).sign(id, at, text),
    });
  };
  const get = async (path: string, key = "test-key") => (await send("GET", path, undefined, as(key))).body;
  return { ...world, as, keep, deliver, get, stored, statuses };
}
