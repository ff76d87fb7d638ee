import * as LIMITS from "../limits.ts";
import { type TakenRows, takeRows } from "../../../core/kit/take-rows.ts";
import type { Delivery } from "../delivery.ts";
import type { DeliveryQueue } from "../delivery-queue.ts";
import type { DeliveryQuery, SeenDelivery } from "../endpoint-shard-methods.ts";
import type { DeliveryRange } from "./delivery-table.ts";
import type { NamedEndpoint } from "./endpoint-table.ts";
import type { ShardStore } from "./shard-store.ts";

/** Find the deliveries of one object that are asked for, the latest event first. */
export function findDeliveries(
  store: ShardStore,
  query: DeliveryQuery,
  nowMs: number,
): TakenRows<SeenDelivery> {
  const seen = seeAll(findPlaces(store, query), store, nowMs);
  return takeRows(seen, { limit: query.limit, characters: LIMITS.pageBytes });
}

/** The place of a delivery in the list, and of its row. */
interface Place {
  readonly seq: number;
  readonly endpoint: NamedEndpoint;
}

/** Find where as many stand as are asked for, and one more. It reads nothing of an endpoint that stands behind what others have. */
function findPlaces(store: ShardStore, query: DeliveryQuery): readonly Place[] {
  const { endpoints, after } = query;
  const most = query.limit + 1;
  const all = endpoints?.flatMap((id) => [...store.endpoints.named(id)]) ?? store.endpoints.named();
  let found: Place[] = [];
  for (const endpoint of all) {
    const { no } = endpoint;
    // The endpoints of one event come in the order of their numbers, the latest first.
    const before = after === null ? Number.MAX_SAFE_INTEGER : after.no > no ? after.seq + 1 : after.seq;
    const from = found.length < most ? 0 : found.at(-1)!.seq;
    const own = seqsOf(no, store, { ...query, from, before, limit: most });
    if (own.length === 0) continue;
    found.push(...own.map((seq) => ({ seq, endpoint })));
    found = found.sort((a, b) => b.seq - a.seq || b.endpoint.no - a.endpoint.no).slice(0, most);
  }
  return found;
}

/** The latest deliveries to one endpoint: those that have a row, and those whose first attempt is not over. */
function seqsOf(no: number, store: ShardStore, range: DeliveryRange): readonly number[] {
  const { seqs, status, from, before, limit } = range;
  const kept = store.deliveries.seqs(no, range);
  if (status !== undefined && status !== "pending") return kept;
  const open = (seqs ?? store.queue.open(no)).filter((seq) => seq >= from && seq < before);
  const fresh: number[] = [];
  for (const seq of open.sort((a, b) => b - a)) {
    if (fresh.length === limit) break;
    if (store.isFresh({ no, seq })) fresh.push(seq);
  }
  return [...kept, ...fresh];
}

function* seeAll(places: readonly Place[], store: ShardStore, nowMs: number): Generator<SeenDelivery, void> {
  for (const { seq, endpoint } of places) {
    const delivery = store.find({ no: endpoint.no, seq });
    if (delivery !== null) yield toSeen(delivery, endpoint, { queue: store.queue, nowMs });
  }
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
