import { Validator } from "@cfworker/json-schema";
import * as z from "zod";

import { attemptNow } from "../../kit/result.ts";
import type { JsonSchema } from "../tool-schema.ts";
import { argumentsOf } from "./arguments-of.ts";
import { type Compiled, compileSchema } from "./compile-schema.ts";
import { isBearable } from "./measure-check.ts";
import { showSchema } from "./show-schema.ts";
import { translateErrors } from "./translate-errors.ts";

/**
 * Make a Zod schema that checks by a JSON Schema 2020-12 and is shown as that one. Nothing is converted, and no default filled
 * in: what comes out is what came in. What it checks by is made when it is first asked.
 *
 * @param schema one that `checkSchema` found nothing wrong with
 */
export function toInput(schema: JsonSchema): z.ZodType {
  let made: { readonly compiled: Compiled; readonly validator: Validator } | undefined;
  const input = z.unknown().check((payload) => {
    if (made === undefined) {
      const compiled = compileSchema(schema);
      made = { compiled, validator: new Validator(compiled.document, "2020-12", false) };
    }
    payload.issues.push(...findMisfits(payload.value, made.compiled, made.validator));
  });
  const shape = Object.fromEntries(argumentsOf(schema).map((name) => [name, null]));
  return Object.assign(input.meta(showSchema(schema)), { shape });
}

function findMisfits(value: unknown, compiled: Compiled, validator: Validator): z.core.$ZodRawIssue[] {
  const refuse = (message: string): z.core.$ZodRawIssue[] => [
    { code: "custom", path: [], message, input: value },
  ];
  if (!isBearable(compiled, value))
    return refuse("less than takes so long to check; send fewer or shorter values");
  // It throws for names that are not well-formed text, and where there is more wrong than it can list.
  const checked = attemptNow(() => validator.validate(value));
  if (!checked.ok) return refuse("an object whose names are well-formed text, with less wrong inside");
  return checked.value.valid ? [] : translateErrors(checked.value.errors, compiled);
}
