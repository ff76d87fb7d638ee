import { expect, test } from "vitest";

import type { Catalog } from "../../../../src/core/catalog/catalog.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { defineTool, type Tool } from "../../../../src/core/catalog/define-tool.ts";
import { toFlowTool } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { parseFlow } from "../../../../src/features/flows/declaration/parse-flow.ts";
import { planKeptFlow } from "../../../../src/features/flows/declaration/plan-kept-flow.ts";
import { declareFlow, TRIGGER_RULES } from "../../../support/sample-flows.ts";
import {
  declareTool,
  getOrder,
  SAMPLE_CATALOG,
  SAMPLE_TOOLS,
  searchOrders,
} from "../../../support/sample-tools.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const flow = toFlowTool(
  valueOf(parseFlow(declareFlow(), { name: "my_flow", catalog: SAMPLE_CATALOG, triggers: TRIGGER_RULES }))
    .kept,
);

/** The sample tools with another `search_orders`. */
function withSearch(search: Tool): Catalog {
  const others = SAMPLE_TOOLS.filter(({ name }) => name !== search.name);
  return createCatalog([search, ...others]);
}

const searchAs = (changes: object): Tool =>
  defineTool({ ...declareTool({ name: "search_orders", input: searchOrders.input }), ...changes });

test("planKeptFlow() plans the flow's actions with an unknown input", () => {
  const plan = valueOf(planKeptFlow(flow, SAMPLE_CATALOG));
  expect(plan.steps.map(({ id }) => id)).toEqual(["found", "order"]);
  expect(plan.given).toEqual(
    new Map([
      ["input", undefined],
      ["hook", undefined],
    ]),
  );
});

test("planKeptFlow() says which action lacks its tool", () => {
  const without = SAMPLE_CATALOG.only(({ name }) => name !== "get_order");
  expect(errorOf(planKeptFlow(flow, without))).toMatch(/^Action 'order': No tool is named 'get_order'/);
});

test("planKeptFlow() says when an action of a read writes by now", () => {
  const writes = searchAs({ isWrite: true });
  expect(errorOf(planKeptFlow(flow, withSearch(writes)))).toBe(
    "Action 'found': 'search_orders' writes by now; keep the flow again.",
  );
});

test("planKeptFlow() says when an action asks by now", () => {
  const asks = searchAs({ orchestration: { mode: "parallel-safe", confirm: "always" } });
  expect(errorOf(planKeptFlow(flow, withSearch(asks)))).toBe(
    "Action 'found': 'search_orders' needs a person's yes by now; keep the flow again.",
  );
});

test("planKeptFlow() says when an action calls what is a flow by now", () => {
  const { name: _, ...inner } = toFlowTool({
    name: "get_order",
    flow: declareFlow(),
    is_write: false,
    confirm: false,
    typical_tokens: 20,
  });
  const other = { ...inner, name: "get_order", input: getOrder.input };
  const catalog = SAMPLE_CATALOG.only(({ name }) => name !== "get_order").extend([other], 1);
  expect(errorOf(planKeptFlow(flow, catalog))).toBe("Action 'order': 'get_order' is a flow by now.");
});

test("planKeptFlow() says when there is no batch any more", () => {
  expect(errorOf(planKeptFlow(getOrder, SAMPLE_CATALOG))).toMatch(/kept by an older version/);
});

test("planKeptFlow() says by which version of the tenant's tools, also where all of its actions call shipped ones", () => {
  const catalog = SAMPLE_CATALOG.extend([], 7);
  expect(valueOf(planKeptFlow(flow, catalog)).toolsVersion).toBe(7);
});
