import type { Caller } from "../../contract/gate/caller.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";

const FLAGS = { manageTools: "manage_tools", manageKeys: "manage_keys" } as const;

/** Refuse a key that lacks a flag; null where it has the flag. */
export function refuseWithout(flag: keyof typeof FLAGS, caller: Caller): Refusal | null {
  if (caller[flag] === true) return null;
  return makeRefusal("FORBIDDEN", `The key has no flag '${FLAGS[flag]}'; ask the operator for one that has.`);
}
