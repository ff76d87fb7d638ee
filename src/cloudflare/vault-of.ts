import { textOf } from "./configuration.ts";
import type { Env } from "./configured.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { parseVaultKeys, VAULT_KEY, Vault, type VaultKey } from "./platform/vault.ts";
import { createSlot } from "./slot.ts";

/** The vault of a deployment, which seals what features keep. */
export const vaultOf = createSlot(({ env, ports }) => new Vault(readVaultKeys(env), ports.outside));

/** Read the keys of the vault; none where the variable is not set. Throws where it cannot be read. */
export function readVaultKeys(env: Env): readonly VaultKey[] {
  const text = textOf(env, VAULT_KEY) ?? "";
  if (text.trim() === "") return [];
  const keys = parseVaultKeys(text);
  if (!keys.ok) throw new ConfigurationError(VAULT_KEY, keys.error);
  return keys.value;
}
