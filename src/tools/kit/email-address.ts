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
export function emailAddresses() {
  return z.union(
    [emailAddress(), z.array(emailAddress()).check(z.minLength(1), z.maxLength(50))],
    "an address, or a list of 1 to 50",
  );
}
