import * as z from "zod";

import type { Caller } from "../../contract/gate/caller.ts";
import { isWritten, listOf, matches, oneOf, record, upTo } from "../../contract/json.ts";
import { lazySchema } from "../../contract/lazy-schema.ts";
import { LIMITS } from "../../contract/limits.ts";
import { attemptNow } from "../../kit/result.ts";
import { ConfigurationError } from "../platform/configuration-error.ts";

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const HASH = /^[0-9a-f]{64}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** The configured keys: of each everything but the key. */
export const keysSchema = lazySchema(() =>
  z.array(
    z.strictObject({
      name: z.string().regex(NAME),
      /** Hex HMAC-SHA-256 of the key, as `npm run key` prints it. */
      hash: z.string().regex(HASH),
      /** The name unless said. */
      tenant: z.string().regex(NAME).optional(),
      tools: z.array(z.string().min(1)).min(1),
      quota: z.strictObject({ limit: z.int().min(1), window_s: z.int().min(1).max(86_400) }).optional(),
      /** Name of the variable with the secret that signs this key's callbacks. */
      webhook_secret: z.string().regex(VARIABLE).optional(),
      flags: z.array(z.enum(["skip_approval"])).optional(),
    }),
  ),
);

/** Separates these digests from any other use of the same text; changing it revokes every key. */
const HMAC_LABEL = "volley/key/v1";

/** Verified keys remembered per isolate, so that a busy caller is not hashed on every request. */
const REMEMBERED = 1_000;

interface ConfiguredKey {
  readonly digest: Uint8Array;
  readonly caller: Caller;
}

/**
 * The configured keys. Only digests are held; a presented key is digested and compared with every one of them, in
 * constant time, so an answer tells nothing about how close a guess was.
 */
export class KeyRing {
  readonly #keys: readonly ConfiguredKey[];
  readonly #verified = new Map<string, Caller>();

  constructor(keys: readonly ConfiguredKey[]) {
    this.#keys = keys;
  }

  /** Whether nobody can get in, whatever key is sent. */
  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** The caller a key belongs to, or null. */
  async identify(key: string): Promise<Caller | null> {
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    const digest = await digestKey(key);
    let found: Caller | null = null;
    for (const candidate of this.#keys) {
      if (equalBytes(digest, candidate.digest)) found = candidate.caller;
    }
    if (found !== null) {
      if (this.#verified.size >= REMEMBERED) this.#verified.clear();
      this.#verified.set(key, found);
    }
    return found;
  }
}

/** Read the key configuration (JSON text). Throws with what is wrong with it; nothing configured is an empty ring. */
export function parseKeyRing(text: string | undefined): KeyRing {
  if (text === undefined || text.trim() === "") return new KeyRing([]);
  const json = attemptNow((): unknown => JSON.parse(text));
  if (!json.ok) throw new ConfigurationError("VOLLEY_KEYS", "it is not JSON");
  const { value } = json;
  if (!fitsKeys(value))
    throw new ConfigurationError("VOLLEY_KEYS", z.prettifyError(keysSchema().safeParse(value).error!));
  return new KeyRing(
    value.map(({ name, hash, tenant, tools, quota, flags, webhook_secret }) => ({
      digest: Uint8Array.from(hash.match(/../g)!, (byte) => Number.parseInt(byte, 16)),
      caller: {
        name,
        tenant: tenant ?? name,
        tools,
        quota: { limit: quota?.limit ?? LIMITS.quota, windowS: quota?.window_s ?? LIMITS.quotaWindowS },
        skipApproval: flags?.includes("skip_approval") ?? false,
        ...(webhook_secret !== undefined && { webhookSecret: webhook_secret }),
      },
    })),
  );
}

/** Whether a value is a list of keys, as `keysSchema` would say. */
export function fitsKeys(value: unknown): value is z.input<ReturnType<typeof keysSchema>> {
  return KEYS(value);
}

const KEYS = listOf(
  record(
    {
      name: matches(NAME),
      hash: matches(HASH),
      tenant: matches(NAME),
      tools: listOf(isWritten),
      quota: record({ limit: upTo(Number.MAX_SAFE_INTEGER), window_s: upTo(86_400) }, ["limit", "window_s"]),
      webhook_secret: matches(VARIABLE),
      flags: listOf(oneOf("skip_approval"), { min: 0 }),
    },
    ["name", "hash", "tools"],
  ),
  { min: 0 },
);

/** HMAC-SHA-256 of a key. Keys have 256 random bits, so a plain keyed digest cannot be searched. */
export async function digestKey(key: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const label = await crypto.subtle.importKey("raw", encoder.encode(HMAC_LABEL), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", label, encoder.encode(key)));
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i += 1) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
