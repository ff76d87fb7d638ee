import { expect, test } from "vitest";

import { isFlow } from "../../../../src/core/contract/gate/kept-tool.ts";

test("isFlow() knows a flow by the field that no declaration of a tool has", () => {
  expect(isFlow({ json: '{"flow":{}}' })).toBe(true);
  expect(isFlow({ json: '{"name":"flow"}' })).toBe(false);
});
