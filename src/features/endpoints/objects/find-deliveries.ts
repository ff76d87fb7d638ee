import * as LIMITS from "../limits.ts";
import { type TakenRows, takeRows } from "../../../feature/kit.ts";
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

/** Find where as many stand as are asked for, and one more. It reads nothing of an endpoint that has none, or stands behind what others have. */
function findPlaces(store: ShardStore, query: DeliveryQuery): readonly Place[] {
  const { endpoints, customer, after } = query;
  const most = query.limit + 1;
  const wanted = endpoints && new Set(endpoints);
  const latest = store.deliveries.latest();
  const firsts = [...store.endpoints.named()]
    .filter((one) => wanted?.has(one.id) !== false && (customer === undefined || one.customer === customer))
    .map((endpoint): Place => ({ seq: latest.get(endpoint.no) ?? -1, endpoint }))
    .sort(comparePlaces);
  let found: Place[] = [];
  for (const first of firsts) {
    const { endpoint } = first;
    const { no } = endpoint;
    // The endpoints of one event come in the order of their numbers, the latest first.
    const before = after === null ? Number.MAX_SAFE_INTEGER : after.no > no ? after.seq + 1 : after.seq;
    const last = found.length < most ? undefined : found.at(-1)!;
    const hasRows = first.seq >= 0 && (last === undefined || comparePlaces(first, last) < 0);
    const from = Math.max(last?.seq ?? 0, customer === undefined ? 0 : (endpoint.ownFrom ?? 0));
    const range = { ...query, from, before, limit: most };
    const own = [...(hasRows ? store.deliveries.seqs(no, range) : []), ...freshOf(no, store, range)];
    if (own.length === 0) continue;
    found.push(...own.map((seq) => ({ seq, endpoint })));
    found = found.sort(comparePlaces).slice(0, most);
  }
  return found;
}

function comparePlaces(a: Place, b: Place): number {
  return b.seq - a.seq || b.endpoint.no - a.endpoint.no;
}

/** The latest deliveries to one endpoint whose first attempt is not over, so that they have no row. */
function freshOf(no: number, store: ShardStore, range: DeliveryRange): readonly number[] {
  const { seqs, status, from, before, limit } = range;
  if (status !== undefined && status !== "pending") return [];
  const open = (seqs ?? store.queue.open(no)).filter((seq) => seq >= from && seq < before);
  const fresh: number[] = [];
  for (const seq of open.sort((a, b) => b - a)) {
    if (fresh.length === limit) break;
    if (store.isFresh({ no, seq })) fresh.push(seq);
  }
  return fresh;
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
  { id, customer, ownFrom = 0 }: NamedEndpoint,
  { queue, nowMs }: { readonly queue: DeliveryQueue; readonly nowMs: number },
): SeenDelivery {
  const isWaiting = delivery.dueAt !== null && !queue.isRunning(delivery);
  const dueAt = isWaiting ? queue.turnAt(delivery, nowMs) : delivery.dueAt;
  return { ...delivery, dueAt, endpoint: id, customer: (delivery.seq >= ownFrom && customer) || null };
}
