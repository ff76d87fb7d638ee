import { expect, test } from "vitest";
import * as z from "zod";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import {
  declareTool,
  deleteOrder,
  getOrder,
  SAMPLE_CATALOG,
  SAMPLE_TOOLS,
  searchOrders,
  sendReceipt,
} from "../../support/sample-tools.ts";

function toolThatNeeds(name: string, ...needed: string[]) {
  const depends_on = needed.map((tool) => ({ tool, required_fields: ["id"] }));
  return defineTool(declareTool({ name, orchestration: { mode: "dependent", depends_on } }));
}

test("createCatalog() keeps the tools in order and finds each by its name", () => {
  expect(SAMPLE_CATALOG.tools).toEqual(SAMPLE_TOOLS);
  expect(SAMPLE_CATALOG.names).toEqual(["search_orders", "get_order", "delete_order", "send-receipt"]);
  expect(SAMPLE_CATALOG.get("get_order")).toBe(getOrder);
});

test("createCatalog() indexes by category and by action", () => {
  expect(SAMPLE_CATALOG.byCategory.get("orders")).toEqual([searchOrders, getOrder, deleteOrder]);
  expect(SAMPLE_CATALOG.byAction.get("send")).toEqual([sendReceipt]);
  expect(SAMPLE_CATALOG.byAction.get("create")).toEqual([sendReceipt]);
});

test.each(["", "nothing", "GET_ORDER", "__proto__", "constructor", "toString", "hasOwnProperty"])(
  "T06 get('%s') finds nothing",
  (name) => {
    expect(SAMPLE_CATALOG.get(name)).toBeUndefined();
    expect(SAMPLE_CATALOG.byCategory.get(name)).toBeUndefined();
    expect(SAMPLE_CATALOG.byAction.get(name)).toBeUndefined();
  },
);

test("get() finds a tool named toString when there is one", () => {
  const tool = defineTool(declareTool({ name: "toString" }));
  expect(createCatalog([tool]).get("toString")).toBe(tool);
});

test("createCatalog() accepts dependencies on later tools and none at all", () => {
  expect(createCatalog([getOrder, searchOrders]).names).toEqual(["get_order", "search_orders"]);
  expect(createCatalog([]).names).toEqual([]);
});

test("createCatalog() refuses a name that is used twice", () => {
  expect(() => createCatalog([searchOrders, sendReceipt, searchOrders])).toThrow(
    "Cannot create catalog: two tools are named 'search_orders'",
  );
});

test("createCatalog() refuses a dependency on a tool that does not exist", () => {
  expect(() => createCatalog([getOrder])).toThrow(
    "Cannot create catalog: 'get_order' depends on the unknown tool 'search_orders'",
  );
  expect(() => createCatalog([toolThatNeeds("a", "toString")])).toThrow("the unknown tool 'toString'");
});

test("createCatalog() refuses dependencies in a circle and spells it out", () => {
  const tools = [toolThatNeeds("a", "b"), toolThatNeeds("b", "c"), toolThatNeeds("c", "a")];
  expect(() => createCatalog(tools)).toThrow(
    "Cannot create catalog: tools depend on each other: a → b → c → a",
  );
  expect(() => createCatalog([toolThatNeeds("a", "a")])).toThrow("a → a");
});

const tree: z.ZodType = z.strictObject({
  get branches() {
    return z.array(tree);
  },
});

test.each<[string, z.ZodType, string]>([
  ["is no object", z.string(), "'input' must be an object schema"],
  ["is one of several objects", z.union([z.object({}), z.object({})]), "'input' must be an object schema"],
  ["can be anything", z.any(), "'input' must be an object schema"],
  ["has no JSON Schema", z.object({ at: z.date() }), "Date cannot be represented in JSON Schema"],
  ["contains itself", tree, "Cycle detected: "],
  ["contains itself further in", z.object({ root: tree.meta({ id: "tree" }) }), "Cycle detected: "],
])("createCatalog() refuses a tool whose input %s, naming it", (_, input, problem) => {
  const tool = defineTool({ ...declareTool({ name: "odd_one" }), input, run: async () => null });
  const create = () => createCatalog([searchOrders, tool]);
  expect(create).toThrow(`Cannot write the schema of 'odd_one': ${problem}`);
  expect(create).not.toThrow("cycles");
});

test.each([
  ["everything", ["*"], ["search_orders", "get_order", "delete_order", "send-receipt"]],
  ["a tool", ["get_order"], ["get_order"]],
  ["a category", ["orders"], ["search_orders", "get_order", "delete_order"]],
  ["a category and a tool", ["email", "search_orders"], ["search_orders", "send-receipt"]],
  ["nothing", [], []],
  ["what does not exist", ["constructor", "__proto__", "get"], []],
])("restrictTo() grants %s", (_, grants, names) => {
  expect(SAMPLE_CATALOG.restrictTo(grants).names).toEqual(names);
});

test("restrictTo() leaves no trace of the other tools in any index", () => {
  const restricted = SAMPLE_CATALOG.restrictTo(["search_orders"]);
  expect(restricted.get("get_order")).toBeUndefined();
  expect(restricted.byCategory.get("orders")).toEqual([searchOrders]);
  expect(Array.from(restricted.byAction.keys())).toEqual(["search"]);
});
