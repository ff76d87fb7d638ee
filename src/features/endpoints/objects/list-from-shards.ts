import { mergeRows, type TakenRows, takeRows } from "../../../feature/kit.ts";
import type { DeliveryList, DeliveryPage, FoundDelivery, EndpointList } from "../directory-methods.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import * as LIMITS from "../limits.ts";
import type { EndpointIndex, IndexedEndpoint } from "./endpoint-index.ts";
import type { EventLog } from "./event-log.ts";
import { ALL_SHARDS, type ShardCalls } from "./endpoint-objects.ts";
import type { DeliveryQuery } from "../endpoint-shard-methods.ts";

/** Pages that are looked through for one page of what is asked for: of a run's events, or of endpoints in a state. */
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
  const { event, run, status, customer, after, limit } = asked;
  const among = placeOf(asked, index);
  if (among === null) return NONE;
  const find = (query: Pick<DeliveryQuery, "seqs" | "limit">): Promise<TakenRows<FoundDelivery>> =>
    shards.deliveriesIn(among.shards, { ...query, endpoints: among.endpoints, customer, status, after });
  if (event !== undefined) {
    const known = log.find(event);
    if (known === null || (run !== undefined && known.run !== run)) return NONE;
    return toPage(await find({ seqs: [known.seq], limit }), limit);
  }
  if (run === undefined) return toPage(await find({ limit }), limit);
  const rows: FoundDelivery[] = [];
  let before = after === null ? Number.MAX_SAFE_INTEGER : after.seq + 1;
  for (let looked = 0; looked < PAGES_LOOKED; looked += 1) {
    const seqs = log.ofRun(run, before, LIMITS.eventsRecovered);
    const found = seqs.length === 0 ? { rows: [], hasMore: false } : await find({ seqs, limit });
    rows.push(...found.rows);
    const page = toPage({ rows, hasMore: found.hasMore }, limit);
    if (seqs.length === 0 || page.next !== null) return page;
    before = seqs.at(-1)!;
  }
  return { deliveries: rows, next: { seq: before, no: 0 } };
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

function toPage(found: TakenRows<FoundDelivery>, limit: number): DeliveryPage {
  const { rows, hasMore } = takeRows(found.rows, { limit, characters: LIMITS.pageBytes });
  const last = rows.at(-1);
  const isMore = (hasMore || found.hasMore) && last !== undefined;
  return { deliveries: rows, next: isMore ? { seq: last.seq, no: last.no } : null };
}

const NONE: DeliveryPage = { deliveries: [], next: null };

/** List a tenant's endpoints, the newest first. A page that has looked far for few in a state may be shorter than asked. */
export async function listEndpoints(
  { customer, state, before, limit }: EndpointList,
  { index, shards }: Pick<Kept, "index" | "shards">,
): Promise<{ endpoints: KeptEndpoint[]; next: number | null }> {
  const readAll = async (indexed: readonly IndexedEndpoint[]): Promise<TakenRows<KeptEndpoint>> => {
    const groups = [...Map.groupBy(indexed, ({ shard }) => shard)];
    const idsOf = (some: readonly IndexedEndpoint[]): readonly string[] => some.map(({ id }) => id);
    const all = await Promise.all(
      groups.map(([shard, of]) => shards.of(shard).list(idsOf(of), state ?? null)),
    );
    return mergeRows(all, limit, (a, b) => b.no - a.no);
  };
  const endpoints: KeptEndpoint[] = [];
  let from = before;
  for (let page = 0; page < PAGES_LOOKED; page += 1) {
    const indexed = index.page({ customer, before: from, limit });
    const found = await readAll(indexed);
    endpoints.push(...found.rows.filter((one) => customer === undefined || one.customer === customer));
    const { rows, hasMore } = takeRows(endpoints, { limit, characters: LIMITS.pageBytes });
    if (hasMore) return { endpoints: rows, next: rows.at(-1)!.no };
    from = found.hasMore ? found.rows.at(-1)!.no : (indexed.at(-1)?.no ?? from);
    if (index.page({ customer, before: from, limit: 1 }).length === 0) return { endpoints, next: null };
    if (rows.length === limit) break;
  }
  return { endpoints, next: from };
}
