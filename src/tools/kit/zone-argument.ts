import * as z from "zod/mini";

import { WHEN_CHARACTERS } from "./parse-when.ts";
import { invalidArgument } from "./invalid-argument.ts";
import { type Place, placeOfZone } from "../../core/kit/time-zone.ts";
import { textArgument } from "./arguments.ts";

/** A tool's argument for a day or a time, in ISO 8601 or in English words. */
export function when() {
  return z.string().check(z.trim(), z.minLength(1), z.maxLength(WHEN_CHARACTERS));
}

/** A tool's argument for the zone that times without an offset are of. */
export function timezone() {
  return textArgument(64, "IANA time zone of times without an offset, e.g. 'America/New_York'.");
}

/** Find the zone that the argument `timezone` names; throws `INVALID_ARGS` when there is none of that name. */
export function placeOfArgument(name: string): Place {
  const place = placeOfZone(name);
  if (place === null)
    throw invalidArgument("timezone", 'the name of an IANA time zone such as "America/New_York"', name);
  return place;
}
