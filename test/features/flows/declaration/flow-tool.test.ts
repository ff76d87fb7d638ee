import * as z from "zod/mini";
import { expect, test } from "vitest";

import { catalogOfFlow } from "../../../../src/features/flows/declaration/plan-kept-flow.ts";
import { toFlowTool } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { toolSchema } from "../../../../src/core/catalog/tool-schema.ts";
import { FakeToolContext } from "../../../support/fake-tool-context.ts";
import { declareFlow } from "../../../support/sample-flows.ts";
import { SAMPLE_CATALOG } from "../../../support/sample-tools.ts";

const make = (changes: object = {}, facts: object = {}) =>
  toFlowTool({
    name: "my_flow",
    flow: declareFlow({ ...changes }),
    is_write: false,
    confirm: false,
    typical_tokens: 220,
    ...facts,
  });

test("toFlowTool() makes a read that is its batch, with the answer", () => {
  const tool = make();
  expect(tool).toMatchObject({
    name: "my_flow",
    summary: "Show the first order of something",
    description: "Show the first order of something",
    category: "flows",
    actions: ["run"],
    isWrite: false,
    execution: "sync",
    timeoutMs: 15_000,
    typicalTokens: 220,
    repeatable: true,
    confirm: false,
    orchestration: { mode: "parallel-safe", confirm: "never" },
  });
  expect(tool.inner?.batch.entries.map(({ id }) => id)).toEqual(["found", "order"]);
  expect(tool.inner?.answer).toEqual(declareFlow().answer);
});

test("toFlowTool() makes a write that asks, one at a time, and never repeated", () => {
  expect(
    make({ deadline_ms: 40_000, description: "It deletes." }, { is_write: true, confirm: true }),
  ).toMatchObject({
    description: "It deletes.",
    isWrite: true,
    idempotent: false,
    repeatable: false,
    concurrency: 1,
    confirm: true,
    timeoutMs: 40_000,
    inner: { batch: { deadlineMs: 40_000 } },
  });
});

test("toFlowTool() shows and checks by the flow's own schema", () => {
  const tool = make();
  expect(toolSchema(tool)).toMatchObject({ type: "object", required: ["query"] });
  expect(z.safeParse(tool.input, { query: "oil" }).success).toBe(true);
  expect(z.safeParse(tool.input, { query: 7 }).success).toBe(false);
});

test("toFlowTool() has no answer where the flow has none", () => {
  expect(make({ answer: undefined }).inner?.answer).toBeUndefined();
});

test("a flow's own run() is never what runs it", async () => {
  await expect(make().run({}, new FakeToolContext(make(), { answer: () => new Response() }))).rejects.toThrow(
    "Cannot call the flow 'my_flow': it is run as a batch",
  );
});

test("toFlowTool() makes of a flow that is no batch any more one that says so when it is called", async () => {
  const tool = make({ actions: [] });
  expect(tool.inner).toBeUndefined();
  await expect(
    tool.run({}, new FakeToolContext(make(), { answer: () => new Response() })),
  ).rejects.toMatchObject({
    failure: { code: "FLOW_BROKEN" },
  });
});

test("a flow that was kept without rights sees what its actions call, and no more", () => {
  const invoked = { tool: "invoke_tool", args: { tool_name: "get_order", parameters: { order_id: "o1" } } };
  const tool = make({ actions: [{ tool: "search_orders", args: { query: "oil" } }, invoked] });
  expect(tool.inner?.tools).toEqual(["search_orders", "get_order"]);
  const seen = catalogOfFlow(tool, SAMPLE_CATALOG);
  expect(seen.names.toSorted()).toEqual(["get_order", "search_orders"]);
  expect(catalogOfFlow(tool, SAMPLE_CATALOG)).toBe(seen);
  expect(catalogOfFlow(make({}, { tools: ["*"] }), SAMPLE_CATALOG)).toBe(SAMPLE_CATALOG);
});
