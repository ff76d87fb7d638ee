import type * as z from "zod";

import { err, ok, type Result } from "../kit/result.ts";
import { explainMisfit } from "./issues.ts";
import { makeRefusal, type Refusal } from "./refusal.ts";

/** Parse the body of a path that takes one object of known fields; the refusal says which is wrong, and why. */
export function parseRequest<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, Refusal> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const { issues, hint } = explainMisfit(parsed.error, value, Object.keys(schema.shape));
  return err(makeRefusal("INVALID_REQUEST", hint, { issue: issues[0] }));
}
