import { expect, test } from "vitest";

import { sayUnknownTool } from "../../../src/core/catalog/unknown-tool.ts";

const NAMES = ["get_order", "get_orders", "delete_page"];

test.each<[string, string, boolean, string]>([
  [
    "the names it is near to, and how to find others",
    "get_ordr",
    true,
    "No tool is named 'get_ordr'. Did you mean 'get_order' or 'get_orders'? Otherwise call discover_tools to find one.",
  ],
  [
    "how to find one where nothing is near",
    "weather",
    true,
    "No tool is named 'weather'; call discover_tools to find one.",
  ],
  [
    "the names it is near to and nothing of discovery, where there is none",
    "delete_pag",
    false,
    "No tool is named 'delete_pag'. Did you mean 'delete_page'?",
  ],
  ["nothing more, where nothing is near either", "weather", false, "No tool is named 'weather'."],
  ["which characters it has that cannot be seen", "a\n", false, "No tool is named 'a\\u{a}'."],
])("sayUnknownTool() says %s", (_, name, discovers, said) => {
  expect(sayUnknownTool(name, NAMES, discovers)).toBe(said);
});

test("sayUnknownTool() says of the batch's own tool where it belongs", () => {
  for (const discovers of [true, false])
    expect(sayUnknownTool("execute_actions", NAMES, discovers)).toMatch(
      /^'execute_actions' is called by itself, never as an action/,
    );
});
