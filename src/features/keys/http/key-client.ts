import { hasKeyForm, KEY_SHARDS, type KeyShardMethods } from "../stored-key.ts";
import type { Caller } from "../../../core/contract/gate/caller.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import type { Configured, Env } from "../../../cloudflare/configured.ts";
import type { CallerSource } from "../../../cloudflare/feature.ts";
import { placeAsConfigured, readNamespace } from "../../../cloudflare/object-client.ts";
import { createSlot } from "../../../cloudflare/slot.ts";
import { ok, type Result } from "../../../core/kit/result.ts";
import type { KeyShardNamespace } from "../objects/key-shards.ts";
import type { MadeKeys } from "./check-key.ts";

/** The keys that are made while running, in one deployment. The code that looks them up is loaded when the first is asked for. */
class KeyDesk implements CallerSource {
  readonly #shards: KeyShardNamespace | null;
  readonly #configured: Configured;
  #made: MadeKeys | undefined;

  /** Throws where the runtime cannot keep the objects where the configuration says. */
  constructor(configured: Configured) {
    this.#configured = configured;
    this.#shards = readKeyShards(configured.env);
  }

  hasForm(key: string): boolean {
    return this.#shards !== null && hasKeyForm(key);
  }

  recall(key: string): Caller | null | undefined {
    return this.#made?.recall(key);
  }

  async identify(key: string): Promise<Result<Caller | null, Refusal>> {
    const known = this.recall(key);
    if (known !== undefined) return ok(known);
    const made = await this.open();
    return made === null ? ok(null) : made.identify(key);
  }

  readonly ofHash = async (hash: string): Promise<Result<Caller | null, Refusal>> => {
    const made = await this.open();
    return made === null ? ok(null) : made.ofHash(hash);
  };

  /** The keys; null where the deployment has no objects that keep any. */
  async open(): Promise<MadeKeys | null> {
    if (this.#shards === null) return null;
    const { MadeKeys: Made } = await import("./check-key.ts");
    const { keys, ports } = this.#configured;
    return (this.#made ??= new Made(this.#shards, keys.callers, ports));
  }
}

/** The desk of a deployment. */
export const keyDeskOf = createSlot((configured) => new KeyDesk(configured));

/**
 * Read the binding of the objects that keep keys; null where it is missing. No key places them, because a key is looked for before its
 * tenant is known: they are where `VOLLEY_JURISDICTION` says.
 */
export function readKeyShards(env: Env): KeyShardNamespace | null {
  const anywhere = readNamespace<KeyShardMethods>(env, KEY_SHARDS);
  return anywhere && placeAsConfigured(env, anywhere);
}
