import { mayDo } from "../../../core/contract/gate/caller.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { prepareDecision, sayNo } from "./decide.ts";
import { findConfirmation } from "./find-confirmation.ts";

/** Say no to a question whose run is cancelled; false where it is over, is none for the caller, or the caller may not decide. */
export async function withdraw(id: string, context: RequestContext): Promise<boolean> {
  if (!mayDo(context.caller, "approve")) return false;
  const found = await findConfirmation(id, context);
  if (!found.ok) return false;
  const by = { name: context.caller.name, via: "key" } as const;
  const no = { decision: "reject", shownHash: undefined, key: null, by, reason: CANCELLED } as const;
  const prepared = prepareDecision(found.value, no, context);
  return prepared.ok && prepared.value.kind === "open" && (await sayNo(prepared.value, context)).ok;
}

const CANCELLED = "Its run was cancelled.";
