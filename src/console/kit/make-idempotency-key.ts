/**
 * Make a fresh idempotency key: what is sent under one is seen through by the Worker whatever becomes of the page. `randomUUID` is not
 * there on plain http.
 */
export function makeKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
