import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import {
  describeTool,
  discoverTools,
  discoverySchema,
} from "../../../src/features/discovery/discover-tools.ts";
import { declareTool, SAMPLE_CATALOG } from "../../support/sample-tools.ts";

function discover(request: object, catalog = SAMPLE_CATALOG) {
  const { tools, ...rest } = discoverTools(discoverySchema().parse(request), catalog);
  return { names: tools.map(({ name }) => name), ...rest };
}

describe("discoverTools()", () => {
  test("lists a tool by what it takes to choose it", () => {
    expect(
      discoverTools(discoverySchema().parse({ query: "get_order", limit: 1 }), SAMPLE_CATALOG).tools,
    ).toEqual([
      {
        name: "get_order",
        summary: "Show one order",
        category: "orders",
        actions: ["read"],
        is_write: false,
      },
    ]);
  });

  test.each([{}, { query: "" }, { query: " * " }, { categories: [], actions: [] }])(
    "lists every tool in the catalog's order when %j says nothing",
    (request) => {
      expect(discover(request)).toEqual({ names: SAMPLE_CATALOG.names, total: 4 });
    },
  );

  test.each([
    [{ categories: ["orders"] }, ["search_orders", "get_order", "delete_order"]],
    [{ categories: ["orders", "email"], actions: ["send"] }, ["send-receipt"]],
    [{ actions: ["read", "delete"] }, ["get_order", "delete_order"]],
    [{ categories: [" Orders "], actions: ["DELETE"] }, ["delete_order"]],
    [{ categories: ["email"], actions: ["delete"] }, []],
  ])("filters by %j", (request, names) => {
    expect(discover(request)).toEqual({ names, total: names.length });
  });

  test("counts everything that matches, however little is listed", () => {
    expect(discover({ categories: ["orders"], limit: 1 })).toEqual({ names: ["search_orders"], total: 3 });
  });

  test("lists 10 unless told otherwise, and at most 50", () => {
    const many = createCatalog(
      Array.from({ length: 60 }, (_, n) => defineTool(declareTool({ name: `ping${n}` }))),
    );

    expect(discover({}, many)).toMatchObject({ total: 60, names: { length: 10 } });
    expect(discover({ limit: 50 }, many).names).toHaveLength(50);
    expect(discoverySchema().safeParse({ limit: 51 }).success).toBe(false);
  });

  test.each([
    [{ queries: ["receipt"] }, ["send-receipt"]],
    [{ query: "receipt", queries: ["delete"] }, ["send-receipt", "delete_order"]],
    [{ queries: ["delete", "receipt", "DELETE"] }, ["delete_order", "send-receipt"]],
    [{ queries: ["", "  ", "receipt"] }, ["send-receipt"]],
    [{ queries: ["receipt", "sourdough"] }, ["send-receipt"]],
    [{ queries: ["receipt", "delete"], categories: ["orders"] }, ["delete_order"]],
  ])("answers %j with one list, every tool once", (request, names) => {
    expect(discover(request)).toEqual({ names, total: names.length });
  });

  test("puts the best of each query before the second of any", () => {
    const { names, total } = discover({ queries: ["send-receipt", "get_order", "delete order"] });
    expect(names.slice(0, 3)).toEqual(["send-receipt", "get_order", "delete_order"]);
    expect(total).toBe(4);
    expect(discover({ queries: ["order", "receipt"], limit: 2 })).toMatchObject({
      names: [expect.stringContaining("order"), "send-receipt"],
      total: 4,
    });
  });

  test("lists every tool when no query says anything", () => {
    expect(discover({ queries: ["", "?"] })).toEqual({ names: SAMPLE_CATALOG.names, total: 4 });
  });

  test.each([
    [{ queries: [] }, "queries"],
    [{ queries: Array.from({ length: 9 }, () => "order") }, "queries"],
    [{ queries: ["x".repeat(501)] }, "queries"],
    [{ query: "x".repeat(501) }, "query"],
    [{ detail: "all" }, "detail"],
  ])("takes no %j", (request, field) => {
    expect(discoverySchema().safeParse(request).error?.issues[0]?.path[0]).toBe(field);
  });

  test("takes eight queries of 500 characters", () => {
    const longest = "order ".repeat(100).slice(0, 500);
    expect(discover({ queries: Array.from({ length: 8 }, () => longest) }).names).toContain("get_order");
  });

  test("shows the parameters of the first five when asked for the schema", () => {
    const many = createCatalog(
      Array.from({ length: 7 }, (_, n) => defineTool(declareTool({ name: `ping${n}` }))),
    );
    const { tools, total } = discoverTools(
      discoverySchema().parse({ query: "page", detail: "schema" }),
      many,
    );
    expect(total).toBe(7);
    for (const [at, { name, parameters, required }] of tools.entries()) {
      const { parameters: whole, required: all } = describeTool(many.get(name)!);
      expect({ parameters, required }).toEqual(
        at < 5 ? { parameters: whole, required: all } : { parameters: undefined, required: undefined },
      );
    }
    expect(tools[0]).toMatchObject({ parameters: { page: { type: "string" } }, required: ["page"] });
    expect(Object.keys(tools[6]!)).not.toContain("parameters");
  });

  test("shows no parameters when asked for the summary", () => {
    const [first] = discoverTools(discoverySchema().parse({ detail: "summary" }), SAMPLE_CATALOG).tools;
    expect(Object.keys(first!)).toEqual(["name", "summary", "category", "actions", "is_write"]);
  });

  test("answers an unknown category with nothing and the real ones, the nearest first", () => {
    expect(discover({ categories: ["order"] })).toEqual({
      names: [],
      total: 0,
      hint: "There is no category 'order'. The categories are: orders, email.",
    });
  });

  test("answers an unknown action likewise, and keeps what the known ones give", () => {
    expect(discover({ actions: ["sned", "delete"] })).toEqual({
      names: ["delete_order"],
      total: 1,
      hint: "There is no action 'sned'. The actions are: send, create, delete, read, search.",
    });
  });

  test.each([
    { query: "delete", categories: ["email"] },
    { query: "bake sourdough bread" },
    { queries: ["bake sourdough", "bread"] },
  ])("tells what else could be asked when nothing fits %j", (request) => {
    expect(discover(request)).toEqual({
      names: [],
      total: 0,
      hint: "No tool fits. Say it in other words, or ask for a category without a query: email, orders.",
    });
  });

  test.each(["__proto__", "constructor", "toString"])("finds no category '%s' on a prototype", (word) => {
    expect(discover({ categories: [word] })).toMatchObject({ total: 0 });
  });

  test("T02 cannot tell a hidden tool from one that does not exist", () => {
    const mine = SAMPLE_CATALOG.restrictTo(["email"]);
    const alone = createCatalog([SAMPLE_CATALOG.get("send-receipt")!]);

    for (const request of [
      {},
      { query: "delete_order" },
      { query: "find an order" },
      { query: "receipt for an order" },
      { categories: ["orders"] },
      { actions: ["delete"] },
    ])
      expect(discover(request, mine)).toEqual(discover(request, alone));
  });
});
