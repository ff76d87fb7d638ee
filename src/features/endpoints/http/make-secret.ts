/** Make a secret that signs, as Standard Webhooks writes one. */
export function makeSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** Make an id that no other endpoint has. */
export function makeEndpointId(): string {
  return `ep_${crypto.randomUUID().replaceAll("-", "")}`;
}
