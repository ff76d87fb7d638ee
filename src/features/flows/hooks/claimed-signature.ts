import * as LIMITS from "../limits.ts";
import { decodeBytes } from "./decode-bytes.ts";
import type { SignedProof } from "./read-form.ts";

/** The signatures that a delivery claims; nothing of it is known to be true. */
export interface Claimed {
  /** One of them must be right. */
  readonly signatures: readonly Uint8Array[];
  /** The time that stands beside them, as it came; null where the form has none there. */
  readonly time: string | null;
}

/**
 * Read the signatures in a delivery's headers, a few of them.
 *
 * A value that came twice fits no header but those that are lists, and so the delivery is refused: the checked value may not be
 * another than the used one. In a list of signatures it does no harm, because each is tried on one and the same text.
 */
export function claimedOf(
  { headers, parts, listed, prefix, isPrefixOptional, encoding }: SignedProof,
  sent: Pick<Headers, "get">,
): Claimed {
  const values = headers.map((name) => sent.get(name) ?? "");
  if (parts !== null) {
    const written = values.flatMap((value) => value.split(parts.separator)).map((part) => part.trim());
    const valuesOf = (name: string): readonly string[] =>
      written.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
    // Two times are none: the signed one and the late one could be two.
    const time = parts.timestamp === undefined ? null : valuesOf(parts.timestamp).join();
    return { signatures: decodeAll(valuesOf(parts.signature), encoding), time };
  }
  const written = listed ? values.flatMap((value) => value.split(/,? +/)) : values;
  const texts = written.flatMap((text) => {
    if (text.startsWith(prefix)) return [text.slice(prefix.length)];
    return isPrefixOptional ? [text] : [];
  });
  return { signatures: decodeAll(texts, encoding), time: null };
}

function decodeAll(texts: readonly string[], encoding: SignedProof["encoding"]): readonly Uint8Array[] {
  const decoded = texts.map((text) => decodeBytes(text, encoding));
  return decoded.filter((bytes) => bytes !== null).slice(0, LIMITS.deliverySignatures);
}
