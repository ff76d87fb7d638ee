import { expect, test } from "vitest";

import type { Declaration } from "../../../../src/features/added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../../../src/features/added-tools/declared/parse-declaration.ts";
import { toTool } from "../../../../src/features/added-tools/declared/to-tool.ts";
import { parseArgs } from "../../../../src/core/catalog/parse-args.ts";
import { toolSchema } from "../../../../src/core/catalog/tool-schema.ts";
import { FakeToolContext } from "../../../support/fake-tool-context.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { declareCustomers, RULES } from "../../../support/sample-declarations.ts";

function makeTool(changes: Partial<Declaration> = {}): ReturnType<typeof toTool> {
  return toTool(valueOf(parseDeclaration(declareCustomers(changes), RULES)), { secrets: RULES.secrets });
}

test("toTool() makes a tool that is called with what was declared", async () => {
  const tool = makeTool();
  const ctx = new FakeToolContext(tool, {
    answer: () => Response.json({ data: { items: [{ id: 1 }] } }),
    secrets: { CRM_TOKEN: "s3cr3t" },
  });

  const data = await tool.run({ region: "eu north", email: "a@b.c", limit: 5 }, ctx);

  expect(data).toEqual([{ id: 1 }]);
  expect(ctx.requests).toHaveLength(1);
  expect(ctx.requests[0]!.url.href).toBe(
    "https://api.example.com/eu%20north/customers?email=a%40b.c&limit=5",
  );
  expect(Object.fromEntries(ctx.requests[0]!.headers)).toEqual({
    "accept-version": "2",
    authorization: "Bearer s3cr3t",
  });
});

test("toTool() shows the schema as it was declared, with the contract", () => {
  const { input_schema: schema, orchestration } = declareCustomers();
  expect(toolSchema(makeTool())).toEqual({
    ...schema,
    "x-orchestration": { ...orchestration, on_error: "partial-success", confirm: "never" },
  });
});

test("toTool() checks arguments by the declared schema", () => {
  expect(parseArgs(makeTool(), { email: "a@b.c" })).toEqual({ ok: true, value: { email: "a@b.c" } });
  expect(parseArgs(makeTool(), { limit: 5 }).ok).toBe(false);
});
