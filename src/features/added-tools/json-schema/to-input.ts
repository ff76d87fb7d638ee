import { Validator } from "@cfworker/json-schema";
import * as z from "zod/mini";

import { type OptionalBody, missingOf, givesBody } from "../declared/optional-body.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { argumentsOf } from "./arguments-of.ts";
import type { TakesExact } from "../../../core/catalog/parse-args.ts";
import type { KnowsCertain } from "../../../core/catalog/find-certain.ts";
import { type Compiled, compileSchema } from "./compile-schema.ts";
import { type Filled, fillDefaults } from "./fill-defaults.ts";
import { findCertain } from "./find-certain.ts";
import { countValues, isBearable } from "./measure-check.ts";
import { readExact, toDoubles } from "./read-exact.ts";
import { showSchema } from "./show-schema.ts";
import { translateErrors } from "./translate-errors.ts";

export interface InputOptions {
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
