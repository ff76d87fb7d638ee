import { type Declaration, flagsOf } from "../../src/cloudflare/declared.ts";
import { digestKey, parseKeyRing, toHash } from "../../src/cloudflare/http/key-ring.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import type { Project } from "./read-project.ts";

/** Everybody knows it, so it only ever gets in on the machine of a developer. */
const KEY = "dev-key";

/** Make a key for a development server without keys: it may do all that the Worker's features know. */
export async function makeDevelopmentKey(
  features: readonly Declaration[],
): Promise<{ readonly key: string; readonly entries: string }> {
  const entry = { name: "dev", hash: toHash(await digestKey(KEY)), tools: ["*"] };
  // A key that skips the questions would show nothing of them.
  const flags = flagsOf(features).filter((flag) => flag !== "skip_approval");
  return { key: KEY, entries: JSON.stringify([{ ...entry, flags }]) };
}

/** Whether VOLLEY_KEYS is set to anything but no entry; a server with a wrong value is to say so itself. */
export function hasKeys({ config, devVars }: Project): boolean {
  const text = devVars["VOLLEY_KEYS"] ?? config.vars?.["VOLLEY_KEYS"];
  const ring = attemptNow(() => parseKeyRing(typeof text === "string" ? text : undefined));
  return !ring.ok || !ring.value.isEmpty;
}

/** The key that the variables of development show, as `VOLLEY_KEY`, where it gets in; null where there is none. */
export async function findKey({ config, devVars }: Project): Promise<string | null> {
  const { VOLLEY_KEY: key = "", VOLLEY_KEYS: own } = devVars;
  const text = own ?? config.vars?.["VOLLEY_KEYS"];
  const ring = attemptNow(() => parseKeyRing(typeof text === "string" ? text : undefined));
  if (key === "" || !ring.ok) return null;
  return ring.value.ofHash(toHash(await digestKey(key))) !== null ? key : null;
}
