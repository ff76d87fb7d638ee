import { describe, expect, test } from "vitest";

import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { book, openBookings, runUndo, TOOLS } from "./bookings.ts";

// A batch is undone by the outputs as they came, whatever is kept, or told, of them.

const failing = { "book fails": () => Response.json({}, { status: 400 }) };
const FAILS = { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["one"] };
const ONE = { id: "one", tool: "book", args: { name: "a" } };

async function open(env: Readonly<Record<string, string>> = {}) {
  const bookings = openBookings(failing);
  const tools = [...TOOLS, book("book_privately", { private: true, domain: "private" })];
  const features = [undo(), runs()];
  return { bookings, volley: await createTestVolley({ tools, features, routes: bookings.routes, env }) };
}

describe("a batch is undone by the outputs as they came", () => {
  test.each([
    ["'select' took the part away that takes it back", { ...ONE, select: ["/secret"] }, {}],
    ["its tool is private", { ...ONE, tool: "book_privately" }, {}],
    ["its element is private", { ...ONE, tool: "book_privately", for_each: ["a"] }, {}],
    ["'VOLLEY_RUNS' is 'outline'", ONE, { VOLLEY_RUNS: "outline" }],
    ["'VOLLEY_RUNS' is 'off'", ONE, { VOLLEY_RUNS: "off" }],
  ])("also where %s", async (_, action, env) => {
    const { bookings, volley } = await open(env);
    const { undone } = await runUndo(volley, [action, FAILS]);
    expect(undone).toMatchObject([{ id: "one", tool: "unbook", status: "success", data: { gone: "a" } }]);
    expect(bookings.heard).toEqual(["book a", "book fails", "unbook a"]);
  });
});
