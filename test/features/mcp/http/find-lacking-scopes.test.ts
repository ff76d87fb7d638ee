import { describe, expect, test } from "vitest";

import { findLackingScopes } from "../../../../src/features/mcp/http/serve-mcp.ts";
import { SAMPLE_CATALOG } from "../../../support/sample-tools.ts";

type Context = Parameters<typeof findLackingScopes>[1];

/** Find what a caller with some grants lacks for a call. */
const lacking = (tools: readonly string[], name: unknown, method = "tools/call") =>
  findLackingScopes({ kind: "request", id: 1, method, params: { name } } as never, {
    caller: { tools } as Context["caller"],
    catalog: SAMPLE_CATALOG.restrictTo(tools),
    allTools: () => Promise.resolve(SAMPLE_CATALOG),
  });

describe("A call with too few scopes", () => {
  test("needs those that it has and one more: reads for a read, the category for a write", async () => {
    const { category } = SAMPLE_CATALOG.get("delete_order")!;
    expect(await lacking(["tools:read *"], "delete_order")).toEqual(["tools:read", `category:${category}`]);
    expect(await lacking(["category:none *"], "get_order")).toEqual(["category:none", "tools:read"]);
    expect(await lacking(["category:none get_order", "category:none x"], "get_order")).toEqual([
      "category:none",
      "tools:read",
    ]);
  });

  test.each([
    ["that the key itself may not make", ["tools:read search_orders"], "delete_order"],
    ["of a tool that there is not", ["tools:read *"], "no_such_tool"],
    ["that it may make", ["tools:read *"], "get_order"],
    ["of a tool for all", ["tools:read *"], "execute_actions"],
    ["with a name that is no text", ["tools:read *"], 1],
    ["by a key", ["get_order"], "delete_order"],
    ["by a key without tools", [], "delete_order"],
  ])("T02 is not told of one %s", async (_, tools, name) => {
    expect(await lacking(tools, name)).toBeNull();
  });

  test("is a call: other methods need no scope", async () => {
    expect(await lacking(["tools:read *"], "delete_order", "tools/list")).toBeNull();
  });
});
