import * as z from "zod";
import { expect, test } from "vitest";

import { listArguments } from "../../../src/core/catalog/verifier.ts";
import { toInput } from "../../../src/features/added-tools/json-schema/to-input.ts";
import { inputSchema } from "../../../src/core/catalog/tool-schema.ts";
import { SHIPPED_TOOLS } from "../../../src/tools/shipped-tools.ts";

const FIELDS = z.strictObject({
  a: z.string(),
  b: z.int().default(1),
  c: z.string().nullish(),
  d: z.unknown(),
});

test.each<[string, z.core.$ZodType]>([
  ...SHIPPED_TOOLS.map(({ name, input }): [string, z.core.$ZodType] => [name, input]),
  ["an object", FIELDS],
  ["a read-only object", FIELDS.readonly()],
  ["an object that is transformed", FIELDS.transform(({ a }) => a)],
  ["a record", z.record(z.string(), z.number())],
  ["two objects", z.intersection(FIELDS, z.object({ e: z.string() }))],
  [
    "a JSON Schema",
    toInput({ type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] }),
  ],
  ["a JSON Schema without properties", toInput({ type: "object" })],
])("the arguments of %s are those of its JSON Schema", (_, input) => {
  const { properties = {}, required = [] } = inputSchema({ name: "tool", input });
  const { taken, needed } = listArguments(input);
  expect([Object.keys(taken), needed]).toEqual([Object.keys(properties as object), required]);
});
