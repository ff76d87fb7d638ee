import type * as z from "zod/mini";

import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";
import { explainMisfit } from "./issues.ts";
import { makeRefusal, type Refusal } from "./refusal.ts";
import { withoutRefusedNulls } from "./run-schema.ts";

export interface ParsedRequest<Schema extends z.ZodMiniObject> {
  /** Zod's copy, which would lose a `__proto__` in it. */
  readonly parsed: z.output<Schema>;
  /** The body as it was sent, but for nulls of fields that do not take them. */
  readonly value: unknown;
}

/**
 * Parse the body of a path that takes one object of known fields; the refusal says which is wrong, and why. A null that a field
 * does not take is as if the field were not there.
 *
 * @param base where the object stands in the body
 * @param taken fields that were taken out of it before: a misspelt one may have meant them
 */
export function parseRequest<Schema extends z.ZodMiniObject>(
  schema: Schema,
  sent: unknown,
  {
    base = [],
    taken = [],
  }: { readonly base?: readonly string[]; readonly taken?: readonly string[] | undefined } = {},
): Result<ParsedRequest<Schema>, Refusal> {
  const value = withoutRefusedNulls(schema, sent);
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok({ parsed: parsed.data, value });
  const known = [...Object.keys(schema.shape), ...taken];
  const { issues, hint } = explainMisfit(parsed.error, value, { known, base });
  return err(makeRefusal("INVALID_REQUEST", hint, { issue: issues[0] }));
}

/** Refuse a query parameter, by its name. */
export function refuseQuery(path: string, expected: string, received: string): Refusal {
  const issue = { path: visibleText(path), expected, received: visibleText(received) };
  const hint = `${issue.path}: expected ${expected}, received '${issue.received}'.`;
  return makeRefusal("INVALID_QUERY", hint, { issue });
}

/** Refuse a query that has a parameter besides the known ones, or one of them twice: none is ignored. */
export function refuseOtherParameters(query: URLSearchParams, known: readonly string[]): Refusal | null {
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      const expected =
        known.length === 0 ? "nothing in the query, the body has it all" : `one of ${known.join(", ")}`;
      return refuseQuery(name, expected, name);
    }
    const values = query.getAll(name);
    if (values.length > 1) return refuseQuery(name, "one value", values.join(", "));
  }
  return null;
}

/** Read a query parameter that is one of some names; null when it is left out. */
export function parseChoice<T extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly T[],
): Result<T | null, Refusal> {
  const asked = query.get(name);
  const chosen = choices.find((choice) => choice === asked);
  if (asked === null || chosen !== undefined) return ok(chosen ?? null);
  return err(refuseQuery(name, `one of ${choices.join(", ")}`, asked));
}
