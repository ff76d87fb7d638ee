import { createHook } from "node:async_hooks";
import { DatabaseSync } from "node:sqlite";

import { expect, test, vi } from "vitest";

import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { openBookings, TOOLS } from "./bookings.ts";

const BATCHES = {
  "with writes that end well": [
    { id: "a", tool: "book", args: { name: "a" } },
    { id: "b", tool: "book_car", args: { name: "b" }, depends_on: ["a"] },
    { id: "c", tool: "look", args: {} },
  ],
  "whose second write fails": [
    { id: "a", tool: "book", args: { name: "a" } },
    { id: "b", tool: "book", args: { name: "sold out" }, depends_on: ["a"] },
  ],
  "with a job": [{ id: "a", tool: "book_later", args: { name: "a" } }],
} as const;

/** The price of a batch, in things that are the same on every machine. */
interface Cost {
  /** Promises that were made: an await makes one. */
  readonly promises: number;
  /** Arguments and answers of objects that were copied: each call copies both. */
  readonly copies: number;
  /** The statements that objects sent to their storage, in their order. */
  readonly statements: readonly string[];
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  let promises = 0;
  const hook = createHook({ init: (_, type) => void (promises += Number(type === "PROMISE")) });
  const copied = vi.spyOn(globalThis, "structuredClone");
  const prepared = vi.spyOn(DatabaseSync.prototype, "prepare");
  hook.enable();
  await work();
  hook.disable();
  const cost = {
    promises,
    copies: copied.mock.calls.length,
    statements: prepared.mock.calls.map(([sql]) => sql),
  };
  vi.restoreAllMocks();
  return cost;
}

async function open(features: readonly ReturnType<typeof undo>[], tools = TOOLS): Promise<TestVolley> {
  const bookings = openBookings({ "book sold out": () => Response.json({}, { status: 409 }) });
  return createTestVolley({ tools, features, routes: bookings.routes });
}

test.each(Object.entries(BATCHES))(
  "A batch %s that does not ask to be undone costs what it does in a Worker without undo",
  async (_, actions) => {
    // Without the feature nothing reads `compensate`.
    const [without, along] = [await open([]), await open([undo()])];
    const run = (volley: TestVolley) => async (): Promise<void> => {
      await volley.run({ actions, on_error: "fail-fast" });
      await volley.advance(1_000);
    };
    for (const volley of [without, along]) for (let warm = 0; warm < 3; warm += 1) await run(volley)();
    const plain = await costOf(run(without));
    expect(await costOf(run(along))).toEqual(plain);
    expect(plain.copies).toBeGreaterThan(0);
    // One that asks is counted.
    const asked = await costOf(async () => along.run({ actions, on_error: "undo" }));
    expect(asked.statements.filter((sql) => sql.includes("undo_writes"))).not.toEqual([]);
    expect(Math.min(asked.promises - plain.promises, asked.copies - plain.copies)).toBeGreaterThan(0);
  },
);
