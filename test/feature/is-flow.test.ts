import { expect, test } from "vitest";

import { isFlow } from "../../src/feature/tool.ts";

test("isFlow() knows a flow by the field that no declaration of a tool has", () => {
  expect(isFlow({ json: '{"flow":{}}' })).toBe(true);
  expect(isFlow({ json: '{"name":"flow"}' })).toBe(false);
});
