import { expect, test } from "vitest";

import type { Catalog } from "../../../src/catalog/catalog.ts";
import { createCatalog } from "../../../src/catalog/create-catalog.ts";
import { defineTool, type Tool } from "../../../src/catalog/define-tool.ts";
import { toFlowTool } from "../../../src/catalog/flow/flow-tool.ts";
import { parseFlow } from "../../../src/catalog/flow/parse-flow.ts";
import { planFlow } from "../../../src/catalog/flow/plan-flow.ts";
import { declareFlow } from "../../support/sample-flows.ts";
import { declareTool, getOrder, SAMPLE_CATALOG, SAMPLE_TOOLS } from "../../support/sample-tools.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const flow = toFlowTool(valueOf(parseFlow(declareFlow(), { name: "my_flow", catalog: SAMPLE_CATALOG })).kept);

/** The sample tools with another `search_orders`. */
function withSearch(search: Tool): Catalog {
  const others = SAMPLE_TOOLS.filter(({ name }) => name !== search.name);
  return createCatalog([search, ...others]);
}

const searchAs = (changes: object): Tool =>
  defineTool({ ...declareTool({ name: "search_orders" }), ...changes });

test("planFlow() plans the flow's actions with what the run is given", () => {
  const plan = valueOf(planFlow(flow, SAMPLE_CATALOG, { input: { query: "oil" } }));
  expect(plan.steps.map(({ id }) => id)).toEqual(["found", "order"]);
  expect(plan.given).toEqual(new Map([["input", { query: "oil" }]]));
});

test("planFlow() says which action lacks its tool", () => {
  const without = SAMPLE_CATALOG.only(({ name }) => name !== "get_order");
  expect(errorOf(planFlow(flow, without))).toMatch(/^Action 'order': No tool is named 'get_order'/);
});

test("planFlow() says when an action of a read writes by now", () => {
  const writes = searchAs({ isWrite: true });
  expect(errorOf(planFlow(flow, withSearch(writes)))).toBe(
    "Action 'found': 'search_orders' writes by now; keep the flow again.",
  );
});

test("planFlow() says when an action asks by now", () => {
  const asks = searchAs({ orchestration: { mode: "parallel-safe", confirm: "always" } });
  expect(errorOf(planFlow(flow, withSearch(asks)))).toBe(
    "Action 'found': 'search_orders' needs a person's yes by now; keep the flow again.",
  );
});

test("planFlow() says when an action calls what is a flow by now", () => {
  const { name: _, ...inner } = toFlowTool({
    name: "get_order",
    flow: declareFlow(),
    is_write: false,
    confirm: false,
    typical_tokens: 20,
  });
  const other = { ...inner, name: "get_order", input: getOrder.input };
  const catalog = SAMPLE_CATALOG.only(({ name }) => name !== "get_order").extend([other], 1);
  expect(errorOf(planFlow(flow, catalog))).toBe("Action 'order': 'get_order' is a flow by now.");
});

test("planFlow() says when there is no batch any more", () => {
  expect(errorOf(planFlow(getOrder, SAMPLE_CATALOG))).toMatch(/kept by an older version/);
});
