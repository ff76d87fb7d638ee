import * as z from "zod/mini";

/** A text of at least a character, without blanks around it. */
export const textArgument = (maxLength: number, says: string) =>
  z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLength), z.describe(says));

/** A number of things, from one up. */
export const countArgument = (most: number, usual: number, says: string) =>
  z._default(z.int().check(z.minimum(1), z.maximum(most)), usual).check(z.describe(says));

/** The subject of a mail. */
export const subjectArgument = () =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(200),
      z.regex(/^[^\r\n]*$/, "one line"),
      z.describe("Subject, one line."),
    );

/** The text of a mail. */
export const messageArgument = () =>
  z.string().check(z.minLength(1), z.maxLength(20_000), z.describe("Plain text of the message."));

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
