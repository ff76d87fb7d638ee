import * as z from "zod/mini";
import { defineTool } from "../../core/catalog/define-tool.ts";
import * as LIMITS from "../kit/limits.ts";
import { queryRows } from "../kit/query-rows.ts";
import { countArgument, fanOut } from "../kit/arguments.ts";

/** An order as it is told: money in whole cents, time in UTC. */
interface Order {
  readonly order_id: string;
  readonly customer: string;
  readonly status: string;
  readonly ordered_at: string;
  readonly total_cents: number;
  readonly currency: string;
}

/** Find orders of the caller's tenant, the newest first. */
export const queryOrders = defineTool({
  name: "query_orders",
  summary: "List orders by customer, status and time",
  description:
    "List orders, the newest first: id, customer, status, time (UTC), total in whole cents and currency. All conditions hold " +
    "together. Use revenue_summary for sums and csv_report for more than 100. Size: about 50 tokens for each order, twenty unless " +
    "more are asked for.",
  category: "data",
  actions: ["list", "search"],
  isWrite: false,
  input: () =>
    z
      .strictObject({
        customer: z
          .optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(200)))
          .check(z.describe("Part of the customer's name, in any case.")),
        status: z.optional(z.enum(ORDER_STATUSES)).check(z.describe("Only orders of this status.")),
        from: z.optional(day()).check(z.describe("First day, as YYYY-MM-DD (UTC).")),
        to: z.optional(day()).check(z.describe("Last day, that day included, as YYYY-MM-DD (UTC).")),
        limit: countArgument(LIMITS.orderRows, 20, "How many orders at most, 1 to 100, 20 unless said."),
      })
      .check(
        z.refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
          path: ["to"],
          message: "a day not before 'from'",
        }),
      ),
  hosts: [],
  bindings: ["DATA"],
  typicalTokens: 500,
  orchestration: fanOut(5, 200),
  run: async ({ customer = null, status = null, from = null, to = null, limit }, ctx) => ({
    orders: await queryRows<Order>(ctx, FIND, customer, status, from, to, limit),
  }),
});

// `instr`, because a pattern would give `%` and `_` of a name a meaning, and may have fifty bytes.
const FIND = `
  SELECT order_id, customer, status, ordered_at, total_cents, currency FROM orders
  WHERE tenant = ?1
    AND (?2 IS NULL OR instr(lower(customer), lower(?2)) > 0)
    AND (?3 IS NULL OR status = ?3)
    AND (?4 IS NULL OR ordered_at >= ?4)
    AND (?5 IS NULL OR ordered_at < date(?5, '+1 day'))
  ORDER BY ordered_at DESC, order_id LIMIT ?6`;

/** Every status that an order of the table can have. */
const ORDER_STATUSES = ["pending", "paid", "shipped", "delivered", "cancelled", "refunded"] as const;

/** A day of the calendar, UTC. The pattern of Zod's own, which knows the lengths of months, is a kilobyte of every schema. */
function day() {
  return z
    .string()
    .check(
      z.regex(/^\d{4}-\d{2}-\d{2}$/, { abort: true }),
      z.refine(isDay, "a day that the calendar has, as YYYY-MM-DD"),
    );
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
