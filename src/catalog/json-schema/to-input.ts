import { Validator } from "@cfworker/json-schema";
import * as z from "zod";

import type { JsonSchema } from "../tool-schema.ts";
import { argumentsOf } from "./arguments-of.ts";

/**
 * Make a Zod schema that checks by a JSON Schema 2020-12 and is shown as that one. Nothing is converted, and no default filled
 * in: what comes out is what came in.
 */
export function toInput(schema: JsonSchema): z.ZodType {
  let validator: Validator | undefined;
  const input = z.unknown().check((payload) => {
    validator ??= new Validator(structuredClone(schema), "2020-12");
    const { valid, errors } = validator.validate(payload.value);
    if (!valid)
      payload.issues.push({
        code: "custom",
        path: [],
        message: errors[0]?.error ?? "fits",
        input: payload.value,
      });
  });
  const shape = Object.fromEntries(argumentsOf(schema).map((name) => [name, null]));
  return Object.assign(input.meta(schema), { shape });
}
