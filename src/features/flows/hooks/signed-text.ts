import * as LIMITS from "../limits.ts";
import { names, type Piece, type SignedProof } from "./read-form.ts";
import { decodeBytes, type TimeUnit } from "./hook-form.ts";
import type { SentDelivery } from "./proofs.ts";
import { parseInstant } from "../../../feature/kit.ts";

/** The text that is signed: what stands around the body's bytes, or around the fields of a form in place of them. */
export interface SignedText {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** The fields of a form in the place of the body; null where that is the body itself. */
  readonly fields: Uint8Array | null;
}

/** The values that the names of a payload stand for. */
interface TextFacts extends Omit<SentDelivery, "body"> {
  readonly time: string;
  readonly id: string;
  readonly fields: readonly (readonly [string, string])[];
}

/**
 * Write the text that a sender has signed: one, or two where its address may be written in two ways. None where the same text
 * could be signed for another id or header and another body, because the one has in it what separates them.
 */
export function signedTexts(
  { payload, ports, decoded }: Pick<SignedProof, "payload" | "ports" | "decoded">,
  facts: TextFacts,
): readonly SignedText[] {
  const { url: own } = facts;
  const urls = new Set([
    own,
    ...(ports ? [withPort(own)] : []),
    ...(decoded === null ? [] : [own.replace(decoded, (escape) => decodeURIComponent(escape))]),
  ]);
  return [...urls].flatMap((url) => writeText(payload, { ...facts, url }) ?? []);
}

function writeText(payload: readonly Piece[], facts: TextFacts): SignedText | null {
  const at = payload.findIndex((piece) => names(piece, "body") || names(piece, "form"));
  const written = payload.map((piece) => writePiece(piece, facts));
  for (const [index, piece] of payload.entries()) {
    const next = payload[index + 1];
    const mayVary = names(piece, "id") || names(piece, "header");
    if (mayVary && typeof next === "string" && written[index]!.includes(next)) return null;
  }
  const bytes = (pieces: readonly string[]): Uint8Array => new TextEncoder().encode(pieces.join(""));
  return {
    before: bytes(written.slice(0, at)),
    after: bytes(written.slice(at + 1)),
    fields: names(payload[at]!, "form") ? new TextEncoder().encode(writeFields(facts.fields)) : null,
  };
}

function writePiece(piece: Piece, { method, url, headers, time, id }: TextFacts): string {
  if (typeof piece === "string") return piece;
  switch (piece.name) {
    case "header":
      return headers.get(piece.header) ?? "";
    case "timestamp":
      return time;
    case "id":
      return id;
    case "url":
      return url;
    case "method":
      return method;
    // Bytes, which stand between the text before and after.
    case "body":
    case "form":
      return "";
  }
}

/** Names and values sorted by name, then by value, equal pairs once. */
function writeFields(fields: readonly (readonly [string, string])[]): string {
  const sorted = fields.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  const once = sorted.filter(([name, value], at) => {
    const [before, its] = sorted[at - 1] ?? [];
    return name !== before || value !== its;
  });
  return once.flat().join("");
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The same address with the port that its scheme has anyway. */
function withPort(url: string): string {
  return url.replace(/^(https?):\/\/([^/?#]+)/, (whole, scheme: string, host: string) =>
    /:\d+$/.test(host) ? whole : `${scheme}://${host}:${scheme === "https" ? 443 : 80}`,
  );
}

/** The signatures that a delivery claims; nothing of it is known to be true. */
interface Claimed {
  /** One of them must be right. */
  readonly signatures: readonly Uint8Array[];
  /** The time that stands beside them, as it came; null where the form has none there. */
  readonly time: string | null;
}

/**
 * Read the signatures in a delivery's headers, a few of them.
 *
 * A value that came twice fits no header but those that are lists, and so the delivery is refused: the checked value must be the used one. In a list of signatures it does no harm, because each is tried on one and the same text.
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

/** Digits only: what is compared with the clock is then the very text that is signed. */
const DIGITS: Readonly<Record<Exclude<TimeUnit, "rfc3339">, RegExp>> = { s: /^\d{1,12}$/, ms: /^\d{1,15}$/ };

/** Read a sender's time as milliseconds since the epoch; null for any other text. */
export function toMs(time: string, unit: TimeUnit): number | null {
  if (unit === "rfc3339") return parseInstant(time);
  if (!DIGITS[unit].test(time)) return null;
  return unit === "s" ? Number(time) * 1_000 : Number(time);
}
