import * as z from "zod";

/**
 * An id that a provider gave out, of at most so many characters. Letters, digits, `_` and `-` alone: in a path of a URL `..`
 * would lead to something else.
 */
export function providerId(maxLength: number): z.ZodString {
  return z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .regex(/^[\w-]+$/, "an id exactly as another tool gave it");
}
