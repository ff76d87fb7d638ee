import { expect, test } from "vitest";

import { toTool } from "../../../../src/features/added-tools/declared/to-tool.ts";
import { parseArgs } from "../../../../src/core/catalog/parse-args.ts";
import { declareCustomers } from "../../../support/sample-declarations.ts";
import { errorOf } from "../../../support/unwrap.ts";

test("A value that fits no form of a choice inside a choice is INVALID_ARGS that names it", () => {
  const choice = { anyOf: [{ type: "string" }, { anyOf: [{ type: "integer" }, { type: "null" }] }] };
  const input_schema = { type: "object", properties: { email: choice } };
  const http = { method: "GET", url: "https://api.example.com/customers" } as const;
  const tool = toTool(declareCustomers({ input_schema, http }), { secrets: null });

  expect(errorOf(parseArgs(tool, { email: [] }))).toMatchObject({
    code: "INVALID_ARGS",
    issues: [{ path: "/args/email", received: "an array of 0" }],
  });
});
