import * as z from "zod";
import { describe, expect, test } from "vitest";
import { createCatalog as createPlain, isGranted } from "../../../src/core/catalog/catalog.ts";
import { defineTool, type Tool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { isVisible, toHeadJson } from "../../../src/core/catalog/tool-head.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import {
  declareTool,
  getOrder,
  SAMPLE_CATALOG,
  SAMPLE_TOOLS,
  searchOrders,
} from "../../support/sample-tools.ts";

/** A tool as a tenant adds it while running. */
function addTool(changes: Partial<ToolDeclaration>): Tool {
  return { ...defineTool(declareTool(changes)), added: { json: "{}", fingerprint: "f" } };
}

const META_NAMES = ["discover_tools", "get_tool_schema"];
const bare = createPlain(SAMPLE_TOOLS);

describe("a catalog with discovery", () => {
  test("offers its tools, those that answer from it, the alias and the batch", () => {
    for (const name of ["get_order", ...META_NAMES, "invoke_tool", "execute_actions"])
      expect(SAMPLE_CATALOG.offers(name), name).toBe(true);
    for (const name of ["get_ordr", "", "toString"]) expect(SAMPLE_CATALOG.offers(name), name).toBe(false);
  });

  test("has those that answer from it among what may be called, and not among its tools", () => {
    expect(SAMPLE_CATALOG.discovers).toBe(true);
    expect([...SAMPLE_CATALOG.metaTools.keys()]).toEqual(META_NAMES);
    for (const name of META_NAMES) {
      expect(SAMPLE_CATALOG.callable(name)).toBe(SAMPLE_CATALOG.metaTools.get(name));
      expect(SAMPLE_CATALOG.get(name)).toBeUndefined();
    }
    expect(SAMPLE_CATALOG.callable("get_order")).toBe(getOrder);
    expect(SAMPLE_CATALOG.callable("invoke_tool")).toBeUndefined();
    expect(SAMPLE_CATALOG.callableNames).toEqual([...SAMPLE_CATALOG.names, ...META_NAMES, "invoke_tool"]);
  });

  test("makes the tools that answer from it once, and the search", () => {
    let [made, searches] = [0, 0];
    const catalog = createPlain(SAMPLE_TOOLS, {
      metaToolsOf: () => {
        made += 1;
        return [defineTool(declareTool({ name: "find" }))];
      },
      createSearch: (tools) => {
        searches += 1;
        return { find: () => tools.slice(0, 1) };
      },
    });
    expect([catalog.callable("find")!.name, catalog.callable("find")!.name]).toEqual(["find", "find"]);
    expect([catalog.search("orders"), catalog.search("orders")]).toEqual([[searchOrders], [searchOrders]]);
    expect([made, searches]).toEqual([1, 1]);
  });
});

test("a catalog without discovery offers its tools and the batch, and nothing else", () => {
  expect(bare.discovers).toBe(false);
  expect(bare.metaTools.size).toBe(0);
  expect(bare.callableNames).toEqual(bare.names);
  for (const name of ["get_order", "execute_actions"]) expect(bare.offers(name), name).toBe(true);
  for (const name of [...META_NAMES, "invoke_tool"]) expect(bare.offers(name), name).toBe(false);
});

test.each(["execute_actions", "discover_tools", "get_tool_schema", "invoke_tool"])(
  "no tool may have the name '%s', which a model is given for something else",
  (name) => {
    expect(() => createPlain([defineTool(declareTool({ name }))])).toThrow(
      `Cannot create catalog: the name '${name}' is reserved; give the tool another`,
    );
  },
);

describe("a part of a catalog", () => {
  test("is the catalog itself where nothing is left out of it", () => {
    expect(SAMPLE_CATALOG.restrictTo(["orders", "email"])).toBe(SAMPLE_CATALOG);
    expect(SAMPLE_CATALOG.restrictTo(["get_order", "*"])).toBe(SAMPLE_CATALOG);
    expect(SAMPLE_CATALOG.only(() => true)).toBe(SAMPLE_CATALOG);
  });

  test("hides the names of all that is left out of it, those of the part it is taken from too", () => {
    expect(SAMPLE_CATALOG.hidden).toEqual(new Set());
    const orders = SAMPLE_CATALOG.extend([], 7).restrictTo(["orders"]);
    expect(orders.hidden).toEqual(new Set(["send-receipt"]));
    const one = orders.only(({ isWrite }) => !isWrite);
    expect(one.names).toEqual(["search_orders", "get_order"]);
    expect(one.hidden).toEqual(new Set(["send-receipt", "delete_order"]));
    expect(one.version).toBe(7);
  });
});

describe("a catalog with the tools of a tenant", () => {
  const added = addTool({ name: "own_tool" });

  test("has its own tools and those, under the version that they have", () => {
    const part = SAMPLE_CATALOG.restrictTo(["orders"]);
    const extended = part.extend([added], 3);
    expect(extended.names).toEqual([...part.names, "own_tool"]);
    expect([part.version, extended.version]).toEqual([0, 3]);
    expect(extended.hidden).toBe(part.hidden);
    expect(extended.discovers).toBe(true);
  });

  test("knows of which names another tool may stand behind by now: theirs, and those that it does not know", () => {
    const extended = SAMPLE_CATALOG.extend([added], 3);
    expect(extended.mayChange("own_tool")).toBe(true);
    expect(extended.mayChange("gone_tool")).toBe(true);
    expect(extended.mayChange("get_order")).toBe(false);
  });

  test("finds how an added write is verified, as long as the read that can tell is there", () => {
    const orchestration = {
      mode: "parallel-safe",
      verify_with: { tool: "look", args: { page: "/page" }, found: "/text" },
    } as const;
    const write = addTool({ name: "put_page", isWrite: true, actions: ["update"], orchestration });
    const look = addTool({ name: "look", input: z.strictObject({ page: z.string() }) });
    const both = SAMPLE_CATALOG.extend([write, look], 1);
    expect(both.verifierOf("put_page")).toMatchObject({ tool: { name: "look" }, args: [["page", ["page"]]] });
    for (const name of ["look", "get_order", "none"]) expect(both.verifierOf(name), name).toBeUndefined();
    expect(SAMPLE_CATALOG.extend([write], 2).verifierOf("put_page")).toBeUndefined();
  });

  test("takes how a write of its own is verified from the start, not from tools that came later", () => {
    const orchestration = {
      mode: "parallel-safe",
      verify_with: { tool: "look", args: { page: "/page" } },
    } as const;
    const write = defineTool(
      declareTool({ name: "put_page", isWrite: true, actions: ["update"], orchestration }),
    );
    const look = defineTool(declareTool({ name: "look" }));
    const other = addTool({ name: "own_tool" });
    const catalog = createCatalog([write, look])
      .only(({ name }) => name === "put_page")
      .extend([other], 1);
    expect(catalog.verifierOf("put_page")?.tool).toBe(look);
  });
});

test.each<[readonly string[], boolean]>([
  [["*"], true],
  [["orders"], true],
  [["get_order"], true],
  [["other", "get_order"], true],
  [["get_orders"], false],
  [[""], false],
  [[], false],
])("isGranted() of the grants %j says %s of a tool of the category 'orders'", (grants, expected) => {
  expect(isGranted(grants, getOrder)).toBe(expected);
});

test("the index of actions has each tool once under each of its actions, in their order", () => {
  const both = defineTool(declareTool({ name: "both", actions: ["read", "search"] }));
  const one = defineTool(declareTool({ name: "one", actions: ["read"] }));
  const { byAction } = createPlain([both, one]);
  expect([...byAction]).toEqual([
    ["read", [both, one]],
    ["search", [both]],
  ]);
});

test("a key may know of an added tool that it may call: by its name, its category or all", () => {
  const headJson = toHeadJson({
    summary: "s",
    description: "d",
    category: "notes",
    actions: ["read"],
    is_write: false,
  });
  expect(JSON.parse(headJson)).toMatchObject({ category: "notes", is_write: false });
  const sees = (...grants: string[]) => isVisible({ name: "own_tool", headJson }, grants);
  expect([sees("own_tool"), sees("notes"), sees("*")]).toEqual([true, true, true]);
  expect([sees("own_tools"), sees("other"), sees()]).toEqual([false, false, false]);
});
