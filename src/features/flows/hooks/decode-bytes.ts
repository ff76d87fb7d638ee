import { attemptNow } from "../../../core/kit/result.ts";
import type { Encoding } from "./hook-form.ts";

/** The bytes that a text writes; null where it is no such text. Base64 is read in the one way to write it. */
export function decodeBytes(text: string, encoding: Encoding): Uint8Array | null {
  if (encoding === "hex") return decodeHex(text);
  if (encoding === "base64") return decodeBase64(text);
  if (!/^[\w-]+={0,2}$/.test(text)) return null;
  const letters = text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  return decodeBase64(letters + "=".repeat((4 - (letters.length % 4)) % 4));
}

function decodeHex(text: string): Uint8Array | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}

function decodeBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const decoded = attemptNow(() => atob(text));
  // The last letter may have bits that no byte has: the same signature could be written otherwise.
  if (!decoded.ok || btoa(decoded.value) !== text) return null;
  return Uint8Array.from(decoded.value, (character) => character.charCodeAt(0));
}
