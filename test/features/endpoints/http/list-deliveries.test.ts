import fc from "fast-check";
import { expect, test } from "vitest";

import type { DeliveryPage, FoundDelivery } from "../../../../src/features/endpoints/directory-methods.ts";
import type { EndpointIndex } from "../../../../src/features/endpoints/objects/endpoint-index.ts";
import type { EventLog } from "../../../../src/features/endpoints/objects/event-log.ts";
import { listDeliveries } from "../../../../src/features/endpoints/objects/list-from-shards.ts";
import type { ShardCalls } from "../../../../src/features/endpoints/objects/endpoint-objects.ts";
import type { DeliveryQuery } from "../../../../src/features/endpoints/endpoint-shard-methods.ts";

/** A directory whose run has published so many events, of which some have deliveries. */
function openRun(events: number, deliveries: readonly FoundDelivery[]) {
  const asked = { calls: 0 };
  const log = {
    ofRun: (_: string, before: number, limit: number) =>
      Array.from(
        { length: Math.min(limit, Math.max(0, Math.min(before - 1, events))) },
        (__, index) => Math.min(before - 1, events) - index,
      ),
  } as unknown as EventLog;
  const shards = {
    deliveriesIn(_: unknown, { seqs, after, limit }: DeliveryQuery) {
      asked.calls += 1;
      const isAfter = ({ seq, no }: FoundDelivery): boolean =>
        after === null || seq < after.seq || (seq === after.seq && no < after.no);
      const found = deliveries.filter((one) => seqs!.includes(one.seq) && isAfter(one));
      return Promise.resolve({ rows: found.slice(0, limit), hasMore: found.length > limit });
    },
  } as unknown as ShardCalls;
  return { kept: { index: {} as EndpointIndex, log, shards }, asked };
}

const deliveryOf = (seq: number, no: number) => ({ seq, no }) as FoundDelivery;

test("The deliveries of a run come whole and in order, whatever the pages and however few of its events have some", async () => {
  const place = fc.tuple(fc.integer({ min: 1, max: 6_000 }), fc.integer({ min: 1, max: 3 }));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(place, { selector: String, maxLength: 30 }),
      fc.integer({ min: 1, max: 9 }),
      async (places, limit) => {
        const all = places
          .map(([seq, no]) => deliveryOf(seq, no))
          .sort((a, b) => b.seq - a.seq || b.no - a.no);
        const { kept } = openRun(6_000, all);
        const read: FoundDelivery[] = [];
        for (let page: DeliveryPage | null = null; page === null || page.next !== null;) {
          page = await listDeliveries({ run: "r", after: page?.next ?? null, limit }, kept);
          expect(page.deliveries.length).toBeLessThanOrEqual(limit);
          read.push(...page.deliveries);
        }
        expect(read).toEqual(all);
      },
    ),
    { numRuns: 30 },
  );
});

test("A page looks through 20,000 events of a run at most, and the next one goes on behind them", async () => {
  const { kept, asked } = openRun(25_000, [deliveryOf(3, 1)]);
  const first = await listDeliveries({ run: "r", after: null, limit: 10 }, kept);
  expect(first).toEqual({ deliveries: [], next: { seq: 5_001, no: 0 } });
  expect(asked.calls).toBe(20);
  const second = await listDeliveries({ run: "r", after: first.next, limit: 10 }, kept);
  expect(second).toEqual({ deliveries: [deliveryOf(3, 1)], next: null });
});
