import { digestKey } from "../../src/cloudflare/http/key-ring.ts";

/** An entry of `VOLLEY_KEYS`, but for the hash. */
export interface KeyEntry {
  readonly name: string;
  readonly tenant?: string;
  readonly tools?: readonly string[];
  readonly quota?: { readonly limit: number; readonly window_s: number };
  readonly flags?: readonly string[];
  readonly subject?: string;
  readonly jurisdiction?: string;
}

/** `VOLLEY_KEYS` with an entry for each key, by the key itself. */
export async function configureKeys(entries: Readonly<Record<string, KeyEntry>>): Promise<string> {
  const list = Object.entries(entries).map(async ([key, entry]) => ({
    tools: ["*"],
    ...entry,
    hash: Buffer.from(await digestKey(key)).toString("hex"),
  }));
  return JSON.stringify(await Promise.all(list));
}
