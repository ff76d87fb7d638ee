import { createHook } from "node:async_hooks";
import { StatementSync } from "node:sqlite";

import { describe, expect, vi } from "vitest";

import { undo } from "../../../../src/features/undo/index.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { openBookings, TOOLS } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const BATCHES = {
  "with writes that end well": {
    actions: [
      { id: "a", tool: "book", args: { name: "a" } },
      { id: "b", tool: "book_car", args: { name: "b" }, depends_on: ["a"] },
      { id: "c", tool: "look", args: {} },
    ],
  },
  "whose second write fails": {
    actions: [
      { id: "a", tool: "book", args: { name: "a" } },
      { id: "b", tool: "book", args: { name: "sold out" }, depends_on: ["a"] },
    ],
  },
  "with a job": { actions: [{ id: "a", tool: "book_later", args: { name: "a" } }] },
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

/** Whether the code that runs is that of a Worker: the clock and the objects of the test make promises too, as often as they look. */
function isOurs(): boolean {
  const [, file] = /\/src\/([\w./-]+)/.exec(new Error().stack!) ?? [];
  return file !== undefined && !file.startsWith("package/testing");
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  let promises = 0;
  const hook = createHook({ init: (_, type) => void (promises += Number(type === "PROMISE" && isOurs())) });
  let copies = 0;
  const copy = structuredClone;
  vi.spyOn(globalThis, "structuredClone").mockImplementation((value, options) => {
    // The test runner copies too.
    copies += Number(new Error().stack!.includes("memory-objects"));
    return copy(value, options);
  });
  const sent = vi.spyOn(StatementSync.prototype, "all");
  hook.enable();
  await work();
  hook.disable();
  const cost = {
    promises,
    copies,
    statements: (sent.mock.contexts as StatementSync[]).map(({ sourceSQL }) => sourceSQL),
  };
  vi.restoreAllMocks();
  return cost;
}

type Features = readonly (typeof ALL_FEATURES)[number][];

async function open(features: Features): Promise<TestVolley> {
  const bookings = openBookings({ "book sold out": () => Response.json({}, { status: 409 }) });
  return createTestVolley({ tools: TOOLS, features, routes: bookings.routes });
}

describe.each<[string, Features]>([
  ["of no other feature", []],
  ["of all others", ALL_FEATURES.filter(({ name }) => name !== "undo")],
])("In a Worker %s", (_, others) => {
  trial.each(Object.entries(BATCHES))(
    "a batch %s that does not ask to be undone costs what it does without undo",
    async (__, batch) => {
      const [without, along] = [await open(others), await open([...others, undo()])];
      const run = (volley: TestVolley) => async (): Promise<void> => {
        await volley.run({ on_error: "fail-fast", ...batch });
        await volley.advance(5_000);
      };
      for (const volley of [without, along]) for (let warm = 0; warm < 3; warm += 1) await run(volley)();
      const plain = await costOf(run(without));
      expect(await costOf(run(along))).toEqual(plain);
      // One that asks is counted.
      const asked = await costOf(async () => {
        await along.run({ ...batch, on_error: "undo" });
        await along.advance(5_000);
      });
      expect(asked.statements.filter((sql) => sql.includes("undo_writes"))).not.toEqual([]);
      expect(Math.min(asked.promises - plain.promises, asked.copies - plain.copies)).toBeGreaterThan(0);
    },
  );
});
