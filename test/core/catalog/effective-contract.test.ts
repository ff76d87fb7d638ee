import { expect, test } from "vitest";

import { effectiveContract } from "../../../src/core/catalog/tool-schema.ts";
import { deleteOrder, searchOrders } from "../../support/sample-tools.ts";

test.each([
  ["a read", searchOrders, { on_error: "partial-success", confirm: "never" }],
  ["a write that deletes", deleteOrder, { on_error: "fail-fast", confirm: "always" }],
])("effectiveContract() says of %s what the engine obeys, and all that was declared", (_, tool, filled) => {
  expect(effectiveContract(tool)).toEqual({ ...tool.orchestration, ...filled });
});
