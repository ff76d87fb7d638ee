import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { ENDPOINTS } from "../../../../src/features/endpoints/publishing.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { openEndpoints } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const close = defineTool({
  name: "close_shop",
  summary: "Close the shop",
  description: "Close the shop.",
  category: "shop",
  actions: ["delete"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({}),
  hosts: [],
  orchestration: { mode: "sequential-only" },
  run: async () => ({ closed: true }),
});

/** A tool of the deployment's own that publishes, and that a person is asked about. */
const announce = defineTool({
  name: "announce",
  summary: "Publish an event",
  description: "Publish an event.",
  category: "shop",
  actions: ["send"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ type: z.string() }),
  hosts: [],
  bindings: [ENDPOINTS],
  orchestration: { mode: "sequential-only", confirm: "always" },
  run: async () => ({}),
});

/** The reach of what follows a deletion, as a key sees it, and the page of a link. */
async function askAbout(then: object, endpoints: Readonly<Record<string, object>> = {}) {
  const { put, send, volley } = await openEndpoints(undefined, {
    tools: [close],
    features: [confirmations()],
  });
  for (const [id, settings] of Object.entries(endpoints)) await put(id, settings);
  const { body } = await send("POST", "/v1/execute_actions", {
    actions: [
      { id: "close", tool: "close_shop" },
      { id: "tell", tool: "publish_event", depends_on: ["close"], ...then },
    ],
  });
  const path = `/v1/confirmations/${body.results[0].confirmation.id as string}`;
  const { actions } = (await send("GET", path)).body;
  const { url } = (await send("POST", `${path}/link`, { name: "Ada" })).body;
  const page = await (await volley.fetch(new URL(url as string).pathname)).text();
  const [first, second] = actions as readonly { readonly reach?: string; readonly followed_by: string[] }[];
  expect(first).toMatchObject({ followed_by: ["tell"] });
  expect(first!.reach).toBeUndefined();
  return { reach: second!.reach, page, send, path };
}

const SHOP = {
  "of-one": { customer: "c_1" },
  "of-one-too": { customer: "c_1", events: ["shop.*"] },
  "of-two": { customer: "c_2", events: ["shop.closed"] },
  others: { customer: "c_3", events: ["order.*"] },
  paused: { customer: "c_4", paused: true },
  large: { customer: "c_5", filter: { "/rooms": { gte: 10 } } },
};
const closed = { args: { type: "shop.closed", data: { rooms: 3 } } };

describe("A question about an event says to how many endpoints of how many customers it goes", () => {
  trial.each([
    ["those that ask for it, of their customers", SHOP, closed, "It goes to 3 endpoints of 2 customers."],
    [
      "with one that is no customer's",
      { ...SHOP, own: {} },
      closed,
      "It goes to 4 endpoints of 2 customers, 1 of them without a customer.",
    ],
    ["none but such", { own: {} }, closed, "It goes to 1 endpoint without a customer."],
    [
      "of one customer only",
      SHOP,
      { args: { ...closed.args, customer: "c_2" } },
      "It goes to 1 endpoint of 1 customer.",
    ],
    [
      "where its data fits",
      SHOP,
      { args: { type: "x", data: { rooms: 10 } } },
      "It goes to 2 endpoints of 2 customers.",
    ],
    ["nobody's", {}, closed, "It goes to no endpoint."],
  ])("%s", async (_, endpoints, then, said) => {
    const { reach, page } = await askAbout(then, endpoints);
    expect(reach).toBe(said);
    expect(page).toContain(said);
  });

  test("of a loop that is asked about, for all its events together", async () => {
    const { put, send } = await openEndpoints(undefined, { tools: [announce], features: [confirmations()] });
    for (const [id, settings] of Object.entries(SHOP)) await put(id, settings);
    const types = ["shop.closed", "order.paid"];
    const { body } = await send("POST", "/v1/execute_actions", {
      actions: [{ tool: "announce", for_each: types, args: { type: { $ref: "item#" } } }],
    });
    const path = `/v1/confirmations/${body.results[0].confirmation.id as string}`;
    expect((await send("GET", path)).body.actions[0].reach).toBe(
      "Its 2 events go to 4 endpoints of 3 customers: 5 deliveries.",
    );
  });

  trial("and nothing while its arguments are not known", async () => {
    const { reach, page } = await askAbout({ args: { type: "x", data: { $ref: "close#" } } }, SHOP);
    expect(reach).toBeUndefined();
    expect(page).not.toContain("It goes to");
  });

  trial("as it is when it is looked at", async () => {
    const { send, path } = await askAbout(closed, { "of-one": { customer: "c_1" } });
    expect((await send("DELETE", "/v1/endpoints/of-one")).status).toBe(204);
    expect((await send("GET", path)).body.actions[1].reach).toBe("It goes to no endpoint.");
  });
});
