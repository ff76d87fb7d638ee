import { type Caller, mayDo } from "../../core/contract/gate/caller.ts";
import { makeRefusal } from "../../core/contract/refusal.ts";

/**
 * Name the only key whose jobs and runs a caller may end or run again: its own, unless it manages its tenant's tools or decides its
 * questions. Undefined where it may everybody's. A trigger's work is no key's.
 */
export function onlyWorkOf(caller: Caller): string | undefined {
  return mayDo(caller, "manage_tools") || mayDo(caller, "approve") ? undefined : caller.name;
}

/** Whether a caller may end, or run again, what a key began. */
export function mayChangeWork(caller: Caller, key: string | undefined): boolean {
  const only = onlyWorkOf(caller);
  return only === undefined || only === key;
}

export const OTHERS_WORK = makeRefusal(
  "FORBIDDEN",
  "Another key began this. A key with neither 'manage_tools' nor 'approve' ends, and runs again, what it began itself; nothing was changed.",
);
