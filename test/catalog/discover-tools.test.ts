import { describe, expect, test } from "vitest";

import { createCatalog } from "../../src/catalog/catalog.ts";
import { defineTool } from "../../src/catalog/define-tool.ts";
import { discoverTools, discoverySchema } from "../../src/catalog/discover-tools.ts";
import { declareTool, SAMPLE_CATALOG } from "../support/sample-tools.ts";

function discover(request: object, catalog = SAMPLE_CATALOG) {
  const { tools, ...rest } = discoverTools(discoverySchema.parse(request), catalog);
  return { names: tools.map(({ name }) => name), ...rest };
}

describe("discoverTools()", () => {
  test("lists a tool by what it takes to choose it", () => {
    expect(
      discoverTools(discoverySchema.parse({ query: "get_order", limit: 1 }), SAMPLE_CATALOG).tools,
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
    expect(discoverySchema.safeParse({ limit: 51 }).success).toBe(false);
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

  test.each([{ query: "delete_order", categories: ["email"] }, { query: "bake sourdough bread" }])(
    "tells what else could be asked when nothing fits %j",
    (request) => {
      expect(discover(request)).toEqual({
        names: [],
        total: 0,
        hint: "No tool fits. Say it in other words, or ask for a category without a query: email, orders.",
      });
    },
  );

  test.each(["__proto__", "constructor", "toString"])("finds no category '%s' on a prototype", (word) => {
    expect(discover({ categories: [word] })).toMatchObject({ total: 0 });
  });

  test("cannot tell a hidden tool from one that does not exist", () => {
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
