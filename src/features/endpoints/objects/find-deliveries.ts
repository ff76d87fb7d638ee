import type { Delivery } from "../delivery.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import type { DeliveryQuery, SeenDelivery } from "../shard-methods.ts";
import type { ShardStore } from "./shard-store.ts";

/** Find the deliveries of one object that are asked for, the latest event first. */
export function findDeliveries(
  store: ShardStore,
  { endpoints, seqs, status, after, limit }: DeliveryQuery,
): SeenDelivery[] {
  const { endpoints: table, deliveries } = store;
  const all = endpoints?.flatMap((id) => table.findAll(id)) ?? [...table.all()];
  const found = all.flatMap((endpoint) => {
    const { no } = endpoint;
    // The endpoints of one event come in the order of their numbers, the latest first.
    const before = after === null ? Number.MAX_SAFE_INTEGER : after.no > no ? after.seq + 1 : after.seq;
    const kept =
      seqs === undefined ? deliveries.list(no, { status, before, limit }) : deliveries.of(no, seqs);
    const fresh = status === undefined || status === "pending" ? store.pendingOf(no, seqs) : [];
    return [...kept, ...fresh]
      .filter((one) => one.seq < before && (status === undefined || one.status === status))
      .map((one) => toSeen(one, endpoint));
  });
  return found.sort((a, b) => b.seq - a.seq || b.no - a.no).slice(0, limit);
}

export function toSeen(delivery: Delivery, { id, customer }: KeptEndpoint): SeenDelivery {
  return { ...delivery, endpoint: id, customer: customer ?? null };
}
