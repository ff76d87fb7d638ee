/** Make a key for the vault: 32 random bytes in base64. */
export function makeVaultKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
}
