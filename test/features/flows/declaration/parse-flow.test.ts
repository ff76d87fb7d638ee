import { expect, test } from "vitest";

import { parseFlow } from "../../../../src/features/flows/declaration/parse-flow.ts";
import { CATALOG_WITH_FLOW as catalog, declareFlow, TRIGGER_RULES } from "../../../support/sample-flows.ts";
import { getOrder, SAMPLE_CATALOG } from "../../../support/sample-tools.ts";
import { valueOf } from "../../../support/unwrap.ts";

const parse = (changes: object = {}) =>
  parseFlow(declareFlow({ ...changes }), { name: "my_flow", catalog, triggers: TRIGGER_RULES });
const factsOf = (...actions: unknown[]) => {
  const { kept } = valueOf(parse({ actions, answer: undefined }));
  return { is_write: kept.is_write, confirm: kept.confirm };
};

test("parseFlow() keeps what was sent, with what follows of the tools", () => {
  const { kept, plan, needs } = valueOf(parse());
  expect(kept).toEqual({
    name: "my_flow",
    flow: declareFlow(),
    is_write: false,
    confirm: false,
    typical_tokens: 220,
  });
  expect(plan.steps.map(({ id, edges }) => [id, edges])).toEqual([
    ["found", []],
    ["order", [{ from: 0, reason: "reference" }]],
  ]);
  expect(needs).toEqual([]);
});

test("parseFlow() takes null in an optional field for a field that is not there, and keeps the others as they are", () => {
  const triggers = { webhook: null, cron: "0 7 * * *", timezone: null, paused: null };
  const input_schema = { type: "object", properties: { query: { type: ["string", "null"], default: null } } };
  const nulls = { description: null, on_error: null, deadline_ms: null, triggers, input_schema };
  const { kept } = valueOf(parse({ ...nulls, answer: null }));
  expect(kept.flow).toEqual({
    ...declareFlow({ input_schema, answer: null }),
    triggers: { cron: "0 7 * * *" },
  });
});

test("parseFlow() calls a flow a write when one of its actions writes, and asks when one of them asks", () => {
  expect(factsOf({ tool: "search_orders", args: { query: "a" } })).toEqual({
    is_write: false,
    confirm: false,
  });
  expect(factsOf({ tool: "send-receipt" })).toEqual({ is_write: true, confirm: false });
  expect(factsOf({ tool: "delete_order", args: { order_id: { $ref: "input#/query" } } })).toEqual({
    is_write: true,
    confirm: true,
  });
  const through = { tool: "invoke_tool", args: { tool_name: "send-receipt", parameters: {} } };
  expect(factsOf(through)).toEqual({ is_write: true, confirm: false });
});

test("parseFlow() needs the tools of the tenant's own that its actions call, each once", () => {
  const own = { ...getOrder, name: "own_order", added: { json: "{}", fingerprint: "f" } };
  const action = { tool: "own_order", args: { order_id: "7" } };
  const value = declareFlow({ actions: [action, action], answer: undefined });
  const options = { name: "my_flow", catalog: SAMPLE_CATALOG.extend([own], 1), triggers: TRIGGER_RULES };
  expect(valueOf(parseFlow(value, options)).needs).toEqual(["own_order"]);
});

test.each([
  ["every field that there is", { description: "It reads.", on_error: "fail-fast", deadline_ms: 60_000 }],
  ["no answer", { answer: undefined }],
  ["null for an answer", { answer: null }],
  ["an answer that refers to nothing at all", { answer: { done: true } }],
  ["the whole input", { answer: { $ref: "input#" } }],
  ["a literal that looks like a reference to nothing", { answer: { $literal: { $ref: "nobody#" } } }],
  ["a loop over the input", loopOver({ $ref: "input#/query" })],
  ["a loop over another's data", loopOver({ $ref: "found#/ids" })],
  [
    "other arguments than the schema names, where it allows them",
    { input_schema: { type: "object", additionalProperties: true } },
  ],
  [
    "arguments whose names are only a pattern",
    { input_schema: { type: "object", patternProperties: { "^q": {} } } },
  ],
  [
    "arguments that a definition names",
    {
      input_schema: {
        type: "object",
        allOf: [{ $ref: "#/$defs/asked" }],
        $defs: { asked: { properties: { query: { type: "string" } } } },
      },
    },
  ],
  ["waiting for background work", waitFor()],
  [
    "an answer of a loop's jobs",
    { actions: [{ id: "sent", tool: "send-receipt", for_each: [1, 2] }], answer: { $ref: "sent#/0/job_id" } },
  ],
])("parseFlow() takes %s", (_, changes) => {
  expect(parse(changes)).toMatchObject({ ok: true });
});

function loopOver(forEach: unknown): object {
  const found = { id: "found", tool: "search_orders", args: { query: "a" } };
  const each = { tool: "get_order", for_each: forEach, args: { order_id: { $ref: "item#" } } };
  return { actions: [found, each], answer: undefined };
}

function waitFor(): object {
  const sent = { id: "sent", tool: "send-receipt" };
  return {
    actions: [sent, { tool: "search_orders", args: { query: "a" }, depends_on: ["sent"] }],
    answer: undefined,
  };
}
