import * as z from "zod/mini";

import { fanOut } from "../kit/arguments.ts";
import { defineTool } from "../../core/catalog/define-tool.ts";
import * as LIMITS from "../kit/limits.ts";
import { queryRows } from "../kit/query-rows.ts";

/** The name of a group, as SQL over a row; among times the newest group comes first, among names the largest. */
const GROUPS = {
  day: { name: "substr(ordered_at, 1, 10)", order: "1 DESC" },
  month: { name: "substr(ordered_at, 1, 7)", order: "1 DESC" },
  year: { name: "substr(ordered_at, 1, 4)", order: "1 DESC" },
  customer: { name: "customer", order: "4 DESC, 1" },
  status: { name: "status", order: "4 DESC, 1" },
} as const;

type GroupBy = keyof typeof GROUPS;

interface Sum {
  readonly name: string;
  readonly currency: string;
  readonly orders: number;
  readonly revenue_cents: number;
}

/**
 * Sum up what the caller's tenant has earned: orders that are paid, shipped or delivered. Currencies are never added up, so
 * each has rows of its own, and every grouping has the same sum.
 */
export const revenueSummary = defineTool({
  name: "revenue_summary",
  summary: "Sum up revenue by time, customer or status",
  description:
    "Sum up the orders that were paid (status paid, shipped or delivered) per currency, in whole cents; by day, month, year, " +
    "customer or status when asked for, the newest or the largest first, at most 100 groups. Size: about 20 tokens for each group.",
  category: "data",
  actions: ["read", "aggregate"],
  isWrite: false,
  input: () =>
    z.strictObject({
      group_by: z
        .optional(z.enum(Object.keys(GROUPS) as [GroupBy, ...GroupBy[]]))
        .check(z.describe("The field to sum up by; one sum per currency unless said.")),
    }),
  hosts: [],
  bindings: ["DATA"],
  orchestration: fanOut(5, 200),
  run: async ({ group_by }, ctx) => {
    const most = LIMITS.summaryGroups;
    const sums = await queryRows<Sum>(ctx, summarise(group_by), most + 1);
    return {
      revenue: sums.slice(0, most).map(({ name, ...sum }) => ({
        ...(group_by !== undefined && { [group_by]: name }),
        ...sum,
      })),
      ...(sums.length > most && { more: true }),
    };
  },
});

/** Nothing of a caller's is in the text: a group is chosen from the table above. */
function summarise(groupBy: GroupBy | undefined): string {
  const { name, order } = groupBy === undefined ? { name: "''", order: "4 DESC" } : GROUPS[groupBy];
  return `
    SELECT ${name} AS name, currency, count(*) AS orders, sum(total_cents) AS revenue_cents FROM orders
    WHERE tenant = ?1 AND status IN ('paid', 'shipped', 'delivered')
    GROUP BY 1, 2 ORDER BY ${order}, 2 LIMIT ?2`;
}
