import * as z from "zod/mini";
import { expect, test } from "vitest";

import { undo } from "../../../../src/features/undo/index.ts";
import { defineFeature } from "../../../../src/feature/define.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { book, BOOKED, declare, openBookings, runUndo, TOOLS } from "./bookings.ts";

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

test("a job that ends before its row is there is taken back with all that its attempt said, and in its place", async () => {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  let env: Readonly<Record<string, unknown>> = {};
  const hears = (configured: { readonly env: typeof env }) => {
    ({ env } = configured);
    return { listen: () => undefined };
  };
  const volley = await createTestVolley({
    tools: [...TOOLS, LARGE, AFTER],
    features: [undo(), defineFeature({ name: "spy", hears })],
    routes: bookings.routes,
  });
  await runUndo(volley, []);
  const spaces = env["TENANT_GATE"] as { get(id: unknown): Record<string, (...asked: unknown[]) => unknown> };
  const get = spaces.get.bind(spaces);
  // It hears of the job only with the batch's end.
  spaces.get = (id) =>
    new Proxy(get(id), {
      get:
        (stub, name: string) =>
        (...asked: unknown[]) => {
          if (asked.includes("undo") && asked.includes("job")) throw new Error("broken off");
          return stub[name]!(...asked);
        },
    });
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
