import * as LIMITS from "../limits.ts";
import type { DeliveryList, DeliveryPage, FoundDelivery } from "../directory-methods.ts";
import type { DeliveryQuery } from "../shard-methods.ts";
import type { EndpointIndex } from "./endpoint-index.ts";
import type { EventLog } from "./event-log.ts";
import { ALL_SHARDS, type ShardCalls } from "./shard-calls.ts";

/** Pages of a run's events that are looked through for one page of their deliveries. */
const PAGES_LOOKED = 20;

interface Kept {
  readonly index: EndpointIndex;
  readonly log: EventLog;
  readonly shards: ShardCalls;
}

/** List deliveries, the latest event first. A page that has looked far for few of a run may be shorter than asked. */
export async function listDeliveries(
  asked: DeliveryList,
  { index, log, shards }: Kept,
): Promise<DeliveryPage> {
  const { event, run, status, after, limit } = asked;
  const among = placeOf(asked, index);
  if (among === null) return NONE;
  // One more than is shown tells whether there is another page.
  const find = (query: Pick<DeliveryQuery, "seqs" | "limit">): Promise<FoundDelivery[]> =>
    shards.deliveriesIn(among.shards, {
      ...query,
      ...(among.endpoints !== undefined && { endpoints: among.endpoints }),
      ...(status !== undefined && { status }),
      after,
    });
  if (event !== undefined) {
    const known = log.find(event);
    if (known === null || (run !== undefined && known.run !== run)) return NONE;
    return toPage(await find({ seqs: [known.seq], limit: limit + 1 }), limit);
  }
  if (run === undefined) return toPage(await find({ limit: limit + 1 }), limit);
  const found: FoundDelivery[] = [];
  let before = after === null ? Number.MAX_SAFE_INTEGER : after.seq + 1;
  for (let looked = 0; looked < PAGES_LOOKED; looked += 1) {
    const seqs = log.ofRun(run, before, LIMITS.eventsRecovered);
    if (seqs.length === 0) return toPage(found, limit);
    found.push(...(await find({ seqs, limit: limit + 1 - found.length })));
    if (found.length > limit) return toPage(found, limit);
    before = seqs.at(-1)!;
  }
  return { deliveries: found, next: { seq: before, no: 0 } };
}

/** The objects and endpoints that are looked into; null where there are none. */
function placeOf(
  { endpoint, customer }: DeliveryList,
  index: EndpointIndex,
): { readonly shards: readonly number[]; readonly endpoints?: readonly string[] } | null {
  if (endpoint !== undefined) {
    const known = index.find(endpoint);
    if (customer !== undefined && known?.customer !== customer) return null;
    // One that was deleted lies somewhere.
    return { shards: known === null ? ALL_SHARDS : [known.shard], endpoints: [endpoint] };
  }
  if (customer === undefined) return { shards: ALL_SHARDS };
  const own = [...index.values()].filter((one) => one.customer === customer);
  return { shards: index.shardsOf(customer), endpoints: own.map(({ id }) => id) };
}

function toPage(found: readonly FoundDelivery[], limit: number): DeliveryPage {
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { deliveries, next: isMore ? { seq: last.seq, no: last.no } : null };
}

const NONE: DeliveryPage = { deliveries: [], next: null };
