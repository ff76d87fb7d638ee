import { attempt, attemptNow, err, ok, type Result } from "../core/kit/result.ts";
import { sha256 } from "../core/kit/sha256.ts";
import { fromBase64, toBase64Url } from "../core/kit/base64.ts";
import { textOf } from "./configuration.ts";
import type { Env } from "./configured.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { createSlot } from "./slot.ts";
import { getOrMake } from "../core/kit/get-or-make.ts";

/** Runs work of the platform that takes real time, which a test's clock waits for. */
export type Outside = <T>(work: Promise<T>) => Promise<T>;

/** The owner of a sealed text, its tenant first and its use last: sealed for one, it cannot be opened as another's. */
export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];

export interface VaultKey {
  /** Tells which key sealed a text, and nothing of the key. */
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
export const VAULT_KEY = "VOLLEY_VAULT_KEY";

export const KEY_EXPECTED = "it must be 32 bytes in base64, as 'openssl rand -base64 32' prints them";

const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]+)$/;

/**
 * Parse `VOLLEY_VAULT_KEY`: 32 bytes in base64, or two of them with a comma between, of which the first seals and both open. The reason
 * shows nothing of a key.
 */
export function parseVaultKeys(text: string): Result<readonly VaultKey[], string> {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > 2)
    return err("it must be one key, or two with a comma between them while it is changed");
  const keys: VaultKey[] = [];
  for (const part of parts) {
    const decoded = attemptNow(() => fromBase64(part));
    if (!decoded.ok || decoded.value.length !== KEY_BYTES) return err(KEY_EXPECTED);
    keys.push({ id: sha256(`volley vault ${part}`).slice(0, 8), bytes: decoded.value });
  }
  if (keys.length === 2 && keys[0]!.id === keys[1]!.id) return err("its two keys are the same");
  return ok(keys);
}

/** Seals texts with AES-256-GCM, under the first of its keys, and opens those of all. */
export class Vault {
  readonly #keys: readonly VaultKey[];
  readonly #outside: Outside;
  readonly #imported = new Map<string, Promise<CryptoKey>>();

  /** @param keys none where a deployment has no key: then nothing is sealed */
  constructor(keys: readonly VaultKey[], outside: Outside) {
    this.#keys = keys;
    this.#outside = outside;
  }

  get canSeal(): boolean {
    return this.#keys.length > 0;
  }

  async seal(text: string, sealedFor: SealedFor): Promise<string> {
    const [key] = this.#keys;
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const bytes = await this.#outside(
      this.#import(key!).then((imported) =>
        crypto.subtle.encrypt(toAlgorithm(iv, sealedFor), imported, new TextEncoder().encode(text)),
      ),
    );
    return `v1.${key!.id}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(bytes))}`;
  }

  /** Open a sealed text; null where no key opens it, or it belongs to something else. */
  async open(sealed: string, sealedFor: SealedFor): Promise<string | null> {
    const [, id, nonce, text] = SEALED.exec(sealed) ?? [];
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined) return null;
    const opened = await attempt(() =>
      this.#outside(
        this.#import(key).then((imported) =>
          crypto.subtle.decrypt(
            toAlgorithm(fromBase64Url(nonce!), sealedFor),
            imported,
            fromBase64Url(text!),
          ),
        ),
      ),
    );
    return opened.ok ? new TextDecoder().decode(opened.value) : null;
  }

  /** Whether a text is sealed under the key that seals now. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`v1.${this.#keys[0]!.id}.`);
  }

  /** Whether a text is sealed, under whatever key. */
  static isSealed(text: string): boolean {
    return SEALED.test(text);
  }

  #import(key: VaultKey): Promise<CryptoKey> {
    return getOrMake(this.#imported, key.id, () =>
      crypto.subtle.importKey("raw", key.bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
    );
  }
}

function toAlgorithm(iv: Uint8Array<ArrayBuffer>, sealedFor: SealedFor): AesGcmParams {
  return {
    name: "AES-GCM",
    iv,
    additionalData: new Uint8Array(new TextEncoder().encode(JSON.stringify(sealedFor))),
  };
}

interface AesGcmParams {
  readonly name: "AES-GCM";
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly additionalData: Uint8Array<ArrayBuffer>;
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

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
