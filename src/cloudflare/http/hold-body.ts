import * as LIMITS from "../../core/contract/limits.ts";
import { countValues } from "../../core/contract/parse-json.ts";
import type { HeldBytes } from "../../core/egress/held-bytes.ts";
import type { BodyLimits } from "./read-request-body.ts";

/**
 * Hold a body before it is read, and what becomes of it before it is parsed.
 *
 * @param mostValues values beyond are not counted: a body that has more is refused, or they are few beside its bytes
 */
export function holdBody(
  bytes: HeldBytes,
  { signal }: Request,
  mostValues: number,
): Pick<BodyLimits, "beforeReading" | "beforeParsing"> {
  let most = 0;
  return {
    beforeReading: (size) => bytes.hold((most = size), signal),
    beforeParsing: (body) => {
      bytes.give(most - body.length);
      const values = countValues(new TextDecoder().decode(body), mostValues);
      return bytes.hold(LIMITS.valueBytes * values, signal);
    },
  };
}
