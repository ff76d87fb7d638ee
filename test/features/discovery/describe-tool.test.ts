import { expect, test } from "vitest";

import { describeTool } from "../../../src/features/discovery/discover-tools.ts";
import { searchOrders, sendReceipt } from "../../support/sample-tools.ts";

test("describeTool() gives the properties, the whole schema and the contract", () => {
  const properties = {
    query: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
  };
  expect(describeTool(searchOrders)).toEqual({
    name: "search_orders",
    description: "Find orders by what was bought; gives their ids.",
    parameters: properties,
    required: ["query"],
    is_write: false,
    input_schema: {
      type: "object",
      properties,
      required: ["query"],
      additionalProperties: false,
      "x-orchestration": { mode: "parallel-safe", on_error: "partial-success", confirm: "never" },
    },
    "x-orchestration": { mode: "parallel-safe", on_error: "partial-success", confirm: "never" },
  });
});

test("describeTool() says so when nothing is required", () => {
  expect(describeTool(sendReceipt)).toMatchObject({ required: [], is_write: true });
});
