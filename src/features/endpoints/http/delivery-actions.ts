import { askGate, respondJson, respondList } from "../../../feature/answer.ts";
import { lazySchema, parseList } from "../../../feature/schema.ts";
import { pageSchema } from "../../../core/contract/list-query.ts";
import { err, makeRefusal, ok } from "../../../feature/refuse.ts";
import { DELIVERY_STATUSES, toBody } from "../delivery.ts";
import { deliverySchema } from "../endpoint-json.ts";
import {
  NO_DELIVERY,
  type Answered,
  type Scope,
  toShownDelivery,
  UNREADABLE,
  parsePlaceCursor,
  toPlaceCursor,
} from "./scope.ts";

export const deliveryPageSchema = lazySchema(() =>
  pageSchema("deliveries", deliverySchema(), "DeliveryPage"),
);

/** List deliveries, the latest event first. */
export async function listDeliveries(query: URLSearchParams, scope: Scope): Answered {
  const { customer } = scope;
  const own = customer === undefined ? ({ run: "text" } as const) : {};
  const fields = { endpoint: "text", event: "text", status: DELIVERY_STATUSES, ...own } as const;
  const parsed = parseList(query, parsePlaceCursor, fields);
  if (!parsed.ok) return parsed;
  const asked = { ...parsed.value, customer };
  const found = await askGate(() => scope.directory.deliveries(asked), UNREADABLE);
  if (!found.ok) return found;
  const { deliveries, next } = found.value;
  return respondList("deliveries", deliveries, {
    limit: asked.limit,
    toJson: (one) => JSON.stringify(toShownDelivery(one, scope)),
    toCursor: toPlaceCursor,
    next: next === null ? null : toPlaceCursor(next),
  });
}

export async function showDelivery(id: string, scope: Scope): Answered {
  const found = await askGate(() => scope.directory.delivery(id, scope.customer), UNREADABLE);
  if (!found.ok) return found;
  return found.value === null
    ? err(NO_DELIVERY)
    : ok(respondJson(JSON.stringify(toShownDelivery(found.value, scope))));
}

export async function resendDelivery(id: string, scope: Scope): Answered {
  const hint = "Whether it is delivered again is not certain; look at the delivery.";
  const resent = await askGate(() => scope.directory.resend(id, scope.customer), hint);
  if (!resent.ok) return resent;
  if (resent.value === null) return err(NO_DELIVERY);
  if (!resent.value) return err(NOT_RESENT);
  return ok(respondJson(JSON.stringify({ delivery_id: id, status: "pending" }), { status: 202 }));
}

const NOT_RESENT = makeRefusal(
  "INVALID_REQUEST",
  "Nothing is sent again: the endpoint is paused, disabled or deleted, or its event is not kept any more.",
);

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
  const isShown = kept !== null && kept.via === undefined && event?.seq === delivery.seq;
  const shown = { ...toShownDelivery(delivery, scope), ...(isShown && { body: toBody(event) }) };
  return ok(respondJson(JSON.stringify(shown)));
}
