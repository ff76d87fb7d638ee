import * as z from "zod/mini";
import { beforeAll, expect, test } from "vitest";

import { queryOrders } from "../../../src/tools/data/query-orders.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));

interface Orders {
  readonly orders: readonly { readonly order_id: string; readonly total_cents: number }[];
}

async function query(args: object, tenant = "sandbox"): Promise<Orders> {
  return (await runTool(queryOrders, args, { bindings: data.bindings, tenant }).output) as Orders;
}

const idsOf = async (args: object): Promise<string> =>
  (await query(args)).orders.map(({ order_id }) => order_id.slice(-2)).join(" ");

test("query_orders gives the newest orders first, in about 50 tokens each", async () => {
  const answer = await query({ limit: 3 });
  expect(answer.orders).toEqual([
    {
      order_id: "o-1012",
      customer: "Delta Foods",
      status: "shipped",
      ordered_at: "2026-11-09T18:15:00Z",
      total_cents: 45_000,
      currency: "EUR",
    },
    expect.objectContaining({ order_id: "o-1011" }),
    expect.objectContaining({ order_id: "o-1010" }),
  ]);
  expect(countTokens(answer) / 3).toBeLessThan(50);
});

trial.each([
  [{}, "12 11 10 09 08 07 06 05 04 03 02 01"],
  [{ customer: "acme" }, "09 05 03 01"],
  [{ customer: " GMBH " }, "09 05 03 01"],
  [{ customer: "%" }, ""],
  [{ customer: "_" }, ""],
  [{ customer: "' OR '1'='1" }, ""],
  [{ customer: "a".repeat(200) }, ""],
  [{ status: "paid" }, "11 08 07"],
  [{ customer: "blue", status: "paid" }, "08"],
  [{ from: "2026-11-01" }, "12 11 10"],
  [{ from: "2026-11-02", to: "2026-11-02" }, "10"],
  [{ to: "2026-08-30" }, "03 02 01"],
  [{ from: "2026-08-31", to: "2026-08-31" }, ""],
  [{ from: "2026-09-01", to: "2026-09-01" }, "04"],
  [{ from: "2026-10-31", to: "2026-10-31" }, "09"],
  [{ from: "2028-02-29" }, ""],
])("query_orders finds with %j: %s", async (args, ids) => {
  expect(await idsOf(args)).toBe(ids);
});

trial("query_orders finds its own tenant's orders, where another has one of the same id", async () => {
  expect(await query({}, "other")).toMatchObject({ orders: [{ order_id: "o-1001", total_cents: 777_777 }] });
  expect(await query({}, "nobody")).toEqual({ orders: [] });
});

test.each([
  { status: "lost" },
  { from: "2026-02-30" },
  { from: "yesterday" },
  { from: "2026-11-02T10:00:00Z" },
  { from: "2026-11-02", to: "2026-11-01" },
  { limit: 101 },
  { customer: "" },
  { customers: "x" },
])("query_orders does not accept %j", (args) => {
  const { success, error } = z.safeParse(queryOrders.input, args);
  expect([success, error?.issues.length]).toEqual([false, 1]);
});
