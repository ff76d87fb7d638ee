import { confirmations } from "volley/confirmations";
import { createTestVolley } from "volley/testing";
import { expect, test } from "vitest";

import { bookTable } from "../src/tools/book-table.ts";
import { getOpeningHours } from "../src/tools/get-opening-hours.ts";

test("a table is booked for when the restaurant opens, once a person has said yes", async () => {
  const bookings = new Map<string, string>();
  const volley = await createTestVolley({
    tools: [getOpeningHours, bookTable],
    features: [confirmations()],
    env: { BOOKINGS: { put: async (id: string, text: string) => void bookings.set(id, text) } },
  });

  const { results } = await volley.run({
    actions: [
      { id: "hours", tool: "get_opening_hours", args: { day: "friday" } },
      { id: "table", tool: "book_table", args: { name: "Ada", guests: 2, time: { $ref: "hours#/opens" } } },
    ],
  });
  const [hours, table] = results;
  expect(hours).toMatchObject({ status: "success", data: { opens: "18:00", closes: "23:00" } });
  if (table?.status !== "pending_confirmation") throw new Error("There was no question");
  expect(bookings.size).toBe(0);

  const approved = await volley.client.decide(table.confirmation.id, "approve");
  expect(approved.results).toMatchObject([{ status: "success", data: { name: "Ada", time: "18:00" } }]);
  expect([...bookings.values()]).toEqual(['{"name":"Ada","guests":2,"time":"18:00"}']);
});

test("a day that is none is refused with what was expected", async () => {
  const volley = await createTestVolley({ tools: [getOpeningHours] });
  const { results } = await volley.run({
    actions: [{ tool: "get_opening_hours", args: { day: "someday" } }],
  });
  expect(results).toMatchObject([{ status: "error", error: { code: "INVALID_ARGS" } }]);
});
