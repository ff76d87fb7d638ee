import fc from "fast-check";
import { expect, test } from "vitest";

import type { ClassifiedCall, ConcurrencyClass } from "../../../src/features/orchestration/calls.ts";
import { parsePartitionRequest } from "../../../src/features/orchestration/orchestration-api.ts";
import { makePartition, partitionCalls } from "../../../src/features/orchestration/partition.ts";
import { SAMPLE_CATALOG } from "../../support/sample-tools.ts";
import { valueOf } from "../../support/unwrap.ts";

/** One call per letter: `r` reads, anything else writes. */
function classify(letters: string): ClassifiedCall[] {
  const tools = letters.split("").map((letter, index) => ({
    id: `${letter}${index}`,
    toolName: letter,
    input: {},
  }));
  return valueOf(parsePartitionRequest({ tools }, 0)).map((call) => ({
    call,
    class: call.toolName === "r" ? "readonly" : "mutating",
    reason: "",
  }));
}

/** A partition as text: parallel batches in brackets. */
const shapeOf = (letters: string): string =>
  partitionCalls(classify(letters))
    .batches.map(({ parallel, tools }) => {
      const names = tools.map(({ call }) => call.toolName).join("");
      return parallel ? `[${names}]` : names;
    })
    .join(" ");

test.each([
  ["", ""],
  ["r", "[r]"],
  ["rrr", "[rrr]"],
  ["w", "w"],
  ["ww", "w w"],
  ["rwr", "[r] w [r]"],
  ["wrrw", "w [rr] w"],
  ["rrwwrr", "[rr] w w [rr]"],
])("partitionCalls() groups '%s' as '%s'", (letters, shape) => {
  expect(shapeOf(letters)).toBe(shape);
});

test.each([
  ["", 0, 0, 1, "100%"],
  ["r", 1, 0, 1, "100%"],
  ["w", 0, 1, 1, "100%"],
  ["www", 0, 3, 1, "100%"],
  ["rrrr", 1, 0, 4, "400%"],
  ["rrwr", 2, 1, 2, "133%"],
  ["rrwrr", 2, 1, 2, "167%"],
  ["r".repeat(20), 1, 0, 20, "2000%"],
])(
  "partitionCalls() counts '%s'",
  (letters, parallelBatches, serialBatches, maxParallelism, estimatedSpeedup) => {
    expect(partitionCalls(classify(letters)).stats).toEqual({
      totalTools: letters.length,
      parallelBatches,
      serialBatches,
      maxParallelism,
      estimatedSpeedup,
    });
  },
);

test("partitionCalls() keeps every call once, in the order asked, and never a write beside another call", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[rw]{0,40}$/), (letters) => {
      const calls = classify(letters);
      const { batches, stats } = partitionCalls(calls);
      expect(batches.flatMap(({ tools }) => tools)).toEqual(calls);
      expect(stats.parallelBatches + stats.serialBatches).toBe(batches.length);
      for (const [at, { parallel, tools }] of batches.entries()) {
        const classes: ConcurrencyClass[] = tools.map((tool) => tool.class);
        if (parallel) expect(new Set(classes)).toEqual(new Set(["readonly"]));
        else expect(classes).toEqual(["mutating"]);
        // Two parallel neighbours would have been one batch.
        expect(parallel && (batches[at + 1]?.parallel ?? false)).toBe(false);
      }
    }),
  );
});

test("makePartition() classifies and groups what was parsed", () => {
  const tools = [
    { id: "1", toolName: "read", input: {} },
    { id: "1", toolName: "search_orders", input: { query: "x" } },
    { id: "2", toolName: "delete_order", input: { order_id: "x" } },
    null,
  ];
  const partition = makePartition(valueOf(parsePartitionRequest({ tools }, 0)), SAMPLE_CATALOG);
  expect(partition.batches.map((batch) => batch.tools.map(({ reason }) => reason))).toEqual([
    ["read is read-only", "search_orders is read-only"],
    ["delete_order is mutating"],
    ["a tool call without a name is mutating"],
  ]);
});
