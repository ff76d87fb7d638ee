import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import type { Declaration } from "./declaration.ts";

/** The hex SHA-256 of a declaration: equal for equal declarations, in whatever order their fields were written. */
export function fingerprintOf(
  declaration: Declaration,
  sha256: (text: string) => Promise<string>,
): Promise<string> {
  return sha256(canonicalJson(declaration));
}
