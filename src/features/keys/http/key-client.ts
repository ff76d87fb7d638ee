import { type CallerSource, type Configured, createSlot, type Env } from "../../../feature/define.ts";
import { placeAsConfigured, readNamespace } from "../../../feature/object.ts";
import { ok } from "../../../feature/refuse.ts";
import type { KeyShardNamespace } from "../objects/key-shards.ts";
import { KEY_SHARDS, type KeyShardMethods } from "../stored-key.ts";
import { MadeKeys } from "./check-key.ts";

/** The keys of a deployment that were made while running; null where it has no objects that keep any. */
export const madeKeysOf = createSlot((configured) => {
  const shards = readKeyShards(configured.env);
  return { made: shards && new MadeKeys(shards, configured.keys.callers, configured.ports) };
});

/** Open the keys that were made while running. Throws where the runtime cannot keep the objects where the configuration says. */
export function openMadeKeys(configured: Configured): CallerSource {
  return madeKeysOf(configured).made ?? NO_KEYS;
}

const NO_KEYS: CallerSource = {
  hasForm: () => false,
  recall: () => undefined,
  identify: () => Promise.resolve(ok(null)),
};

/**
 * Read the binding of the objects that keep keys; null where it is missing. No key places them, because a key is looked for before its
 * tenant is known: they are where `VOLLEY_JURISDICTION` says.
 */
export function readKeyShards(env: Env): KeyShardNamespace | null {
  const anywhere = readNamespace<KeyShardMethods>(env, KEY_SHARDS);
  return anywhere && placeAsConfigured(env, anywhere);
}
