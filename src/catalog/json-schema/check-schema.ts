import type { JsonObject } from "../../contract/json.ts";

/** Told of each problem: where in the schema, what was expected there, what stands there, and what to do about it. */
export type Report = (
  path: readonly PropertyKey[],
  expected: string,
  value: unknown,
  said?: { readonly hint?: string; readonly received?: string },
) => void;

/** Find what is wrong with the schema of a tool's arguments. */
export function checkSchema(schema: JsonObject, report: Report): void {
  if (schema["type"] !== "object")
    report(["type"], '"object"', schema["type"], {
      hint: 'A tool\'s arguments are an object: write "type": "object" at the top of \'input_schema\'.',
    });
}
