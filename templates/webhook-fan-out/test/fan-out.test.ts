import { addedTools } from "volley/added-tools";
import { discovery } from "volley/discovery";
import { endpoints } from "volley/endpoints";
import { createTestVolley } from "volley/testing";
import { publishEvent } from "volley/tools";
import { expect, test } from "vitest";

import batch from "../batch.json";
import { recordOrder } from "../src/tools/record-order.ts";

const SHOP = "https://shop.acme.dev/hooks";
const OTHER = "https://other.acme.dev/hooks";

test("a paid order is told to its customer, signed, and again where the receiver was down", async () => {
  const orders = new Map<string, string>();
  let isDown = true;
  const volley = await createTestVolley({
    tools: [recordOrder, publishEvent],
    features: [discovery(), addedTools(), endpoints()],
    key: { flags: ["manage_endpoints"] },
    env: { ORDERS: { put: async (id: string, text: string) => void orders.set(id, text) } },
    routes: {
      [`POST ${SHOP}`]: () => new Response(null, { status: isDown ? 503 : 204 }),
      [`POST ${OTHER}`]: () => new Response(null, { status: 204 }),
    },
  });
  const put = (id: string, endpoint: object) =>
    volley.fetch(`/v1/endpoints/${id}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: ["order.*"], ...endpoint }),
    });
  expect((await put("shop", { url: SHOP, customer: "c_42" })).status).toBe(201);
  expect((await put("other", { url: OTHER, customer: "c_43" })).status).toBe(201);

  const { results } = await volley.run(batch);
  expect(results).toMatchObject([{ status: "success" }, { status: "success", data: { endpoints: 1 } }]);
  expect(orders.size).toBe(1);

  await volley.advance(1_000);
  isDown = false;
  await volley.advance(60_000);
  const sent = volley.requests.filter(({ url }) => url === SHOP);
  expect(sent).toHaveLength(2);
  expect(sent[0]?.headers["webhook-id"]).toBe(sent[1]?.headers["webhook-id"]);
  expect(sent[1]?.headers["webhook-signature"]).toMatch(/^v1,/);
  expect(JSON.parse(sent[1]?.body ?? "")).toMatchObject({ type: "order.paid", data: { total: 120 } });
  expect(volley.requests.some(({ url }) => url === OTHER)).toBe(false);
});
