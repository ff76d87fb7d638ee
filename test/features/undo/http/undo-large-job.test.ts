import * as z from "zod/mini";
import { expect, test } from "vitest";

import { book, BOOKED, declare, openBookings, openVolley, runUndo, TOOLS } from "./bookings.ts";

const HOST = "https://bookings.example.com";
const init = (args: unknown) =>
  ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(args) }) as const;

/** A write that ends after the job did. */
const AFTER = book("book_after", {
  domain: "large",
  run: async (args, { fetch, time }) => {
    await time.sleep(500);
    return (await fetch(`${HOST}/book`, init(args))).json();
  },
});

/** A job whose output is too large for its row. */
const LARGE = declare("book_large", "book", z.object(BOOKED), {
  domain: "large",
  execution: "fire-and-forget",
  orchestration: { compensate: { tool: "unbook", args: { id: { $ref: "result#/id" } } } },
  run: async (args, { fetch }) => {
    const { id } = (await (await fetch(`${HOST}/book`, init(args))).json()) as { readonly id: string };
    return { id, note: "n".repeat(300_000) };
  },
});

test("a job whose output is too large for its row is taken back with all that its attempt said, and in its place", async () => {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  const volley = await openVolley(bookings, [...TOOLS, LARGE, AFTER]);
  const { undone } = await runUndo(volley, [
    { id: "job", tool: "book_large", args: { name: "a" } },
    { id: "after", tool: "book_after", args: { name: "b" } },
    { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["after"] },
  ]);
  expect(undone).toMatchObject([
    { id: "after", status: "success" },
    { id: "job", tool: "unbook", status: "success" },
  ]);
  expect(bookings.heard).toEqual(["book a", "book b", "book fails", "unbook b", "unbook a"]);
});
