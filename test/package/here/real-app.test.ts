import * as z from "zod/mini";
import { expect, test } from "vitest";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../src/features/confirmations/index.ts";
import { runHere } from "../../../src/package/client.ts";
import { createTestVolley } from "../../../src/package/testing.ts";

/** A Volley whose tools write down what they were asked. */
async function setUp() {
  const asked: unknown[] = [];
  const tool = (name: string, more: object = {}) =>
    defineTool({
      name,
      summary: `Be the tool ${name}`,
      description: `The tool ${name}.`,
      category: "far",
      isWrite: true,
      hosts: [],
      input: z.object({ of: z.unknown() }),
      ...more,
      run: async ({ of }) => {
        asked.push([name, of]);
        return { list: [1, 2], of };
      },
    });
  const tools = [
    tool("far_read", { isWrite: false }),
    tool("far_save"),
    tool("far_remove", { actions: ["delete"] }),
  ];
  const volley = await createTestVolley({ tools, features: [confirmations()] });
  const here = tool("here", { isWrite: false });
  const run = runHere({
    url: "https://volley.test",
    key: "test-key",
    fetch: (url, init) => volley.fetch(url, init),
    tools: [here],
  });
  return { run, asked };
}

test("A real Volley takes the parts: loops, texts that look like references, and slips stand as they would in one batch", async () => {
  const { run, asked } = await setUp();
  const text = "{{a#/list}} and $a.list";
  const { results, parts } = await run({
    actions: [
      { id: "a", tool: "far_read", args: { of: { $literal: text } } },
      { id: "b", tool: "here", for_each: { $ref: "a#/list" }, args: { of: { $ref: "item#" } } },
      {
        id: "c",
        tool: "far_save",
        for_each: { $ref: "b#" },
        args: { of: { $template: "{{item#/data/of}} {{a#/of}}" } },
      },
      { id: "d", tool: "far_save", args: { other: { $ref: "b#" } } },
      { id: "e", tool: "far_saves", args: { of: { $ref: "b#/0/data" } } },
      { id: "f", tool: "far_save", args: { of: "{{a#/list}}" } },
    ],
    tags: ["crossing"],
  });
  expect(results.map(({ id, status }) => [id, status])).toEqual([
    ["a", "success"],
    ["b", "success"],
    ["c", "success"],
    ["d", "error"],
    ["e", "error"],
    ["f", "error"],
  ]);
  expect(results.slice(3)).toMatchObject([
    { index: 3, error: { code: "INVALID_ARGS" } },
    { index: 4, error: { code: "UNKNOWN_TOOL", hint: expect.stringContaining("far_save") as unknown } },
    { index: 5, error: { code: "BAD_REFERENCE" } },
  ]);
  expect(asked.filter((one) => (one as unknown[])[0] === "far_save")).toEqual([
    ["far_save", `1 ${text}`],
    ["far_save", `2 ${text}`],
  ]);
  expect(results[2]).toMatchObject({
    data: [{ index: 0 }, { index: 1 }],
    meta: { items: { total: 2, ok: 2 } },
  });
  expect(parts.map(({ actions }) => actions)).toEqual([["a"], ["c", "d", "e"]]);
});

test("A real Volley asks a person, and its question stands in the answer with its link", async () => {
  const { run, asked } = await setUp();
  const { results } = await run({
    actions: [
      { id: "h", tool: "here", args: { of: 7 } },
      { id: "r", tool: "far_remove", args: { of: { $ref: "h#/of" } } },
      { id: "after", tool: "here", args: { of: { $ref: "r#/of" } } },
    ],
  });
  expect(results).toMatchObject([
    { status: "success" },
    {
      status: "pending_confirmation",
      confirmation: { url: expect.stringContaining("/console#/confirmations/") as unknown },
    },
    { status: "skipped", because: "r" },
  ]);
  expect(asked).toEqual([["here", 7]]);
});

test("A batch that is repeated with its key writes nothing twice at a real Volley", async () => {
  const { run, asked } = await setUp();
  const batch = {
    actions: [
      { id: "h", tool: "here", args: { of: 7 } },
      { id: "w", tool: "far_save", args: { of: { $ref: "h#/of" } } },
    ],
  };
  await run(batch, { idempotencyKey: "order-7" });
  const again = await run(batch, { idempotencyKey: "order-7" });
  expect(again.results[1]).toMatchObject({
    status: "success",
    data: { of: 7 },
    meta: { idempotency_replayed: true },
  });
  expect(asked).toEqual([
    ["here", 7],
    ["far_save", 7],
    ["here", 7],
  ]);
});
