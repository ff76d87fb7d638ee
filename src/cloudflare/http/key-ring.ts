import type * as z from "zod/mini";

import {
  type Caller,
  type Jurisdiction,
  JURISDICTIONS,
  fittingFlags,
  KEY_NAME,
  SUBJECT,
  SUBJECT_FLAGS,
} from "../../core/contract/gate/caller.ts";
import { listOf, matching, object, oneOf, optional, upTo, written } from "../../core/contract/form.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { toIssues } from "../../core/contract/issues.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { SHIPPED } from "../../shipped.ts";
import { ConfigurationError } from "../platform/configuration-error.ts";

const HASH = /^[0-9a-f]{64}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** The configured keys: of each everything but the key. */
export const keysForm = (flags: readonly string[]) =>
  listOf(
    object({
      name: matching(KEY_NAME),
      /** Hex HMAC-SHA-256 of the key, as `npm run key` prints it. */
      hash: matching(HASH),
      /** The name unless said. */
      tenant: optional(matching(KEY_NAME)),
      /** May be empty: a key that only looks need call nothing. */
      tools: listOf(written, { min: 0 }),
      quota: optional(object({ limit: upTo(), window_s: upTo(86_400) })),
      /** Name of the variable with the secret that signs this key's callbacks. */
      webhook_secret: optional(matching(VARIABLE)),
      flags: optional(listOf(oneOf(...flags), { min: 0 })),
      /** Where the tenant's objects are kept, whatever `VOLLEY_JURISDICTION` says. */
      jurisdiction: optional(oneOf(...JURISDICTIONS)),
      /** The one whose accounts it uses. */
      subject: optional(matching(SUBJECT)),
    }),
    { min: 0 },
  );

/** Separates these digests from any other use of the same text; changing it revokes every key. */
const HMAC_LABEL = "volley/key/v1";

/**
 * The digest of the empty key, which a request without a key would have. In base64, so that nothing in the bundle looks like the
 * hash of a key.
 */
export const EMPTY_KEY_DIGEST = "jEHd4yaERScFHPjv+D6aKdoAW/qY+lF+jhmaAwHcZkQ=";

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

  /** Everyone who may call. */
  get callers(): readonly Caller[] {
    return this.#keys.map(({ caller }) => caller);
  }

  /** Whether no key at all is accepted. */
  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** The caller of the configured key with this hash, or null. */
  ofHash(hash: string): Caller | null {
    const digest = toDigest(hash);
    return this.#keys.find((key) => equalBytes(key.digest, digest))?.caller ?? null;
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

/**
 * Read the key configuration (JSON text); nothing configured is an empty ring. Throws with what is wrong with it, naming
 * entries and fields and never showing a hash.
 *
 * Two entries of one tenant have two names and two hashes: a quota, a log line and a revocation are always one key's.
 *
 * @param everywhere the jurisdiction of the keys that name none
 * @param known the flags that a key may have, in the order that its own get; those of every feature that Volley ships unless said
 */
export function parseKeyRing(
  text: string | undefined,
  {
    everywhere,
    flags: known = Object.keys(SHIPPED.flags),
  }: { readonly everywhere?: Jurisdiction | undefined; readonly flags?: readonly string[] | undefined } = {},
): KeyRing {
  if (text === undefined || text.trim() === "") return new KeyRing([]);
  const json = attemptNow((): unknown => JSON.parse(text));
  if (!json.ok) throw new ConfigurationError("VOLLEY_KEYS", "it is not JSON");
  const { value } = json;
  const form = keysForm(known);
  if (!form.fits(value)) {
    const issues = toIssues(form.schema().safeParse(value).error!, value);
    // The value that came is not shown, because it may be a key.
    throw new ConfigurationError(
      "VOLLEY_KEYS",
      issues.map(({ path, expected }) => `${path} must be ${expected}`).join("; "),
    );
  }
  const clash = findClash(value);
  if (clash !== null) throw new ConfigurationError("VOLLEY_KEYS", clash);
  refuseReach(value);
  const keys = value.map(
    ({ name, hash, tenant, tools, quota, flags, webhook_secret, jurisdiction = everywhere, subject }) => ({
      digest: toDigest(hash),
      caller: {
        name,
        tenant: tenant ?? name,
        tools,
        quota: { limit: quota?.limit ?? LIMITS.quota, windowS: quota?.window_s ?? LIMITS.quotaWindowS },
        flags: known.filter((flag) => flags?.includes(flag)),
        ...(webhook_secret !== undefined && { webhookSecret: webhook_secret }),
        ...(jurisdiction !== undefined && { jurisdiction }),
        ...(subject !== undefined && { subject }),
      },
    }),
  );
  refuseSplitTenants(keys);
  return new KeyRing(keys);
}

/** A tenant in two jurisdictions would be two: two quotas, and jobs and questions that half of its keys cannot find. */
function refuseSplitTenants(keys: readonly ConfiguredKey[]): void {
  const seen = new Map<string, Caller>();
  for (const { caller } of keys) {
    const { tenant, name, jurisdiction = "none" } = caller;
    const other = seen.get(tenant) ?? caller;
    seen.set(tenant, other);
    if (other.jurisdiction !== caller.jurisdiction)
      throw new ConfigurationError(
        "VOLLEY_KEYS",
        `the keys of tenant '${tenant}' must have one jurisdiction, received ` +
          `'${other.jurisdiction ?? "none"}' for '${other.name}' and '${jurisdiction}' for '${name}'`,
      );
  }
}

type Entry = z.input<ReturnType<ReturnType<typeof keysForm>["schema"]>>[number];

/** Find two entries with one key, or one entry that lets every caller in; null when there is none. */
function findClash(entries: readonly Entry[]): string | null {
  const byName = new Map<string, number>();
  const byHash = new Map<string, number>();
  for (const [at, { name, tenant = name, hash }] of entries.entries()) {
    const entry = `entry ${at} ('${name}')`;
    if (btoa(String.fromCharCode(...toDigest(hash))) === EMPTY_KEY_DIGEST)
      return `${entry} has the hash of an empty key; make one with 'npm run key'`;
    const sameName = byName.get(`${tenant}/${name}`);
    if (sameName !== undefined)
      return `${entry} has the name of entry ${sameName}, and both are of the tenant '${tenant}'; give each key a name of its own`;
    const sameHash = byHash.get(hash);
    if (sameHash !== undefined)
      return `${entry} has the hash of entry ${sameHash} ('${entries[sameHash]!.name}'); give each entry a key of its own`;
    byName.set(`${tenant}/${name}`, at);
    byHash.set(hash, at);
  }
  return null;
}

/** Throw where a key acts for one subject and has a right over what others have. */
function refuseReach(entries: readonly Entry[]): void {
  for (const [at, { name, subject, flags = [] }] of entries.entries()) {
    const fitting = fittingFlags(flags, subject);
    const beyond = flags.find((flag) => !fitting.includes(flag));
    if (beyond === undefined) continue;
    const reason =
      `entry ${at} ('${name}') acts for the subject '${subject}', so its flags may be ${SUBJECT_FLAGS.join(", ")} ` +
      `and not '${beyond}', which reaches what others have; take the flag out, or the subject`;
    throw new ConfigurationError("VOLLEY_KEYS", reason, `the key '${name}'`);
  }
}

/** HMAC-SHA-256 of a key. Keys have 256 random bits, so a plain keyed digest cannot be searched. */
export async function digestKey(key: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const label = await crypto.subtle.importKey("raw", encoder.encode(HMAC_LABEL), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", label, encoder.encode(key)));
}

/** The hash of the key that a request came with, by which a deployment finds out later whether that key has ended. */
export async function hashOfSentKey({ headers }: Request): Promise<string> {
  const [, key = ""] = /^Bearer +([^\s]+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  return toHash(await digestKey(key));
}

/** A digest as it is configured and kept. */
export function toHash(digest: Uint8Array): string {
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function toDigest(hash: string): Uint8Array {
  return Uint8Array.from(hash.match(/../g)!, (byte) => Number.parseInt(byte, 16));
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i += 1) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
