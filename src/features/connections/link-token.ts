import { sha256, toBase64Url } from "../../feature/kit.ts";
import { shardOfSubject } from "../../core/contract/gate/caller.ts";

/** Where a provider sends a person back to. */
export const CALLBACK_PATH = "/v1/connections/callback";

/** Where the issuer sends a person back to who has shown who they are. */
export const SIGNED_IN_PATH = "/v1/connections/signed-in";

/** How a connection's id is written: its object's digit, and what cannot be guessed. */
const CONNECTION_ID = /^cn_[0-9a-f]{25}$/;

/** The form of a secret text: 32 random bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

const STATE = /^([A-Za-z0-9_.-]{1,64})\.(cn_[0-9a-f]{25})\.([A-Za-z0-9_-]{43})$/;

/** The object that keeps a connection; null where a text is no id. */
export function shardOfId(id: string): number | null {
  return CONNECTION_ID.test(id) ? Number.parseInt(id.slice(3, 4), 16) : null;
}

/** Make the id of a connection. @param random 12 bytes */
export function makeConnectionId(subject: string, random: Uint8Array): string {
  const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `cn_${shardOfSubject(subject).toString(16)}${hex}`;
}

/** Make a text that cannot be guessed. @param random 32 bytes */
export function makeSecretText(random: Uint8Array): string {
  return toBase64Url(random);
}

/** The digest under which a text is kept that proves something. Any other text has one too, under which nothing is. */
export function digestOf(kind: "link" | "state" | "browser" | "code" | "visit", text: string): string {
  return sha256(SECRET.test(text) ? `${kind} ${text}` : "");
}

/** The letters of codes that people type: no vowels, so they spell no word, and none that looks like a digit. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const TYPED = new RegExp(`^[${LETTERS}]{8}$`);

/** The code that a person is shown. It is made of the proof key, so who opens the page again in the same browser is shown the same one. */
export function typedCodeOf(verifier: string): string {
  const number = BigInt(`0x${sha256(`typed code ${verifier}`)}`);
  return Array.from({ length: 8 }, (_, at) => LETTERS[Number((number / 20n ** BigInt(at)) % 20n)]).join("");
}

/** The digest of a code as somebody says it: one that is typed may have small letters, blanks and dashes. */
export function digestOfCode(text: string): string {
  const typed = text.replaceAll(/[\s-]/g, "").toUpperCase();
  return TYPED.test(typed) ? sha256(`typed code ${typed}`) : digestOf("code", text);
}

/** The challenge of a proof key (RFC 7636, 4.2). */
export function challengeOf(verifier: string): string {
  return toBase64Url(Uint8Array.from(sha256(verifier).match(/../g)!, (hex) => Number.parseInt(hex, 16)));
}

/**
 * The secret text that comes back with a person. It is made of the proof key, so two tabs with one link have the same, and the one that comes
 * back first goes on.
 */
export function returnTextOf(verifier: string): string {
  return challengeOf(`state ${verifier}`);
}

/** The place of a connection, which its link and what comes back from the provider name. */
export interface LinkPlace {
  readonly tenant: string;
  readonly id: string;
}

export function toLinkPath({ tenant, id, secret }: LinkPlace & { readonly secret: string }): string {
  return `/connect/${tenant}/${id}/${secret}`;
}

/** Write the text that comes back with a person: where to look, and what proves that it came from here. */
export function toState({ tenant, id, secret }: LinkPlace & { readonly secret: string }): string {
  return `${tenant}.${id}.${secret}`;
}

/** Read it; null if a text is not one. */
export function parseState(text: string): (LinkPlace & { readonly secret: string }) | null {
  const [, tenant, id, secret] = STATE.exec(text) ?? [];
  return secret === undefined ? null : { tenant: tenant!, id: id!, secret };
}
