import * as z from "zod";
import { expect, test } from "vitest";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { declareTool } from "../../support/sample-tools.ts";

/** Loop over four numbers, the second of which fails, and tell what was called and what came of it. */
async function loop(isWrite: boolean, on_error?: "partial-success" | "fail-fast") {
  const called: number[] = [];
  const tool = defineTool({
    ...declareTool({ name: "count", isWrite }),
    input: z.strictObject({ n: z.number() }),
    orchestration: { mode: "sequential-only", ...(on_error && { on_error }) },
    run: async ({ n }) => {
      called.push(n);
      if (n === 1) throw new ToolFailure("NOT_FOUND");
      return n;
    },
  });
  const { results } = await new TestWorld().run([tool], {
    actions: [{ tool: "count", for_each: [0, 1, 2, 3], args: { n: { $ref: "item#" } } }],
  });
  return { called, result: results[0]! };
}

test.each([
  ["reads, which a failure leaves as good as they were", false, undefined],
  ["writes whose contract says partial-success", true, "partial-success"],
] as const)("a loop goes on after a failed element: %s", async (_, isWrite, on_error) => {
  const { called, result } = await loop(isWrite, on_error);
  expect(called).toEqual([0, 1, 2, 3]);
  expect(result).toMatchObject({ status: "success", meta: { items: { total: 4, ok: 3, error: 1 } } });
});

test.each([
  ["writes, which must not be left half applied", true, undefined],
  ["reads whose contract says fail-fast", false, "fail-fast"],
] as const)("a loop ends at a failed element: %s", async (_, isWrite, on_error) => {
  const { called, result } = await loop(isWrite, on_error);
  expect(called).toEqual([0, 1]);
  expect(result).toMatchObject({
    status: "error",
    error: { code: "NOT_FOUND" },
    meta: { items: { total: 4, ok: 1, error: 3 } },
  });
  expect(result.data).toMatchObject([
    { index: 0, status: "success", data: 0 },
    { index: 1, status: "error", error: { code: "NOT_FOUND" } },
    { index: 2, status: "error", error: { code: "ABORTED" } },
    { index: 3, status: "error", error: { code: "ABORTED" } },
  ]);
});
