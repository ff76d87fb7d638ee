import * as z from "zod/mini";

/** Every status that an order of the table can have. */
export const ORDER_STATUSES = ["pending", "paid", "shipped", "delivered", "cancelled", "refunded"] as const;

/** A day of the calendar, UTC. The pattern of Zod's own, which knows the lengths of months, is a kilobyte of every schema. */
export function day() {
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
