import * as z from "zod/mini";

/**
 * An address that can stand in a header as it is: no blank, comma, bracket or quote, so what comes behind it cannot become
 * part of it, nor it another header. The provider checks the rest.
 */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

export function emailAddress() {
  return z.email({ pattern: EMAIL }).check(z.maxLength(254));
}

/** One address as it is, or a list: models write one as often as the other. */
function emailAddresses() {
  return z.union(
    [emailAddress(), z.array(emailAddress()).check(z.minLength(1), z.maxLength(50))],
    "an address, or a list of 1 to 50",
  );
}

/** The subject and the text of a mail. */
export const mailTexts = () => ({
  subject: z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(200),
      z.regex(/^[^\r\n]*$/, "one line"),
      z.describe("Subject, one line."),
    ),
  body: z.string().check(z.minLength(1), z.maxLength(20_000), z.describe("Plain text of the message.")),
});

/** The arguments of a tool that sends a mail from a person's own address. */
export const mailArguments = () =>
  z.strictObject({
    to: emailAddresses().check(
      z.describe("Recipient's address, or up to 50 in a list; all of them see each other."),
    ),
    ...mailTexts(),
    cc: z.optional(emailAddresses()).check(z.describe("Address that gets a copy, or up to 50 in a list.")),
  });
