import type { Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import { respondJson } from "../../../cloudflare/http/respond.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { toBody } from "../delivery.ts";
import { NO_DELIVERY, type Scope, toShownDelivery, UNREADABLE } from "./scope.ts";

type Answered = Promise<Result<Response, Refusal>>;

/**
 * Show a delivery with the body that its endpoint is sent, as long as event and endpoint are kept. A body that a flow of the tenant makes
 * is not shown: the event may have what the flow leaves out.
 */
export async function showOwnDelivery(id: string, scope: Scope): Answered {
  const { directory, customer } = scope;
  const found = await askGate(() => directory.delivery(id, customer), UNREADABLE);
  if (!found.ok) return found;
  const delivery = found.value;
  if (delivery === null) return err(NO_DELIVERY);
  const read = await askGate(async () => {
    const kept = await directory.get(delivery.endpoint, customer);
    const { events } = await directory.events({ before: delivery.seq + 1, limit: 1 });
    return { kept: kept?.endpoint ?? null, event: events[0] };
  }, UNREADABLE);
  if (!read.ok) return read;
  const { kept, event } = read.value;
  const isShown = kept !== null && !Object.hasOwn(kept, "via") && event?.seq === delivery.seq;
  const shown = { ...toShownDelivery(delivery, scope), ...(isShown && { body: toBody(event) }) };
  return ok(respondJson(JSON.stringify(shown)));
}
