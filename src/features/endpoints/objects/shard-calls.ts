import * as LIMITS from "../limits.ts";
import { mergeRows, type TakenRows } from "../../../core/kit/take-rows.ts";
import type { FoundDelivery } from "../directory-methods.ts";
import type { DeliveryQuery } from "../shard-methods.ts";
import type { Shard } from "./endpoint-objects.ts";

/** Every object of a tenant that delivers. */
export const ALL_SHARDS: readonly number[] = Array.from(
  { length: LIMITS.endpointShards },
  (_, shard) => shard,
);

/** Calls the objects of one tenant that deliver. */
export class ShardCalls {
  readonly #open: (shard: number) => Shard;
  readonly #opened = new Map<number, Shard>();

  constructor(open: (shard: number) => Shard) {
    this.#open = open;
  }

  /** One of them: always the same client, so that its calls keep their order. */
  of(shard: number): Shard {
    const opened = this.#opened.get(shard) ?? this.#open(shard);
    this.#opened.set(shard, opened);
    return opened;
  }

  /** Call some of them at once. */
  callEach<T>(shards: readonly number[], send: (stub: Shard) => Promise<T>): Promise<T[]> {
    return Promise.all(shards.map((shard) => send(this.of(shard))));
  }

  /** Find deliveries in some of them, the latest event first. */
  async deliveriesIn(shards: readonly number[], query: DeliveryQuery): Promise<TakenRows<FoundDelivery>> {
    const all = await Promise.all(
      shards.map(async (shard) => {
        const { rows, hasMore } = await this.of(shard).deliveries(query);
        return { rows: rows.map((one) => ({ ...one, shard })), hasMore };
      }),
    );
    return mergeRows(all, query.limit, (a, b) => b.seq - a.seq || b.no - a.no);
  }
}
