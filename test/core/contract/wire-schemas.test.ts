import { expect, test } from "vitest";
import * as z from "zod";

import {
  envelopeSchema,
  executionSchema,
  metaSchema,
  resultSchema,
  statsSchema,
  summarySchema,
} from "../../../src/core/answer/result-schema.ts";
import { actionSchema } from "../../../src/core/contract/action.ts";
import { batchForm } from "../../../src/core/contract/batch.ts";
import { failureSchema } from "../../../src/core/contract/failure.ts";
import { jobSchema } from "../../../src/core/contract/gate/job-json.ts";
import {
  confirmationSchema,
  listedConfirmationSchema,
} from "../../../src/features/confirmations/wire-confirmation.ts";
import { orchestrationSchema } from "../../../src/core/contract/orchestration.ts";
import { pendingSchema, truncationSchema } from "../../../src/core/contract/outcome.ts";
import { problemSchema } from "../../../src/core/contract/refusal.ts";

type JsonSchema = { readonly [name: string]: unknown };

const WIRE = {
  action: actionSchema,
  batch: batchForm.schema,
  confirmation: confirmationSchema,
  envelope: envelopeSchema,
  execution: executionSchema,
  failure: failureSchema,
  job: jobSchema,
  "listed confirmation": listedConfirmationSchema,
  meta: metaSchema,
  orchestration: orchestrationSchema,
  "pending confirmation": pendingSchema,
  problem: problemSchema,
  result: resultSchema,
  stats: statsSchema,
  summary: summarySchema,
  truncation: truncationSchema,
} as const;

const names = Object.keys(WIRE) as (keyof typeof WIRE)[];

const toWritten = (name: keyof typeof WIRE): JsonSchema => z.toJSONSchema(WIRE[name](), { io: "input" });

/** Shares of time, an estimate, and statuses of HTTP. */
const UNBOUNDED = new Set([
  "speedup",
  "estimated_speedup",
  "estimated_tokens",
  "status",
  "last_status",
  "upstream_status",
]);

/** Every schema in a schema, with the name of the property that it is of. */
function walk(schema: unknown, name = ""): { name: string; schema: JsonSchema }[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((one) => walk(one, name));
  const own = schema as JsonSchema;
  const named = ["properties", "$defs"].flatMap((key) =>
    Object.entries(own[key] ?? {}).flatMap(([inner, one]) => walk(one, inner)),
  );
  const parts = ["items", "anyOf", "oneOf", "allOf"].flatMap((key) => walk(own[key], name));
  return [{ name, schema: own }, ...named, ...parts];
}

test.each(names)(
  "In %s every object says its properties, has no others, and no description is empty",
  (written) => {
    for (const { name, schema: one } of walk(toWritten(written))) {
      if (one["type"] === "object" && one["propertyNames"] === undefined) {
        expect(Object.keys(one["properties"] ?? {}), name).not.toEqual([]);
        expect(one["additionalProperties"], name).toBe(false);
      }
      if ("description" in one) expect(one["description"], name).toMatch(/\p{L}{2,}/u);
      if ("enum" in one) expect(one["enum"], name).not.toEqual([]);
    }
  },
);

test.each(names)("In %s every count and every time has its bound below", (written) => {
  for (const { name, schema: one } of walk(toWritten(written))) {
    if (one["type"] !== "integer" && one["type"] !== "number") continue;
    if (UNBOUNDED.has(name)) continue;
    expect([0, 1], name).toContain(one["minimum"]);
    expect(one["maximum"] ?? 1, name).toBeGreaterThan(0);
  }
});

test("The schemas that documents refer to have their names", () => {
  const own = Object.values(WIRE).flatMap((schema) => z.globalRegistry.get(schema())?.id ?? []);
  const inside = names.flatMap((name) => Object.keys(toWritten(name)["$defs"] ?? {}));
  expect([...new Set([...own, ...inside])].toSorted()).toEqual([
    "Confirmation",
    "Contract",
    "DecidedBy",
    "DryRun",
    "Envelope",
    "Execution",
    "Failure",
    "Issue",
    "Job",
    "ListedConfirmation",
    "Problem",
    "RequestedBy",
    "Result",
    "ResultMeta",
  ]);
});
