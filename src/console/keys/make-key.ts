import { toHex } from "../kit/make-idempotency-key.ts";

/** The label that keys are digested under, as the Worker does it. */
const LABEL = "volley/key/v1";
/** The allowed names of a key, or a tenant. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export interface MadeKey {
  readonly key: string;
  /** Its digest in hex: all that leaves the browser, or stands in a configuration. */
  readonly hash: string;
}

/**
 * Make a key of 32 random bytes, in the form of those that `npm run key` prints: a prefix, the bytes, and the beginning of a
 * digest of both, so that a slip is known for one.
 */
export async function makeKey(random = crypto.getRandomValues(new Uint8Array(32))): Promise<MadeKey> {
  const text = btoa(String.fromCharCode(...random))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  const begin = `vk_${text}`;
  const checksum = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(begin)))).slice(0, 8);
  const key = `${begin}_${checksum}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const label = await crypto.subtle.importKey("raw", encode(LABEL), algorithm, false, ["sign"]);
  return { key, hash: toHex(new Uint8Array(await crypto.subtle.sign("HMAC", label, encode(key)))) };
}

/** The purpose of a key, as it is typed. */
export interface KeyWish {
  readonly name: string;
  readonly tenant: string;
  /** Names and categories between commas. */
  readonly tools: string;
  readonly flags: readonly string[];
}

/** The faults of a wish, in words, by field. */
export type WrongWish = { readonly [Field in "name" | "tenant" | "tools"]?: string };

/** Find what is wrong with a wish; nothing where it can be sent. */
export function refuseWish({ name, tenant, tools }: KeyWish): WrongWish {
  const form = "has 1 to 64 letters, digits, '_', '.' or '-'.";
  return {
    ...(!NAME.test(name) && { name: `A name ${form}` }),
    ...(tenant !== "" && !NAME.test(tenant) && { tenant: `A tenant ${form}` }),
    ...(splitTools(tools).length === 0 && { tools: "Say which tools it may call; * is all." }),
  };
}

/** Take the names of a text apart. */
export function splitTools(tools: string): readonly string[] {
  return tools
    .split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "");
}

/** Write the entry for `VOLLEY_KEYS`, as `npm run key` writes it. */
export function toEntry({ name, tenant, tools, flags }: KeyWish, hash: string): string {
  return JSON.stringify({
    name,
    hash,
    tenant: tenant === "" ? name : tenant,
    tools: splitTools(tools),
    ...(flags.length > 0 && { flags }),
  });
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
