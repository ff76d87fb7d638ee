import * as LIMITS from "../limits.ts";
import { callBounded } from "../../../cloudflare/gate-client/call-bounded.ts";
import type { Clock } from "../../../core/kit/clock.ts";
import { attempt } from "../../../core/kit/result.ts";
import type { FoundDelivery } from "../directory-methods.ts";
import type { DeliveryQuery } from "../shard-methods.ts";
import type { Shard } from "./endpoint-objects.ts";

/** Every object of a tenant that delivers. */
export const ALL_SHARDS: readonly number[] = Array.from(
  { length: LIMITS.endpointShards },
  (_, shard) => shard,
);

/** Calls the objects of one tenant that deliver, each within its time. */
export class ShardCalls {
  readonly #open: (shard: number) => Shard;
  readonly #clock: Clock;
  /** One stub for each object: calls through one arrive in the order in which they were made. */
  readonly #stubs = new Map<number, Shard>();

  constructor(open: (shard: number) => Shard, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** Call one of them. A stub that failed stays broken, so the next call takes another. */
  call<T>(shard: number, send: (stub: Shard) => Promise<T>): Promise<T> {
    const call = async (): Promise<T> => {
      const stub = this.#stubs.get(shard) ?? this.#open(shard);
      this.#stubs.set(shard, stub);
      const sent = await attempt(() => send(stub));
      if (sent.ok) return sent.value;
      this.#stubs.delete(shard);
      throw sent.error;
    };
    return callBounded(call, { clock: this.#clock, timeoutMs: LIMITS.gateTimeoutMs });
  }

  /** Call some of them at once. */
  callEach<T>(shards: readonly number[], send: (stub: Shard) => Promise<T>): Promise<T[]> {
    return Promise.all(shards.map((shard) => this.call(shard, send)));
  }

  /** Find deliveries in some of them, the latest event first. */
  async deliveriesIn(shards: readonly number[], query: DeliveryQuery): Promise<FoundDelivery[]> {
    const all = await Promise.all(
      shards.map(async (shard) => {
        const found = await this.call(shard, (stub) => stub.deliveries(query));
        return found.map((one) => ({ ...one, shard }));
      }),
    );
    return all
      .flat()
      .sort((a, b) => b.seq - a.seq || b.no - a.no)
      .slice(0, query.limit);
  }
}
