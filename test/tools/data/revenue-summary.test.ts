import * as z from "zod/mini";
import { beforeAll, expect, test } from "vitest";

import { revenueSummary } from "../../../src/tools/data/revenue-summary.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));

interface Summary {
  readonly revenue: readonly {
    readonly currency: string;
    readonly orders: number;
    readonly revenue_cents: number;
  }[];
  readonly more?: boolean;
}

async function summarise(args: object = {}, tenant = "sandbox"): Promise<Summary> {
  return (await runTool(revenueSummary, args, { bindings: data.bindings, tenant }).output) as Summary;
}

const TOTAL = [
  { currency: "EUR", orders: 6, revenue_cents: 285_058 },
  { currency: "USD", orders: 2, revenue_cents: 20_500 },
];

test("revenue_summary adds up what was paid, per currency", async () => {
  expect(await summarise()).toEqual({ revenue: TOTAL });
});

test("revenue_summary by month gives the newest first, in about 20 tokens each", async () => {
  const answer = await summarise({ group_by: "month" });
  expect(answer.revenue).toEqual([
    { month: "2026-11", currency: "EUR", orders: 2, revenue_cents: 78_333 },
    { month: "2026-10", currency: "EUR", orders: 1, revenue_cents: 7_325 },
    { month: "2026-10", currency: "USD", orders: 1, revenue_cents: 12_500 },
    { month: "2026-09", currency: "EUR", orders: 1, revenue_cents: 64_950 },
    { month: "2026-09", currency: "USD", orders: 1, revenue_cents: 8_000 },
    { month: "2026-08", currency: "EUR", orders: 2, revenue_cents: 134_450 },
  ]);
  expect(countTokens(answer) / 6).toBeLessThan(22);
});

test("revenue_summary by customer gives the largest first", async () => {
  const { revenue } = await summarise({ group_by: "customer" });
  expect(revenue[0]).toEqual({ customer: "Acme GmbH", currency: "EUR", orders: 2, revenue_cents: 194_850 });
});

trial.each(["day", "month", "year", "customer", "status"])(
  "revenue_summary by %s adds up to the same",
  async (group_by) => {
    const { revenue } = await summarise({ group_by });
    const sums = TOTAL.map(({ currency }) => {
      const own = revenue.filter((row) => row.currency === currency);
      return {
        currency,
        orders: own.reduce((sum, { orders }) => sum + orders, 0),
        revenue_cents: own.reduce((sum, { revenue_cents }) => sum + revenue_cents, 0),
      };
    });
    expect(sums).toEqual(TOTAL);
  },
);

trial("revenue_summary adds up its own tenant's orders only", async () => {
  expect(await summarise({}, "other")).toMatchObject({ revenue: [{ revenue_cents: 777_777 }] });
  expect(await summarise({}, "nobody")).toEqual({ revenue: [] });
});

trial("revenue_summary says where there are more groups than it tells", async () => {
  await data.database
    .prepare(
      `INSERT INTO orders (tenant, order_id, customer, status, ordered_at, total_cents, currency)
       SELECT 'many', 'o' || key, 'C' || key, 'paid', '2026-01-01T00:00:00Z', 1000000000000, 'EUR'
       FROM json_each('[' || rtrim(replace(hex(zeroblob(101)), '00', '0,'), ',') || ']')`,
    )
    .all();
  const answer = await summarise({ group_by: "customer" }, "many");
  expect(answer).toMatchObject({ more: true, revenue: { length: 100 } });
  expect(await summarise({}, "many")).toEqual({
    revenue: [{ currency: "EUR", orders: 101, revenue_cents: 101_000_000_000_000 }],
  });
});

test.each([{ group_by: "tenant" }, { group_by: "1; DROP TABLE orders" }, { by: "month" }])(
  "revenue_summary does not accept %j",
  (args) => {
    expect(z.safeParse(revenueSummary.input, args).success).toBe(false);
  },
);
