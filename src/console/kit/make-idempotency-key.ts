/**
 * Make a fresh idempotency key: what is sent under one is seen through by the Worker whatever becomes of the page. `randomUUID` is not
 * there on plain http.
 */
export function makeKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(12)));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
