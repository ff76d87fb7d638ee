import { Validator } from "@cfworker/json-schema";
import * as z from "zod/mini";

import { attemptNow } from "../../../core/kit/result.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { argumentsOf } from "./arguments-of.ts";
import type { KnowsCertain } from "../../../core/catalog/find-certain.ts";
import { type Compiled, compileSchema } from "./compile-schema.ts";
import { findCertain } from "./find-certain.ts";
import { countValues, isBearable } from "./measure-check.ts";
import { showSchema } from "./show-schema.ts";
import { translateErrors } from "./translate-errors.ts";

/**
 * Make a Zod schema that checks by a JSON Schema 2020-12 and is shown as that one. Nothing is converted, and no default filled
 * in: what comes out is what came in. The compiled schema is made when it is first asked.
 *
 * @param schema one that `checkSchema` found nothing wrong with
 */
export function toInput(schema: JsonSchema): z.core.$ZodType {
  let made: Checker | undefined;
  const checker = (): Checker => (made ??= new Checker(compileSchema(schema)));
  const input = z.unknown().check((payload) => {
    payload.issues.push(...checker().findMisfits(payload.value));
  });
  const shape = Object.fromEntries(argumentsOf(schema).map((name) => [name, null]));
  const known: KnowsCertain = { findCertain: (value) => checker().findCertain(value) };
  return Object.assign(input.check(z.meta(showSchema(schema))), { shape, ...known });
}

/** Arguments of more values than these are told the first thing wrong in each list and object. */
const TOLD_VALUES = 1_000;

class Checker {
  readonly #compiled: Compiled;
  /** Says of each object and list the first thing wrong. */
  readonly #quick: Validator;
  /** Says all that is wrong. */
  #whole: Validator | undefined;

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
    this.#quick = new Validator(compiled.document, "2020-12", true);
  }

  findMisfits(value: unknown): z.core.$ZodRawIssue[] {
    const compiled = this.#compiled;
    const refuse = (message: string): z.core.$ZodRawIssue[] => [
      { code: "custom", path: [], message, input: value },
    ];
    if (!isBearable(compiled, value)) return refuse("shorter, or fewer: this takes too long to check");
    // It throws for names that are not well-formed text, and where there is more wrong than it can list.
    const quick = attemptNow(() => this.#quick.validate(value));
    if (!quick.ok) return refuse("an object whose names are well-formed text, with less wrong inside");
    if (quick.value.valid) return [];
    // Finding all of many errors costs more than checking did, and ten are told.
    if (countValues(value) > TOLD_VALUES) return translateErrors(quick.value.errors, compiled);
    this.#whole ??= new Validator(compiled.document, "2020-12", false);
    const whole = attemptNow(() => this.#whole!.validate(value));
    return translateErrors((whole.ok ? whole : quick).value.errors, compiled);
  }
  findCertain(value: unknown): readonly z.core.$ZodRawIssue[] {
    // A value that takes too long to check, or is no well-formed text, is refused when all of it is known.
    if (!isBearable(this.#compiled, value)) return [];
    const found = attemptNow(() => findCertain(this.#compiled, value));
    return found.ok ? found.value : [];
  }
}
