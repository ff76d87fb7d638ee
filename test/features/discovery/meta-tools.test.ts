import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { declareTool, SAMPLE_CATALOG } from "../../support/sample-tools.ts";

describe("the tools that answer from the catalog", () => {
  test("read, need no network and no secret, and wait for no other action", () => {
    for (const tool of SAMPLE_CATALOG.metaTools.values()) {
      expect(tool).toMatchObject({
        isWrite: false,
        execution: "sync",
        hosts: [],
        secrets: [],
        confirm: false,
      });
      expect(tool.orchestration.mode).toBe("parallel-safe");
    }
  });

  test("can be called, but are in no list and no index", () => {
    expect(SAMPLE_CATALOG.callable("discover_tools")?.name).toBe("discover_tools");
    expect(SAMPLE_CATALOG.get("discover_tools")).toBeUndefined();
    expect(SAMPLE_CATALOG.names).not.toContain("discover_tools");
    expect(SAMPLE_CATALOG.byCategory.has("discovery")).toBe(false);
    expect(SAMPLE_CATALOG.search("discover_tools").map(({ name }) => name)).not.toContain("discover_tools");
  });

  test.each(["__proto__", "constructor", "toString"])("are not found as '%s' on a prototype", (name) => {
    expect(SAMPLE_CATALOG.callable(name)).toBeUndefined();
  });
});

test.each(["execute_actions", "discover_tools", "get_tool_schema", "invoke_tool"])(
  "createCatalog() refuses a tool named %s, which a model is given for something else",
  (name) => {
    expect(() => createCatalog([defineTool(declareTool({ name }))])).toThrow(
      `Cannot create catalog: the name '${name}' is reserved; give the tool another`,
    );
  },
);
