import { err, ok, type Result } from "../../../core/kit/result.ts";

/** A piece of the text that is signed: as it stands, or the name of what stands for it. */
export type Piece =
  | string
  | { readonly name: "body" | "timestamp" | "id" | "url" | "method" | "form" }
  | { readonly name: "header"; readonly header: string };

/** A payload in which something is wrong, and what. */
export interface PayloadFlaw {
  readonly expected: string;
  readonly hint: string;
}

const NAMES = ["body", "timestamp", "id", "url", "method", "form"] as const;
const HEADER = /^header:([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100})$/;

/** Parse what a form says is signed, such as `v0:{timestamp}:{body}`. */
export function parsePayload(payload: string): Result<readonly Piece[], PayloadFlaw> {
  const pieces: Piece[] = [];
  // With a group in it the pattern gives the names in every other place.
  for (const [at, text] of payload.split(/\{([^{}]*)\}/).entries()) {
    if (at % 2 === 0) {
      if (text !== "") pieces.push(text);
      continue;
    }
    const name = NAMES.find((one) => one === text);
    const [, header] = HEADER.exec(text) ?? [];
    if (name !== undefined) pieces.push({ name });
    else if (header !== undefined) pieces.push({ name: "header", header: header.toLowerCase() });
    else return err({ expected: "text that names what there is", hint: `There is no {${text}}; ${KNOWN}` });
  }
  const covers = pieces.filter((piece) => names(piece, "body") || names(piece, "form"));
  if (covers.length !== 1)
    return err({
      expected: "text that names {body} or {form} once",
      hint: "The signature has to cover the delivery's body, else anybody could send another one with it.",
    });
  return ok(pieces);
}

const KNOWN = "it may name {body}, {timestamp}, {id}, {url}, {method}, {form} and {header:NAME}.";

/** Whether a piece is this one. */
export function names(piece: Piece, name: Exclude<Piece, string>["name"]): boolean {
  return typeof piece !== "string" && piece.name === name;
}
