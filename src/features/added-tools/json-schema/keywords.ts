import { type Check, isFlag, isJsonObject, isText, listOf, oneOf } from "../../../core/contract/json.ts";

/** Where schemas stand inside a keyword's value. */
export type Holds = "schema" | "list" | "map";

/** Keywords whose value is a schema, a list of them, or schemas by name (JSON Schema 2020-12, core and applicators). */
export const APPLICATORS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...keywords<Holds>("list", "allOf anyOf oneOf prefixItems"),
  ...keywords<Holds>("schema", "not if then else items contains propertyNames"),
  ...keywords<Holds>("schema", "additionalProperties unevaluatedProperties unevaluatedItems"),
  ...keywords<Holds>("map", "properties patternProperties dependentSchemas $defs definitions"),
]);

/** Give each of some keywords the same. */
function keywords<T>(of: T, words: string): [string, T][] {
  return words.split(" ").map((word) => [word, of]);
}

/** Keywords that say more of the same value: a schema that comes to itself by these alone never ends. */
export const IN_PLACE: ReadonlySet<string> = new Set(
  "allOf anyOf oneOf not if then else dependentSchemas".split(" "),
);

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const number: Check = (value) => typeof value === "number";
const names: Check = (value) => listOf(isText, { min: 0 })(value) && isDistinct(value as readonly unknown[]);

interface Rule {
  readonly check: Check;
  readonly expected: string;
}

/** The rule for the value of every other keyword (validation vocabulary). */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    "type",
    {
      check: (value) =>
        oneOf(...TYPES)(value) || (listOf(oneOf(...TYPES))(value) && isDistinct(value as readonly unknown[])),
      expected: `one of ${TYPES.join(", ")}, or a list of different ones of them`,
    },
  ],
  [
    "enum",
    { check: (value) => Array.isArray(value) && value.length > 0, expected: "a list of at least one value" },
  ],
  ["required", { check: names, expected: "a list of different names" }],
  ["pattern", { check: isText, expected: "a regular expression as text" }],
  ["uniqueItems", { check: isFlag, expected: "true or false" }],
  [
    "multipleOf",
    { check: (value) => number(value) && (value as number) > 0, expected: "a number greater than 0" },
  ],
  ...keywords({ check: number, expected: "a number" }, "minimum maximum exclusiveMinimum exclusiveMaximum"),
  ...keywords(
    { check: count, expected: "an integer of at least 0" },
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
  ),
  [
    "dependentRequired",
    {
      check: (value) => isJsonObject(value) && Object.values(value).every(names),
      expected: "an object of lists of different names",
    },
  ],
  ...keywords({ check: isText, expected: "text" }, "format title description $comment $anchor $schema"),
]);

/** Former keywords, and keywords that need more documents than this; and the replacement for each. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ["$dynamicRef", "Refer with '$ref' to a place inside this schema."],
  ["$recursiveRef", "Refer with '$ref' to a place inside this schema."],
  ["dependencies", "Write 'dependentRequired' or 'dependentSchemas'."],
  ["additionalItems", "Write 'items' for what follows 'prefixItems'."],
]);

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
