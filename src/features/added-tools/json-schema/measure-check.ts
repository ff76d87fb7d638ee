import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import type { Compiled } from "./compile-schema.ts";
import { stepsOf } from "./weigh-pattern.ts";

/** Steps of a search, and comparisons of plain values, that cost as much as one schema asked about one value. */
const STEPS_PER_CHECK = 256;

/** Checks that any arguments may take, about a microsecond each. */
const CHECKS = 3_000;
/** And as many more for each of the first values in them: a union of ten forms is asked about that often. */
const CHECKS_PER_VALUE = 10;
const FIRST_VALUES = 2_000;
/** For each value beyond those: long lists are of plain things. */
const CHECKS_PER_FURTHER_VALUE = 2;

/**
 * Whether checking a value by a schema takes no more work than it may: a schema can ask about each value twice as often at each
 * level (`allOf` of two references to itself), and no bound on either alone shows that. The count is never less than the
 * validator's work, as if it never stopped early, and counting stops at the bound.
 */
export function isBearable(compiled: Compiled, value: unknown): boolean {
  const values = countValues(value);
  const first = Math.min(values, FIRST_VALUES);
  const left = CHECKS + CHECKS_PER_VALUE * first + CHECKS_PER_FURTHER_VALUE * (values - first);
  const work: Work = { left };
  measure(compiled.document, value, compiled, work);
  return work.left >= 0;
}

interface Work {
  left: number;
}

/** The values that a value is made of, itself included. */
export function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) count += countValues(inner);
  return count;
}

function measure(schema: JsonObject, value: unknown, compiled: Compiled, work: Work): void {
  work.left -= weightOf(schema);
  if (work.left < 0) return;
  const again = (inner: unknown, of: unknown = value): void => {
    if (inner !== undefined && work.left >= 0) measure(inner as JsonObject, of, compiled, work);
  };
  const { $ref } = schema;
  if (typeof $ref === "string") again(compiled.defs[$ref.slice("#/$defs/".length)]);
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const)
    for (const inner of (schema[keyword] as readonly JsonObject[] | undefined) ?? []) again(inner);
  for (const keyword of ["not", "if", "then", "else"] as const) again(schema[keyword]);

  if (typeof value === "string") search(schema["pattern"], value, compiled, work);
  else if (Array.isArray(value)) measureList(schema, value, again, work);
  else if (isJsonObject(value)) measureObject(schema, value, { again, compiled, work });
}

type Again = (inner: unknown, of?: unknown) => void;

function measureList(schema: JsonObject, values: readonly unknown[], again: Again, work: Work): void {
  const { prefixItems, items, contains, unevaluatedItems, uniqueItems } = schema;
  const prefix = (prefixItems as readonly JsonObject[] | undefined) ?? [];
  if (uniqueItems === true) {
    // Every item is compared with every other, as far as they are the same.
    const sizes = values.map(countValues);
    const sum = sizes.reduce((total, size) => total + size, 0);
    work.left -= (values.length * sum) / STEPS_PER_CHECK;
  }
  for (const [at, value] of values.entries()) {
    if (work.left < 0) return;
    again(at < prefix.length ? prefix[at] : items, value);
    again(contains, value);
    again(unevaluatedItems, value);
  }
}

interface ObjectWork {
  readonly again: Again;
  readonly compiled: Compiled;
  readonly work: Work;
}

function measureObject(schema: JsonObject, value: JsonObject, { again, compiled, work }: ObjectWork): void {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties, propertyNames } =
    schema;
  const { dependentSchemas } = schema;
  const keys = Object.keys(value);
  work.left -= keys.length / 8;
  const patterns = Object.entries((patternProperties as JsonObject | undefined) ?? {});
  for (const inner of Object.values((dependentSchemas as JsonObject | undefined) ?? {})) again(inner);
  for (const key of keys) {
    if (work.left < 0) return;
    const isOwn = isJsonObject(properties) && Object.hasOwn(properties, key);
    if (isOwn) again(properties[key], value[key]);
    else again(additionalProperties, value[key]);
    again(unevaluatedProperties, value[key]);
    again(propertyNames, key);
    for (const [pattern, inner] of patterns) {
      search(pattern, key, compiled, work);
      again(inner, value[key]);
    }
  }
}

function search(pattern: unknown, text: string, { patterns }: Compiled, work: Work): void {
  const cost = typeof pattern === "string" ? patterns.get(pattern) : undefined;
  if (cost !== undefined) work.left -= stepsOf(cost, text.length) / STEPS_PER_CHECK;
}

const weights = new WeakMap<JsonObject, number>();

/** The cost of a schema by itself, whatever it is asked about: the values it names and how many schemas are in it. */
function weightOf(schema: JsonObject): number {
  let weight = weights.get(schema);
  if (weight === undefined) {
    const { enum: allowed, const: only, required, dependentRequired, properties, dependentSchemas } = schema;
    weight =
      1 +
      countValues([allowed, only, required, dependentRequired]) / 8 +
      (Object.keys(properties ?? {}).length + Object.keys(dependentSchemas ?? {}).length) / 8;
    weights.set(schema, weight);
  }
  return weight;
}
