import { createPieceRedactor, createRedactor } from "../../core/egress/redact.ts";
import type { ModelRedactor } from "./dialect/redact-events.ts";

/** The deployment's secrets, and what takes them out: both stay what they are. */
let known: { readonly secrets: readonly string[]; readonly redactor: ModelRedactor } | null = null;

/** Find what takes the secrets of a model's server out of its words; null where there is nothing to hide. */
export function redactorOf(secrets: readonly string[]): ModelRedactor | null {
  if (secrets.length === 0) return null;
  const isKnown =
    known?.secrets.length === secrets.length && known.secrets.every((one, at) => one === secrets[at]);
  if (known === null || !isKnown)
    known = { secrets, redactor: { json: createRedactor(secrets), piece: createPieceRedactor(secrets) } };
  return known.redactor;
}
