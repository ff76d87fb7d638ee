import { dereference, validate } from "@cfworker/json-schema";
import type * as z from "zod/mini";

import { isJsonObject, type JsonObject, Pending } from "../../../feature/schema.ts";
import { findOpen } from "../../../core/contract/pending.ts";
import { runLeniently } from "../../../core/contract/run-schema.ts";
import type { Compiled } from "./compile-schema.ts";
import { translateErrors } from "./translate-errors.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

type RawIssue = z.core.$ZodRawIssue;

/** The validator's look-up of schemas, made once for each compiled schema. */
const lookups = new WeakMap<Compiled, Lookup>();
type Lookup = ReturnType<typeof dereference>;

/** Keywords about an object that do not look at what its fields hold; and those that a null left out changes nothing of. */
const OF_FIELDS = [
  "type",
  "required",
  "minProperties",
  "maxProperties",
  "propertyNames",
  "dependentRequired",
] as const;
const OF_FIELDS_WITH_NULL = ["type", "required"] as const;
/** The same about a list. */
const OF_ITEMS = ["type", "minItems", "maxItems"] as const;

/** A schema, and the way to it as the validator writes it. */
interface Asked {
  readonly schema: JsonObject;
  readonly at: string;
}

/**
 * Find what is wrong with a value whatever becomes of what is pending in it, by a schema that is compiled. The demands of `not`,
 * `if`, `contains`, `uniqueItems` and `unevaluated…` on a value with something pending inside are not certain, so they are not
 * checked.
 */
export function findCertain(compiled: Compiled, value: unknown): readonly RawIssue[] {
  const lookup = getOrMake(lookups, compiled, () => dereference(compiled.document));
  return new Finder(compiled, lookup, findOpen(value)).find({ schema: compiled.document, at: "#" }, value);
}

class Finder {
  readonly #compiled: Compiled;
  readonly #lookup: Lookup;
  readonly #open: ReadonlySet<unknown>;

  constructor(compiled: Compiled, lookup: Lookup, open: ReadonlySet<unknown>) {
    this.#compiled = compiled;
    this.#lookup = lookup;
    this.#open = open;
  }

  /** Recursion is safe: a schema that comes back to itself does so with a part of the value only. */
  find(asked: Asked, value: unknown): readonly RawIssue[] {
    if (!(value instanceof Pending) && !this.#open.has(value))
      return runLeniently((inner) => ({ value: inner, issues: this.#ask(asked, inner) }), value).issues;
    const { schema, at } = asked;
    const { $ref } = schema;
    const referred =
      typeof $ref === "string" ? this.#compiled.defs[$ref.slice("#/$defs/".length)] : undefined;
    return [
      ...(referred === undefined ? [] : this.find({ schema: referred, at: `${at}/$ref` }, value)),
      ...innerOf(asked, "allOf").flatMap((inner) => this.find(inner, value)),
      ...this.#findInForms(innerOf(asked, "anyOf"), value),
      ...this.#findInForms(innerOf(asked, "oneOf"), value),
      ...this.#findHere(asked, value as object),
    ];
  }

  #findHere(asked: Asked, value: object): readonly RawIssue[] {
    if (value instanceof Pending)
      // Text of many digits is a number where one is asked for.
      return value.isText && !(value.isAlone && isNumeric(asked.schema)) ? this.#askKind(asked, "") : [];
    if (!Array.isArray(value)) {
      const kind = this.#askKind(asked, {});
      return kind.length > 0 ? kind : this.#findInFields(asked, value as JsonObject);
    }
    const kind = this.#askKind(asked, []);
    if (kind.length > 0) return kind;
    const prefix = innerOf(asked, "prefixItems");
    const items = innerOf(asked, "items");
    return [
      ...this.#askSome(asked, OF_ITEMS, value),
      ...value.flatMap((inner: unknown, index) => {
        const [by] = index < prefix.length ? [prefix[index]] : items;
        return by === undefined ? [] : under(index, this.find(by, inner));
      }),
    ];
  }

  #findInFields(asked: Asked, fields: JsonObject): readonly RawIssue[] {
    const { schema, at } = asked;
    const { properties, patternProperties, additionalProperties, required, dependentSchemas } = schema;
    const issues: RawIssue[] = [];
    const isSparse = Object.values(fields).includes(null);
    issues.push(...this.#askSome(asked, isSparse ? OF_FIELDS_WITH_NULL : OF_FIELDS, fields));
    for (const [key, inner] of Object.entries(fields)) {
      const isNamed = isJsonObject(properties) && Object.hasOwn(properties, key);
      const patterns = Object.keys((patternProperties as JsonObject | undefined) ?? {}).filter((pattern) =>
        new RegExp(pattern, "u").test(key),
      );
      const isOther = !isNamed && patterns.length === 0 && isJsonObject(additionalProperties);
      if (isOther && takesNothing(additionalProperties)) {
        issues.push({ code: "unrecognized_keys", keys: [key], path: [], input: fields });
        continue;
      }
      const asking: Asked[] = [
        ...(isNamed ? [inside(asked, "properties", key)] : []),
        ...patterns.map((pattern) => inside(asked, "patternProperties", pattern)),
        ...(isOther ? [{ schema: additionalProperties, at: `${at}/additionalProperties` }] : []),
      ];
      const found = asking.flatMap((by) => this.find(by, inner));
      const mayGo = inner === null && !(Array.isArray(required) && required.includes(key));
      if (!mayGo) issues.push(...under(key, found));
      if (inner !== null && isJsonObject(dependentSchemas) && Object.hasOwn(dependentSchemas, key))
        issues.push(...this.find(inside(asked, "dependentSchemas", key), fields));
    }
    return issues;
  }

  #findInForms(forms: readonly Asked[], value: unknown): readonly RawIssue[] {
    const found: RawIssue[][] = [];
    for (const form of forms) {
      const issues = this.find(form, value);
      if (issues.length === 0) return [];
      found.push([...issues]);
    }
    if (found.length === 0) return [];
    const errors = found as z.core.$ZodIssue[][];
    return [{ code: "invalid_union", path: [], errors, message: "Invalid input", input: value }];
  }

  /** The check of any value of a kind: its type, and whether only other values are allowed. */
  #askKind(asked: Asked, sample: unknown): readonly RawIssue[] {
    const { schema } = asked;
    if (takesNothing(schema)) return this.#ask({ ...asked, schema: { not: schema["not"] } }, sample);
    const allowed = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
    const isNoneOfIts = Array.isArray(allowed) && !allowed.some((value) => kindOf(value) === kindOf(sample));
    const wrong = this.#askSome(asked, ["type"], sample);
    return wrong.length > 0 || !isNoneOfIts ? wrong : this.#askSome(asked, ["const", "enum"], sample);
  }

  #askSome(asked: Asked, keywords: readonly string[], value: unknown): readonly RawIssue[] {
    const some = keywords.filter((keyword) => Object.hasOwn(asked.schema, keyword));
    if (some.length === 0) return [];
    const schema = Object.fromEntries(some.map((keyword) => [keyword, asked.schema[keyword]]));
    return this.#ask({ ...asked, schema }, value);
  }

  #ask({ schema, at }: Asked, value: unknown): readonly RawIssue[] {
    const { errors } = validate(value, schema, "2020-12", this.#lookup, false, null, "#", at);
    return translateErrors(errors, this.#compiled);
  }
}

function innerOf(
  { schema, at }: Asked,
  keyword: "allOf" | "anyOf" | "oneOf" | "prefixItems" | "items",
): Asked[] {
  const value = schema[keyword];
  if (isJsonObject(value)) return [{ schema: value, at: `${at}/${keyword}` }];
  if (!Array.isArray(value)) return [];
  return (value as readonly JsonObject[]).map((inner, index) => ({
    schema: inner,
    at: `${at}/${keyword}/${index}`,
  }));
}

function inside({ schema, at }: Asked, keyword: string, name: string): Asked {
  const inner = (schema[keyword] as Readonly<Record<string, JsonObject>>)[name]!;
  const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return { schema: inner, at: `${at}/${keyword}/${encodeURIComponent(token)}` };
}

/** How `false` is compiled. */
function takesNothing({ not }: JsonObject): boolean {
  return isJsonObject(not) && Object.keys(not).length === 0;
}

function isNumeric({ type }: JsonObject): boolean {
  return [type].flat().some((one) => one === "integer" || one === "number");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function under(key: PropertyKey, issues: readonly RawIssue[]): RawIssue[] {
  return issues.map((issue) => ({ ...issue, path: [key, ...(issue.path ?? [])] }));
}
