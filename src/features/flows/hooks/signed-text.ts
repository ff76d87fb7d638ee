import { names, type Piece } from "./payload.ts";
import type { SignedProof } from "./read-form.ts";

/** The text that is signed: what stands around the body's bytes, or around the fields of a form in place of them. */
export interface SignedText {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** The fields of a form in the place of the body; null where that is the body itself. */
  readonly fields: Uint8Array | null;
}

/** The values that the names of a payload stand for. */
export interface TextFacts {
  readonly method: string;
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  readonly time: string;
  readonly id: string;
  readonly fields: readonly (readonly [string, string])[];
}

/**
 * Write the text that a sender has signed: one, or two where its address may have the default port in it. None where the same text
 * could be signed for another id or header and another body, because the one has in it what separates them.
 */
export function signedTexts(
  { payload, ports }: Pick<SignedProof, "payload" | "ports">,
  facts: TextFacts,
): readonly SignedText[] {
  const urls = ports ? [facts.url, withPort(facts.url)] : [facts.url];
  return urls.flatMap((url) => writeText(payload, { ...facts, url }) ?? []);
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
