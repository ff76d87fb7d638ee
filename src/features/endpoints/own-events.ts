import type { Notice } from "../../feature/notice.ts";
import { type Delivery, toDeliveryId } from "./delivery.ts";
import type { KeptEndpoint } from "./endpoint.ts";

/** Tell of a delivery that was given up, to all but its own endpoint. */
export function toFailedNotice(
  { no, seq, eventId, type, attempts }: Delivery,
  { id, customer }: KeptEndpoint,
  shard: number,
): Notice {
  const { at, status, code } = attempts.at(-1)!;
  const delivery = toDeliveryId({ shard, no, seq });
  return {
    id: `delivery-failed-${delivery}-${at}`,
    type: "volley.delivery.failed",
    about: id,
    data: JSON.stringify({
      delivery_id: delivery,
      endpoint: id,
      customer,
      event_id: eventId,
      event_type: type,
      status,
      code,
    }),
  };
}

/** Tell of an endpoint that was disabled, to all others. */
export function toDisabledNotice(
  { id, no, customer, failingSince }: KeptEndpoint,
  { at, because }: NonNullable<KeptEndpoint["disabled"]>,
): Notice {
  return {
    id: `endpoint-disabled-${no}-${at}`,
    type: "volley.endpoint.disabled",
    about: id,
    data: JSON.stringify({
      endpoint: id,
      customer,
      because,
      failing_since: failingSince === null ? null : new Date(failingSince).toISOString(),
    }),
  };
}
