/** Write bytes in base64url (RFC 4648, 5), without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (character) => SAFE[character]!);
}

const SAFE: Readonly<Record<string, string>> = { "+": "-", "/": "_", "=": "" };
