import { toBase64 } from "../../core/kit/base64.ts";

/** HMAC-SHA-256 of a text, as base64. */
export async function signText(key: Uint8Array, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
  return toBase64(new Uint8Array(mac));
}
