import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";

import { checkSchema } from "../../src/features/added-tools/json-schema/check-schema.ts";
import { toInput } from "../../src/features/added-tools/json-schema/to-input.ts";
import { type Fuzz, lookAt } from "./fuzz.ts";

type Json = Readonly<Record<string, unknown>>;

const names = fc.constantFrom("a", "b", "c", "ab", "x-y", "é");
const scalars = fc.oneof(
  fc.constantFrom("", "a", "ab", "aé", "2026-11-22", "😀", "12"),
  fc.constantFrom(0, 1, 2, -1, 1.5, 3, 10, 1e21, 0.1),
  fc.boolean(),
  fc.constant(null),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const small = fc.nat(3);
const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];
const patterns = fc.constantFrom("^a", "b$", "^[a-z]+$", "é", "^.{2}$", "\\d", "^(a|b)*$", "[^a]", "^$");

/** Schemas of every keyword that is taken, alone and together, nested and with references. */
const schemas = fc.letrec<{ schema: unknown; keywords: Json }>((tie) => {
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
  const map = fc.dictionary(names, tie("schema"), { maxKeys: 3 });
  const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      { weight: 1, arbitrary: fc.constantFrom(true, {}, { $ref: "#/$defs/d" }, { type: "string" }) },
      { weight: 1, arbitrary: fc.constant(false) },
      { weight: 8, arbitrary: tie("keywords") },
    ),
    keywords: fc
      .record({
        type: some(
          fc.oneof(
            fc.constantFrom(...TYPES),
            fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }),
          ),
        ),
        enum: some(
          fc.uniqueArray(values, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
        ),
        const: some(values),
        minLength: some(small),
        maxLength: some(small),
        pattern: some(patterns),
        minimum: some(fc.integer({ min: -2, max: 4 })),
        maximum: some(fc.integer({ min: -2, max: 4 })),
        exclusiveMinimum: some(small),
        exclusiveMaximum: some(small),
        multipleOf: some(fc.constantFrom(1, 2, 0.5)),
        minItems: some(small),
        maxItems: some(small),
        uniqueItems: some(fc.boolean()),
        items: some(tie("schema")),
        prefixItems: some(list),
        contains: some(tie("schema")),
        minContains: some(small),
        maxContains: some(small),
        properties: some(map),
        required: some(fc.uniqueArray(names, { maxLength: 2 })),
        additionalProperties: some(tie("schema")),
        patternProperties: some(fc.dictionary(patterns, tie("schema"), { maxKeys: 2 })),
        propertyNames: some(tie("schema")),
        minProperties: some(small),
        maxProperties: some(small),
        dependentRequired: some(
          fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
        ),
        dependentSchemas: some(fc.dictionary(names, tie("schema"), { maxKeys: 2 })),
        allOf: some(list),
        anyOf: some(list),
        oneOf: some(list),
        not: some(tie("schema")),
        unevaluatedProperties: some(tie("schema")),
        unevaluatedItems: some(tie("schema")),
        if: some(tie("schema")),
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword
        then: some(tie("schema")),
        else: some(tie("schema")),
      })
      .map((keywords) =>
        Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined)),
      ),
  };
});

/** The compiler of tools' schemas, against a validator written for conformance. */
export const SCHEMAS: Fuzz = {
  title: "schemas",
  runs: 60_000,
  async look(how) {
    const counts = { refused: 0, fits: 0, misfits: 0, tooLong: 0 };
    const found = await lookAt(
      fc.asyncProperty(
        schemas.keywords,
        schemas.schema,
        fc.array(fc.dictionary(names, values, { maxKeys: 4 }), { minLength: 3, maxLength: 6 }),
        async (keywords, definition, inputs) => {
          const schema = JSON.parse(
            JSON.stringify({ ...keywords, type: "object", $defs: { d: definition } }),
          ) as Json;
          let isWrong = false;
          checkSchema(schema, () => (isWrong = true));
          if (isWrong) {
            counts.refused += 1;
            return;
          }
          // As they come from a request: plain objects.
          const values = inputs.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
          const verdicts = await judgeBy(schema, values);
          const input = toInput(schema);
          for (const [index, value] of values.entries()) {
            const expected = verdicts[index]!;
            const { success, error } = input.safeParse(value);
            // A bound: such a schema could take longer than a request may.
            if (error?.issues[0]?.message.includes("too long to check") === true) {
              counts.tooLong += 1;
              continue;
            }
            counts[expected ? "fits" : "misfits"] += 1;
            if (success !== expected)
              throw new Error(`${JSON.stringify(value)} fits: ${success}, says the judge: ${expected}`);
          }
        },
      ),
      how,
    );
    how.tell(JSON.stringify(counts));
    return found;
  },
};

/** Every schema is registered anew: what is kept of one would be found for the next. */
async function judgeBy(schema: Json, inputs: readonly unknown[]): Promise<readonly boolean[]> {
  const id = `https://fuzz.example/${(judged += 1)}`;
  registerSchema(schema as never, id, "https://json-schema.org/draft/2020-12/schema");
  const check = await validate(id);
  const verdicts = inputs.map((value) => check(value as never).valid);
  unregisterSchema(id);
  return verdicts;
}

let judged = 0;
