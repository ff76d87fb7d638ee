import type * as z from "zod/mini";

import { finalize } from "../contract/issues.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import { findOpen, Pending } from "../contract/pending.ts";
import { runSchema } from "../contract/run-schema.ts";

type RawIssue = z.core.$ZodRawIssue;
type Schema = z.core.$ZodType;

/** A schema that knows by itself what is certain to be wrong, because it is not made of Zod's parts. */
export interface KnowsCertain {
  findCertain(value: unknown): readonly RawIssue[];
}

/**
 * Find what is wrong with a value whatever becomes of what is pending in it: fields that do not exist, required ones that are
 * not there, and every part in which nothing is pending.
 *
 * Nothing that could still be right is told. So a rule over a value with something pending inside is not asked, nor what a
 * transformation makes of it, and of several forms each has to be certain to be wrong.
 */
export function findCertain(schema: Schema, value: unknown): readonly RawIssue[] {
  return "findCertain" in schema
    ? (schema as Schema & KnowsCertain).findCertain(value)
    : new Finder(findOpen(value)).find(schema, value);
}

class Finder {
  /** Objects and arrays with something pending inside. */
  readonly #open: ReadonlySet<unknown>;

  constructor(open: ReadonlySet<unknown>) {
    this.#open = open;
  }

  find(schema: Schema, value: unknown): readonly RawIssue[] {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (!(value instanceof Pending) && !this.#open.has(value)) return runSchema(schema, value).issues;
    switch (def.type) {
      case "optional":
      case "nullable":
      case "nonoptional":
      case "default":
      case "prefault":
      case "readonly":
        return this.find(def.innerType, value);
      case "lazy":
        return this.find(def.getter(), value);
      case "pipe":
        return this.find(def.in, value);
      case "union":
        return this.#findInForms(formsOf(def, value, this.#open), value);
      case "intersection":
        return [...this.find(def.left, value), ...this.find(def.right, value)].filter(
          // Each side may know the fields of the other.
          ({ code, path = [] }) => code !== "unrecognized_keys" || path.length > 0,
        );
      case "any":
      case "unknown":
      case "custom":
      case "transform":
      case "catch":
      case "success":
      case "promise":
        return [];
      default:
        return value instanceof Pending ? misfitOf(schema, value) : this.#findInside(schema, value as object);
    }
  }

  #findInForms(forms: readonly Schema[], value: unknown): readonly RawIssue[] {
    const found: (readonly RawIssue[])[] = [];
    for (const form of forms) {
      const issues = this.find(form, value);
      if (issues.length === 0) return [];
      found.push(issues);
    }
    if (found.length === 1) return found[0]!;
    const errors = found.map((issues) => [...finalize(issues)]);
    return [{ code: "invalid_union", path: [], errors, input: value }];
  }

  #findInside(schema: Schema, value: object): readonly RawIssue[] {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (Array.isArray(value)) {
      if (def.type === "array")
        return [
          ...lengthIssues(def, value),
          ...value.flatMap((inner, at) => prefix(at, this.find(def.element, inner))),
        ];
      if (def.type === "tuple") return this.#findInTuple(def, value);
      return kindIssues(schema, []);
    }
    const fields = value as JsonObject;
    if (def.type === "object") return this.#findInObject(def, fields);
    if (def.type === "record")
      return Object.entries(fields).flatMap(([key, inner]) =>
        inner === null ? [] : prefix(key, this.find(def.valueType, inner)),
      );
    return kindIssues(schema, {});
  }

  #findInTuple({ items, rest }: z.core.$ZodTupleDef, values: readonly unknown[]): readonly RawIssue[] {
    const bound = (code: "too_small" | "too_big", count: number): RawIssue =>
      ({
        code,
        origin: "array",
        inclusive: true,
        ...(code === "too_small" ? { minimum: count } : { maximum: count }),
        input: values,
        path: [],
      }) as RawIssue;
    const needed = items.findLastIndex(({ _zod }) => _zod.optin === undefined) + 1;
    if (values.length < needed) return [bound("too_small", needed)];
    if (values.length > items.length && rest === null) return [bound("too_big", items.length)];
    return values.flatMap((inner, at) => prefix(at, this.find(items[at] ?? rest!, inner)));
  }

  #findInObject({ shape, catchall }: z.core.$ZodObjectDef, fields: JsonObject): readonly RawIssue[] {
    const issues = Object.entries(shape).flatMap(([key, field]) =>
      prefix(key, this.#findInField(field, fields, key)),
    );
    if (catchall === undefined) return issues;
    const others = Object.keys(fields).filter((key) => !Object.hasOwn(shape, key));
    if (catchall._zod.def.type !== "never")
      return [...issues, ...others.flatMap((key) => prefix(key, this.#findInField(catchall, fields, key)))];
    return others.length === 0
      ? issues
      : [...issues, { code: "unrecognized_keys", keys: others, input: fields, path: [] }];
  }

  /** As Zod does: what is not there is asked about too, and may be left out where the schema says so. */
  #findInField(field: Schema, fields: JsonObject, key: string): readonly RawIssue[] {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (value !== undefined && value !== null) return this.find(field, value);
    const issues = value === null ? runSchema(field, null).issues : [];
    if (value === null && issues.length === 0) return [];
    const { optin, optout } = field._zod;
    if (optin !== undefined && optout === "optional") return [];
    const absent = runSchema(field, undefined).issues;
    if (absent.length === 0 && optin !== undefined) return [];
    if (value === null) return issues;
    return absent.length > 0
      ? absent
      : [{ code: "invalid_type", expected: "nonoptional", input: undefined, path: [] }];
  }
}

/** The forms that a value may have: the one that its discriminator names, where that is known; else all. */
function formsOf(
  def: z.core.$ZodUnionDef & { readonly discriminator?: string },
  value: unknown,
  open: ReadonlySet<unknown>,
): readonly Schema[] {
  const { discriminator, options } = def;
  if (discriminator === undefined || !isJsonObject(value) || value instanceof Pending) return options;
  const named = value[discriminator];
  if (named instanceof Pending || open.has(named)) return options;
  const meant = options.filter(({ _zod }) => _zod.propValues?.[discriminator]?.has(named as string));
  return meant.length === 1 ? meant : options;
}

/** Find the certain issues of a single pending value: those of its kind, where it is text. */
function misfitOf(schema: Schema, { isText }: Pending): readonly RawIssue[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (!isText) return def.type === "never" ? runSchema(schema, "").issues : [];
  const takesText =
    def.type === "string" ||
    def.type === "bigint" ||
    def.type === "template_literal" ||
    ((def.type === "enum" || def.type === "literal") && takesSomeText(schema));
  return takesText ? [] : kindIssues(schema, "");
}

function takesSomeText({ _zod }: Schema): boolean {
  for (const value of _zod.values ?? [""]) if (typeof value === "string") return true;
  return false;
}

/** The issues that a schema has with any value of a kind that it does not take; none where it coerces the value. */
function kindIssues(schema: Schema, sample: unknown): readonly RawIssue[] {
  const { def } = schema._zod;
  return (def as { readonly coerce?: boolean }).coerce === true ? [] : runSchema(schema, sample).issues;
}

const LENGTHS = new Set(["min_length", "max_length", "length_equals"]);

/** How many elements there are is known, whatever they are. */
function lengthIssues({ checks = [] }: z.core.$ZodArrayDef, values: readonly unknown[]): readonly RawIssue[] {
  if (checks.some(({ _zod }) => _zod.def.check === "overwrite")) return [];
  const payload: z.core.ParsePayload = { value: values, issues: [] };
  for (const { _zod } of checks) if (LENGTHS.has(_zod.def.check)) void _zod.check(payload as never);
  return payload.issues;
}

function prefix(key: PropertyKey, issues: readonly RawIssue[]): readonly RawIssue[] {
  return issues.map((issue) => ({ ...issue, path: [key, ...(issue.path ?? [])] }));
}
