import * as z from "zod/mini";
import { Validator } from "@cfworker/json-schema";

import * as LIMITS from "../../../core/contract/limits.ts";
import { givesBody, missingOf, type OptionalBody } from "../declared/optional-body.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { argumentsOf, type Place, walkSchema } from "./walk-schema.ts";
import type { TakesExact } from "../../../core/catalog/parse-args.ts";
import type { KnowsCertain } from "../../../core/catalog/find-certain.ts";
import { type Compiled, compileSchema } from "./compile-schema.ts";
import { fillDefaults, type Filled } from "./fill-defaults.ts";
import { findCertain } from "./find-certain-values.ts";
import { countValues, isBearable } from "./measure-check.ts";
import { readExact, toDoubles } from "./read-exact.ts";
import { translateErrors } from "./translate-errors.ts";
import { APPLICATORS } from "./keywords.ts";

interface InputOptions {
  /** Fill in the defaults that the schema says: where a condition is to see all that a service would act on. */
  readonly fillsDefaults?: boolean;
  /** A body that is given with all that it needs, or not at all; what it needs is shown as required. */
  readonly body?: OptionalBody;
}

/**
 * Make a Zod schema that checks by a JSON Schema 2020-12 and is shown as that one. Nothing is converted, and no default filled
 * in unless that is asked: what comes out is what came in. The compiled schema is made when it is first asked.
 *
 * @param schema one that `checkSchema` found nothing wrong with
 */
export function toInput(schema: JsonSchema, options: InputOptions = {}): z.core.$ZodType {
  let made: Checker | undefined;
  const checker = (): Checker => (made ??= new Checker(schema, compileSchema(schema), options));
  const input = z.unknown().check((payload) => {
    const { value, issues } = checker().check(payload.value);
    payload.value = value;
    payload.issues.push(...issues);
  });
  const shape = Object.fromEntries(argumentsOf(schema).map((name) => [name, null]));
  const known: KnowsCertain = { findCertain: (value) => checker().findCertain(value) };
  const exact: TakesExact = { takesExact: true };
  const shown = withRequired(showSchema(schema), options.body?.required ?? []);
  return Object.assign(input.check(z.meta(shown)), { shape, ...known, ...exact });
}

function withRequired(schema: JsonSchema, more: readonly string[]): JsonSchema {
  if (more.length === 0) return schema;
  const required = (schema["required"] ?? []) as readonly string[];
  return { ...schema, required: [...new Set([...required, ...more])] };
}

/** Arguments of more values than these are told the first thing wrong in each list and object. */
const TOLD_VALUES = 1_000;

class Checker {
  readonly #compiled: Compiled;
  readonly #schema: JsonSchema;
  readonly #options: InputOptions;
  /** Says of each object and list the first thing wrong. */
  readonly #quick: Validator;
  /** Says all that is wrong. */
  #whole: Validator | undefined;

  constructor(schema: JsonSchema, compiled: Compiled, options: InputOptions) {
    this.#schema = schema;
    this.#compiled = compiled;
    this.#options = options;
    this.#quick = new Validator(compiled.document, "2020-12", true);
  }

  check(sent: unknown): Checked {
    const { value, isTooMuch } = this.#adapt(sent);
    const issues = isTooMuch
      ? refuse(sent, `shorter: defaults make it ${LIMITS.argsBytes} bytes`)
      : [...this.#findMisfits(toDoubles(value)), ...this.#findMissing(value)];
    return { value, issues };
  }

  /** Not a value that takes too long to check: it is refused. */
  #adapt(sent: unknown): Filled {
    if (!isBearable(this.#compiled, sent)) return { value: sent, isTooMuch: false };
    const value = readExact(this.#schema, sent);
    return this.#options.fillsDefaults === true ? this.#fill(value) : { value, isTooMuch: false };
  }

  /** Defaults alone give no body. */
  #fill(sent: unknown): Filled {
    const filled = fillDefaults(this.#schema, sent);
    const { body } = this.#options;
    const { value } = filled;
    if (body === undefined || !isJsonObject(sent) || !isJsonObject(value)) return filled;
    if (givesBody(body, sent) !== undefined) return filled;
    const kept = Object.entries(value).filter(([name]) => Object.hasOwn(sent, name) || !body.takes(name));
    return { ...filled, value: Object.fromEntries(kept) };
  }

  /** Find what a body lacks that is given in part. */
  #findMissing(value: unknown): z.core.$ZodRawIssue[] {
    const { body } = this.#options;
    if (body === undefined || !isJsonObject(value)) return [];
    return missingOf(body, value).map(({ name, given }) => ({
      code: "custom",
      path: [name],
      message: `a value, because '${given}' has one`,
      input: undefined,
    }));
  }

  #findMisfits(value: unknown): z.core.$ZodRawIssue[] {
    const compiled = this.#compiled;
    if (!isBearable(compiled, value)) return refuse(value, "shorter, or fewer: this takes too long to check");
    // It throws for names that are not well-formed text, and where there is more wrong than it can list.
    const quick = attemptNow(() => this.#quick.validate(value));
    if (!quick.ok) return refuse(value, "an object whose names are well-formed text, with less wrong inside");
    if (quick.value.valid) return [];
    // Finding all of many errors costs more than checking did, and ten are told.
    if (countValues(value) > TOLD_VALUES) return translateErrors(quick.value.errors, compiled);
    this.#whole ??= new Validator(compiled.document, "2020-12", false);
    const whole = attemptNow(() => this.#whole!.validate(value));
    return translateErrors((whole.ok ? whole : quick).value.errors, compiled);
  }

  findCertain(sent: unknown): readonly z.core.$ZodRawIssue[] {
    const value = toDoubles(this.#adapt(sent).value);
    // A value that takes too long to check, or is no well-formed text, is refused when all of it is known.
    if (!isBearable(this.#compiled, value)) return [];
    const found = attemptNow(() => findCertain(this.#compiled, value));
    return [...(found.ok ? found.value : []), ...this.#findMissing(value)];
  }
}

/** A value as the tool gets it, and what is wrong with it. */
interface Checked {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

function refuse(input: unknown, message: string): z.core.$ZodRawIssue[] {
  return [{ code: "custom", path: [], message, input }];
}

/** Schemas that references may put in place of themselves: ten times what a model reads. */
const MOST_SCHEMAS = 2_000;

/** About the document, and nothing about values. */
const OF_DOCUMENTS = new Set(["$schema", "$id", "id", "$anchor", "$defs", "definitions", "$comment"]);

/**
 * Write a schema so that it can stand anywhere inside another: what is referred to stands where it is referred to. A schema
 * that comes back to itself is shown once around and then as any value, and so is what would make it too large; arguments
 * are checked by all of it anyway. A schema without references is shown as it was written, without the parts that providers refuse.
 */
export function showSchema(schema: JsonObject): JsonSchema {
  const { places } = walkSchema(schema);
  let left = MOST_SCHEMAS;
  const show = (place: Place, around: readonly string[]): unknown => {
    const { schema: said, inner } = place;
    // Some providers take no booleans for schemas, and no array that does not say what is in it.
    if (!isJsonObject(said)) return said === false ? { not: {} } : {};
    const shown: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(said)) {
      if (OF_DOCUMENTS.has(keyword) || keyword === "$ref") continue;
      const holds = APPLICATORS.get(keyword);
      const within = (inner.get(keyword) ?? []).map(
        ({ pointer, name }) => [name, show(places.get(pointer)!, around)] as const,
      );
      if (typeof value === "boolean") shown[keyword] = value;
      else if (holds === "schema") shown[keyword] = within[0]?.[1];
      else if (holds === "list") shown[keyword] = within.map(([, one]) => one);
      else shown[keyword] = holds === "map" ? Object.fromEntries(within) : value;
    }
    if ([shown["type"]].flat().includes("array") && !isJsonObject(said["items"])) shown["items"] = {};
    const [target] = inner.get("$ref") ?? [];
    if (target === undefined) return shown;
    left -= 1;
    if (around.includes(target.pointer) || left < 0) return shown;
    return both(show(places.get(target.pointer)!, [...around, target.pointer]), shown);
  };
  const shown = show(places.get("")!, [""]) as JsonSchema;
  // OpenAI refuses a whole request for one function that does not name its arguments, not even none.
  return isJsonObject(shown["properties"]) ? shown : { ...shown, properties: {} };
}

/** A schema that asks for what two ask: one object where they speak of different things. */
function both(referred: unknown, own: JsonObject): unknown {
  if (Object.keys(own).length === 0) return referred;
  if (!isJsonObject(referred)) return own;
  const annotations = new Set(["title", "description", "default", "examples", "deprecated"]);
  const clashes = Object.keys(own).some((key) => Object.hasOwn(referred, key) && !annotations.has(key));
  return clashes
    ? { ...own, allOf: [...((own["allOf"] as readonly unknown[]) ?? []), referred] }
    : { ...referred, ...own };
}
