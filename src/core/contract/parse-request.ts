import type * as z from "zod/mini";

import { err, ok, type Result } from "../kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../kit/rfc3339.ts";
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

/** A parameter: any text, a time, or one of some words. */
export type QueryFields = Readonly<Record<string, "text" | "time" | readonly string[]>>;

type FieldValue<F> = F extends readonly (infer Word)[] ? Word : F extends "time" ? number : string;

/** The parameters of a query that are there, read. */
export type ReadQuery<F extends QueryFields> = { readonly [K in keyof F]?: FieldValue<F[K]> };

/**
 * Parse a query of known parameters, of which each may be left out.
 *
 * @param others known parameters that somebody else reads
 */
export function parseQuery<const F extends QueryFields>(
  query: URLSearchParams,
  fields: F,
  others: readonly string[] = [],
): Result<ReadQuery<F>, Refusal> {
  const other = refuseOtherParameters(query, [...Object.keys(fields), ...others]);
  if (other !== null) return err(other);
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const text = query.get(name);
    if (text === null) continue;
    const value = readField(field, text);
    if (value === null) {
      const expected = typeof field === "string" ? INSTANT_EXPECTED : `one of ${field.join(", ")}`;
      return err(refuseQuery(name, expected, text));
    }
    read[name] = value;
  }
  return ok(read as ReadQuery<F>);
}

function readField(field: QueryFields[string], text: string): string | number | null {
  if (field === "text") return text;
  return field === "time" ? parseInstant(text) : (field.find((word) => word === text) ?? null);
}
