import * as z from "zod/mini";

import {
  type Check,
  isAnything,
  isFlag,
  isJsonObject,
  isText,
  isWritten,
  type ListBounds,
  listOf as isListOf,
  matches,
  oneOf as isOneOf,
  record,
  upTo as isUpTo,
} from "./json.ts";
import { lazySchema } from "./lazy-schema.ts";

type Schema = z.ZodMiniType;

/**
 * The one description of a value that comes from outside and is checked at every start or in every request.
 *
 * `fits` is the quick answer, a check of `json`. `schema` describes the same value in documents and explains what does not fit. It is
 * made when it is first needed: making a Zod schema costs milliseconds and asking it costs microseconds, which is what a cold
 * start and a batch are made of. Each function here says both of one kind of value, and a test holds the two to the same answer.
 */
export interface Form<S extends Schema = Schema> {
  readonly fits: (value: unknown) => value is z.input<S>;
  readonly schema: () => S;
  /** Whether an object may come without it. */
  readonly mayMiss?: boolean;
}

/** An object's fields, by their names. */
type Fields = Readonly<Record<string, Form>>;

/** A field's own schema. */
type SchemaOf<F> = F extends Form<infer S> ? S : never;

/**
 * Describe a kind of value that has no function here.
 *
 * @param make makes the schema, which takes the values that `fits` takes and no others
 */
// @__NO_SIDE_EFFECTS__
export function form<S extends Schema>(fits: Check, make: () => S): Form<S> {
  return { fits: fits as Form<S>["fits"], schema: lazySchema(make) };
}

export const text = form(isText, () => z.string());

/** Text that is not empty. */
export const written = form(isWritten, () => z.string().check(z.minLength(1)));

export const flag = form(isFlag, () => z.boolean());

export const anything = form(isAnything, () => z.unknown());

/** An object with any fields. */
export const anyObject = form(isJsonObject, () => z.record(z.string(), z.unknown()));

/** An object with any fields, all of them text. */
export const texts = form(
  (value) => isJsonObject(value) && Object.values(value).every(isText),
  () => z.record(z.string(), z.string()),
);

/** Text that a pattern matches. */
// @__NO_SIDE_EFFECTS__
export function matching(pattern: RegExp): Form<z.ZodMiniString<string>> {
  return form(matches(pattern), () => z.string().check(z.regex(pattern)));
}

/** A whole number from 1, to `max` where that is said. */
// @__NO_SIDE_EFFECTS__
export function upTo(max?: number): Form<z.ZodMiniNumberFormat> {
  return form(isUpTo(max ?? Number.MAX_SAFE_INTEGER), () =>
    z.int().check(z.minimum(1), ...(max === undefined ? [] : [z.maximum(max)])),
  );
}

/** One of some words. */
// @__NO_SIDE_EFFECTS__
export function oneOf<const W extends readonly string[]>(...words: W) {
  return form(isOneOf(...words), () => z.enum(words));
}

/** One word, which says what an object is. */
// @__NO_SIDE_EFFECTS__
export function just<const W extends string>(word: W): Form<z.ZodMiniLiteral<W>> {
  return form(isOneOf(word), () => z.literal(word));
}

/** A list, of at least one unless said. */
// @__NO_SIDE_EFFECTS__
export function listOf<S extends Schema>(
  { fits, schema }: Form<S>,
  bounds: ListBounds = {},
): Form<z.ZodMiniArray<S>> {
  const { min = 1, max } = bounds;
  return form(isListOf(fits, bounds), () =>
    z
      .array(schema())
      .check(...(min > 0 ? [z.minLength(min)] : []), ...(max === undefined ? [] : [z.maxLength(max)])),
  );
}

/** An object of known fields, some of which may miss, and no others. */
export interface ObjectForm<F extends Fields> extends Form<ObjectSchema<F>> {
  readonly names: readonly string[];
}

type ObjectSchema<F extends Fields> = z.ZodMiniObject<{ [K in keyof F]: SchemaOf<F[K]> }, z.core.$strict>;

/** An object that has what is required, no unknown field, and in each field what may stand there. */
// @__NO_SIDE_EFFECTS__
export function object<F extends Fields>(fields: F): ObjectForm<F> {
  const names = Object.keys(fields);
  const required = names.filter((name) => fields[name]!.mayMiss !== true);
  const checks = Object.fromEntries(names.map((name) => [name, fields[name]!.fits]));
  const shape = (): object => Object.fromEntries(names.map((name) => [name, fields[name]!.schema()]));
  return {
    ...form(record(checks, required), () => z.strictObject(shape() as ObjectSchema<F>["shape"])),
    names,
  };
}

/** A field that may be left out. */
// @__NO_SIDE_EFFECTS__
export function optional<S extends Schema>({ fits, schema }: Form<S>): Form<z.ZodMiniOptional<S>> {
  return { ...form(fits, () => z.optional(schema())), mayMiss: true };
}

/** A field that may be left out, and what it then says. Its parser puts that there. */
// @__NO_SIDE_EFFECTS__
export function withDefault<S extends Schema>(
  { fits, schema }: Form<S>,
  value: z.core.util.NoUndefined<z.output<S>>,
): Form<z.ZodMiniDefault<S>> {
  return { ...form(fits, () => z._default(schema(), value)), mayMiss: true };
}
