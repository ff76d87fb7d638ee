import * as LIMITS from "../limits.ts";
import { makeSecretText } from "../link-token.ts";

const COOKIE = "volley_connect";

/** The text that this browser keeps, where it was here before; null where it keeps none. */
export function readCookie({ headers }: Request): string | null {
  const [, text] =
    /(?:^|;\s*)volley_connect=([A-Za-z0-9_-]{43})(?:;|$)/.exec(headers.get("cookie") ?? "") ?? [];
  return text ?? null;
}

/** Make the text that a browser is to keep. */
export function makeBrowserText(): string {
  return makeSecretText(crypto.getRandomValues(new Uint8Array(32)));
}

/** It goes along when the provider leads the browser back, and no script reads it. */
export function writeCookie(text: string, { protocol }: URL): string {
  const secure = protocol === "https:" ? "; Secure" : "";
  const maxAgeS = LIMITS.connectionLinkMs / 1_000;
  return `${COOKIE}=${text}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}
