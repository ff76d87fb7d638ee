import type { EndpointList } from "../directory-methods.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import type { EndpointIndex, IndexedEndpoint } from "./endpoint-index.ts";
import type { ShardCalls } from "./shard-calls.ts";

/** Pages of endpoints that are looked through for one page of those in a state. */
const PAGES_LOOKED = 20;

/** List a tenant's endpoints, the newest first. A page that has looked far for few in a state may be shorter than asked. */
export async function listEndpoints(
  {
    customer,
    state = null,
    before,
    limit,
  }: { state?: EndpointList["state"] | null } & Omit<EndpointList, "state">,
  { index, shards }: { readonly index: EndpointIndex; readonly shards: ShardCalls },
): Promise<{ endpoints: KeptEndpoint[]; next: number | null }> {
  const readAll = async (indexed: readonly IndexedEndpoint[]): Promise<KeptEndpoint[]> => {
    const groups = [...Map.groupBy(indexed, ({ shard }) => shard)];
    const all = await Promise.all(
      groups.map(([shard, of]) => {
        const ids = of.map(({ id }) => id);
        return shards.of(shard).list(ids, state);
      }),
    );
    return all.flat().sort((a, b) => b.no - a.no);
  };
  const endpoints: KeptEndpoint[] = [];
  let from = before;
  for (let page = 0; page < PAGES_LOOKED; page += 1) {
    const indexed = index.page({ customer, before: from, limit });
    for (const endpoint of await readAll(indexed)) {
      endpoints.push(endpoint);
      from = endpoint.no;
      if (endpoints.length === limit)
        return { endpoints, next: index.page({ customer, before: from, limit: 1 }).length > 0 ? from : null };
    }
    if (indexed.length < limit) return { endpoints, next: null };
    from = indexed.at(-1)!.no;
  }
  return { endpoints, next: from };
}
