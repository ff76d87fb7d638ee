import * as z from "zod/mini";

/** A text of at least a character, without blanks around it. */
export const textArgument = (maxLength: number, says: string) =>
  z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLength), z.describe(says));

/** A number of things, from one up. */
export const countArgument = (most: number, usual: number, says: string) =>
  z._default(z.int().check(z.minimum(1), z.maximum(most)), usual).check(z.describe(says));

/**
 * An id that a provider gave out, of at most so many characters. Letters, digits, `_` and `-` alone: in a path of a URL `..`
 * would lead to something else.
 */
export function providerId(maxLength: number): z.ZodMiniString {
  return z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(maxLength),
      z.regex(/^[\w-]+$/, "an id exactly as another tool gave it"),
    );
}

/** How calls of a tool run beside each other: so many at once, each tried again with patience. */
export const fanOut = (max_concurrency: number, initial_ms: number) =>
  ({ mode: "fan-out-bounded", max_concurrency, backoff: { strategy: "exponential", initial_ms } }) as const;

/** How calls of a tool run that need one argument of the first thing that a search found. */
export const afterSearch = (tool: string, field: string, place: string, initial_ms: number) => ({
  mode: "dependent" as const,
  max_concurrency: 5,
  depends_on: [{ tool, required_fields: [field], from: { [field]: place } }],
  backoff: { strategy: "exponential" as const, initial_ms },
});
