import { expect, test } from "vitest";

import { toolSchema } from "../../src/catalog/tool-schema.ts";
import { getOrder, searchOrders, sendReceipt } from "../support/sample-tools.ts";

test("toolSchema() describes the arguments as a caller sends them: a default is not required", () => {
  expect(toolSchema(searchOrders)).toEqual({
    type: "object",
    properties: {
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
    },
    required: ["query"],
    additionalProperties: false,
    "x-orchestration": { mode: "parallel-safe" },
  });
});

test("toolSchema() carries the whole contract under x-orchestration", () => {
  expect(toolSchema(getOrder)["x-orchestration"]).toEqual(getOrder.orchestration);
});

test("toolSchema() writes no $schema, which would be repeated in every tool", () => {
  expect(toolSchema(sendReceipt)).not.toHaveProperty("$schema");
});

test("toolSchema() writes each tool's schema once", () => {
  expect(toolSchema(searchOrders)).toBe(toolSchema(searchOrders));
});
