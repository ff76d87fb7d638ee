import * as LIMITS from "../limits.ts";
import { type TakenRows, takeRows } from "../../../core/kit/take-rows.ts";
import type { Delivery } from "../delivery.ts";
import type { DeliveryQueue } from "../delivery-queue.ts";
import type { DeliveryQuery, SeenDelivery } from "../shard-methods.ts";
import type { NamedEndpoint } from "./endpoint-table.ts";
import type { ShardStore } from "./shard-store.ts";

/** Find the deliveries of one object that are asked for, the latest event first. */
export function findDeliveries(
  store: ShardStore,
  query: DeliveryQuery,
  nowMs: number,
): TakenRows<SeenDelivery> {
  const { limit } = query;
  const seen = gatherDeliveries(store, { ...query, limit: limit + 1 })
    .sort((a, b) => b.delivery.seq - a.delivery.seq || b.endpoint.no - a.endpoint.no)
    .slice(0, limit + 1)
    .map(({ delivery, endpoint }) => toSeen(delivery, endpoint, { queue: store.queue, nowMs }));
  return takeRows(seen, { limit, characters: LIMITS.pageBytes, sizeOf: (one) => JSON.stringify(one).length });
}

/** Gather the deliveries of one object that are asked for, of each endpoint the first. */
export function gatherDeliveries(
  store: ShardStore,
  { endpoints, seqs, status, after, limit }: DeliveryQuery,
): { readonly delivery: Delivery; readonly endpoint: NamedEndpoint }[] {
  const { endpoints: table, deliveries } = store;
  const all = endpoints?.flatMap((id) => [...table.named(id)]) ?? [...table.named()];
  return all.flatMap((endpoint) => {
    const { no } = endpoint;
    // The endpoints of one event come in the order of their numbers, the latest first.
    const before = after === null ? Number.MAX_SAFE_INTEGER : after.no > no ? after.seq + 1 : after.seq;
    const kept =
      seqs === undefined ? deliveries.list(no, { status, before, limit }) : deliveries.of(no, seqs);
    const fresh = status === undefined || status === "pending" ? store.pendingOf(no, seqs) : [];
    return [...kept, ...fresh]
      .filter((one) => one.seq < before && (status === undefined || one.status === status))
      .map((delivery) => ({ delivery, endpoint }));
  });
}

/** Show a delivery with its endpoint. One that waits is tried when its endpoint may be sent to, not only when it is due. */
export function toSeen(
  delivery: Delivery,
  { id, customer }: NamedEndpoint,
  { queue, nowMs }: { readonly queue: DeliveryQueue; readonly nowMs: number },
): SeenDelivery {
  const isWaiting = delivery.dueAt !== null && !queue.isRunning(delivery);
  const dueAt = isWaiting ? queue.turnAt(delivery, nowMs) : delivery.dueAt;
  return { ...delivery, dueAt, endpoint: id, customer: customer ?? null };
}
