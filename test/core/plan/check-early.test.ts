import fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool, type Tool } from "../../../src/core/catalog/define-tool.ts";
import { toInput } from "../../../src/features/added-tools/json-schema/to-input.ts";
import { parseArgs, refuseCertain } from "../../../src/core/catalog/parse-args.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import type { JsonObject } from "../../../src/core/contract/json.ts";
import { Pending } from "../../../src/core/contract/pending.ts";
import { describePlan } from "../../../src/core/plan/describe-plan.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import { declareTool } from "../../support/sample-tools.ts";
import { valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const zodInput = z.strictObject({
  id: z.string(),
  year: z.int().min(1900).optional(),
  tags: z.array(z.string()).max(2).optional(),
  kind: z.enum(["a", "b"]).default("a"),
  inner: z.strictObject({ n: z.number(), s: z.string().optional() }).optional(),
  either: z.union([z.strictObject({ x: z.number() }), z.strictObject({ y: z.string() })]).optional(),
  text: z.string().trim().pipe(z.string().min(1)).optional(),
});

const jsonInput = toInput({
  type: "object",
  required: ["id"],
  additionalProperties: false,
  properties: {
    id: { type: "string" },
    year: { type: "integer", minimum: 1900 },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    kind: { enum: ["a", "b"] },
    inner: { $ref: "#/$defs/inner" },
    either: {
      anyOf: [
        {
          type: "object",
          required: ["x"],
          additionalProperties: false,
          properties: { x: { type: "number" } },
        },
        {
          type: "object",
          required: ["y"],
          additionalProperties: false,
          properties: { y: { type: "string" } },
        },
      ],
    },
    text: { type: "string", not: { const: "" } },
  },
  $defs: {
    inner: {
      type: "object",
      required: ["n"],
      additionalProperties: false,
      properties: { n: { type: "number" }, s: { type: "string" } },
    },
  },
});

const source = defineTool(declareTool({ name: "source", input: z.looseObject({}) }));
const toolOf = (input: z.core.$ZodType, changes: object = {}): Tool =>
  defineTool({ ...declareTool({ name: "sink", input }), ...changes });

interface Asked {
  readonly args: unknown;
  readonly for_each?: unknown;
  readonly on_error?: string;
}

function dryRun({ args, for_each, on_error = "partial-success" }: Asked, tool: Tool) {
  const actions = [
    { id: "a", tool: "source" },
    { id: "sink", tool: "sink", args, ...(for_each !== undefined && { for_each }) },
  ];
  const batch = valueOf(parseBatch({ actions, on_error }, 0));
  return describePlan(valueOf(makePlan(batch, createCatalog([source, tool]))));
}

const REF = { $ref: "a#/v" };
const TEXT = { $template: "{{a#/v}}" };

describe.each([
  ["Zod", toolOf(zodInput)],
  ["JSON Schema", toolOf(jsonInput)],
])("an action with references, by a schema of %s,", (_, tool) => {
  test.each([
    ["a field that does not exist", { id: REF, yaer: 2020 }, "/args/yaer"],
    ["a required field that is missing", { year: REF }, "/args/id"],
    ["a literal of the wrong type", { id: REF, year: "2020" }, "/args/year"],
    ["a literal out of bounds", { id: REF, year: 3 }, "/args/year"],
    ["a literal inside a list with a reference", { id: "1", tags: [REF, 5] }, "/args/tags/1"],
    ["more elements than there may be", { id: "1", tags: [REF, "b", "c"] }, "/args/tags"],
    ["a misspelt field further in", { id: "1", inner: { n: REF, t: "" } }, "/args/inner/t"],
    ["a missing field further in", { id: "1", inner: { s: REF } }, "/args/inner/n"],
    ["an object where text is asked for", { id: { deep: REF } }, "/args/id"],
    ["text of a template where a number is", { id: "1", year: { $template: "the {{a#/v}}" } }, "/args/year"],
    ["text of a template where only other text is", { id: REF, kind: { $literal: "c" } }, "/args/kind"],
    ["what fits no form", { id: "1", either: { z: REF } }, "/args/either"],
    ["text of a template as all arguments", TEXT, "/args"],
  ])("is wrong to begin with where there is %s", (_what, args, path) => {
    const { errors } = dryRun({ args }, tool);
    expect(errors.map(({ id, error }) => [id, error.code])).toEqual([["sink", "INVALID_ARGS"]]);
    expect(errors[0]!.error.issues![0]!.path).toBe(path);
  });

  test.each<[string, unknown]>([
    ["a reference anywhere", { id: REF, year: REF, tags: REF, inner: REF, either: REF, text: REF }],
    ["references inside", { id: "1", tags: [REF, "b"], inner: { n: REF }, either: { y: REF } }],
    ["templates where text is asked for", { id: TEXT, kind: TEXT, either: { y: TEXT }, text: TEXT }],
    ["a null that is as if absent", { id: REF, year: null, inner: { n: REF, s: null } }],
    ["a reference as all arguments", REF],
  ])("may be right with %s", (_what, args) => {
    expect(dryRun({ args }, tool).errors).toEqual([]);
  });
});

test("a template of one reference may be the digits of an integer beyond 2^53, where data says that there is a number", () => {
  const args = { id: "1", year: TEXT };
  expect(dryRun({ args }, toolOf(jsonInput)).errors).toEqual([]);
  expect(dryRun({ args }, toolOf(zodInput)).errors).toHaveLength(1);
});

test("a template where a number is asked for is told the reference that gives the number", () => {
  const { errors } = dryRun({ args: { id: "1", year: TEXT } }, toolOf(zodInput));
  expect(errors[0]!.error.hint).toBe(
    '/args/year must be a number, received the text of a $template. A $template always makes text; {"$ref":"a#/v"} stands for the value itself.',
  );
  expect(dryRun({ args: { id: "1", year: { $ref: "a#/v" } } }, toolOf(zodInput)).errors).toEqual([]);
});

test("nothing starts under fail-fast beside an action that is certain to be wrong", () => {
  const { plan, errors } = dryRun({ args: { id: REF, yaer: 1 }, on_error: "fail-fast" }, toolOf(zodInput));
  expect(plan.waves).toEqual([]);
  expect(errors).toHaveLength(1);
});

describe("a loop over elements that are written out", () => {
  const args = { id: "1", year: { $ref: "item#" } };
  const reads = toolOf(zodInput);
  const writes = toolOf(zodInput, { isWrite: true });

  test("lists an element that is wrong, and runs the others of a read", () => {
    const { errors, plan } = dryRun({ args, for_each: [2020, "x", 2021] }, reads);
    expect(errors[0]!.error.hint).toMatch(/^In element 1 of for_each: \/args\/year must be a number/);
    expect(plan.waves).toEqual([["a", "sink"]]);
  });

  test.each([
    ["of a write", writes, "partial-success", [2020, "x"]],
    ["of a batch that fails fast", reads, "fail-fast", [2020, "x"]],
    ["when each is wrong", reads, "partial-success", ["y", "x"]],
  ])("does not run at all %s", (_, tool, on_error, for_each) => {
    const { errors, plan } = dryRun({ args, for_each, on_error }, tool);
    expect(errors.map(({ id }) => id)).toEqual(["sink"]);
    expect(plan.waves.flat()).not.toContain("sink");
  });

  test("is wrong where an element lacks what the arguments refer to", () => {
    const { errors } = dryRun({ args: { id: { $ref: "item#/idd" } }, for_each: [{ id: "1" }] }, reads);
    expect(errors[0]!.error).toMatchObject({ code: "BAD_REFERENCE" });
    expect(errors[0]!.error.hint).toContain('the similar keys "id"');
  });

  test("may be right with references in its elements", () => {
    expect(dryRun({ args, for_each: [REF, 2020] }, reads).errors).toEqual([]);
  });
});

describe("what is only known with all values", () => {
  const refined = z
    .strictObject({ low: z.number(), high: z.number() })
    .refine(({ low, high }) => low < high, { path: ["low"] });
  const transformed = z.strictObject({
    n: z.coerce.number(),
    when: z.preprocess((value) => String(value), z.string()),
    list: z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat()),
    caught: z.number().catch(0),
  });
  const both = z.strictObject({ a: z.string() }).and(z.strictObject({ b: z.number() }));

  test.each<[string, z.ZodType, unknown]>([
    ["a rule over several fields", refined, { low: 9, high: REF }],
    ["what coercion makes of text", transformed, { n: TEXT, when: REF, list: [REF], caught: { x: REF } }],
    ["fields that the other side knows", both, { a: "1", b: REF }],
  ])("is not refused before: %s", (_, input, args) => {
    expect(dryRun({ args }, toolOf(input as z.ZodObject)).errors).toEqual([]);
  });
});

/** Mostly what the schemas ask for, so that most samples fit one of them. */
const anyOf = (...values: readonly unknown[]) => fc.constantFrom<unknown>(...values);
const near = fc.record(
  {
    id: anyOf("a", "1", ""),
    year: anyOf(1900, 2020, null, "2020"),
    tags: fc.oneof(fc.array(anyOf("a", "b"), { maxLength: 2 }), anyOf(null, "a")),
    kind: anyOf("a", "b", null),
    inner: fc.record({ n: anyOf(1, 0.5), s: anyOf("a", null) }, { requiredKeys: ["n"] }),
    either: fc.oneof(fc.record({ x: anyOf(1, 2) }), fc.record({ y: anyOf("a", "") })),
    text: anyOf("a", " b ", null),
  },
  { requiredKeys: ["id"] },
);

/** Put something pending in the places that the choices name: text only where there is text. */
function hide(value: unknown, choices: Iterator<number>): unknown {
  const choice = choices.next().value as number;
  if (choice === 0) return Pending.value;
  if (choice === 1 && typeof value === "string") return Pending.text(null);
  if (Array.isArray(value)) return value.map((inner) => hide(inner, choices));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hide(inner, choices)]));
}

trial.each([
  ["Zod", toolOf(zodInput)],
  ["JSON Schema", toolOf(jsonInput)],
])("what fits a schema of %s is never refused while parts of it are pending", (_, tool) => {
  fc.assert(
    fc.property(near, fc.infiniteStream(fc.nat({ max: 4 })), (args, choices) => {
      fc.pre(parseArgs(tool, args).ok);
      const hidden = Object.fromEntries(
        Object.entries(args).map(([key, inner]) => [key, hide(inner, choices)]),
      ) as JsonObject;
      expect(refuseCertain(tool, hidden)).toBeNull();
    }),
    { numRuns: 300 },
  );
});
