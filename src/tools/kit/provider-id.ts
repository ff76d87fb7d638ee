import * as z from "zod/mini";

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
