import fc from "fast-check";
import { expect, test } from "vitest";

import { DELIVERY_STATUSES, toFresh } from "../../../../src/features/endpoints/delivery.ts";
import { HEALTHY } from "../../../../src/features/endpoints/endpoint.ts";
import { findDeliveries } from "../../../../src/features/endpoints/objects/find-deliveries.ts";
import { ShardStore } from "../../../../src/features/endpoints/objects/shard-store.ts";
import type { SeenDelivery } from "../../../../src/features/endpoints/endpoint-shard-methods.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../../src/package/testing/virtual-clock.ts";
import { trial } from "../../../support/trial.ts";

/** A store of so many endpoints, how many rows of deliveries it has read, and by how many statements. */
function createStore(endpoints: number) {
  const storage = createMemoryStorage(new VirtualClock(), () => {});
  const read = { rows: 0, statements: 0 };
  const exec = (sql: string, ...values: unknown[]) => {
    const rows = storage.sql.exec(sql, ...values).toArray();
    if (sql.includes("FROM deliveries")) {
      read.rows += rows.length;
      read.statements += 1;
    }
    return { toArray: () => rows, [Symbol.iterator]: () => rows.values(), one: () => rows[0] };
  };
  const store = new ShardStore({ ...storage, sql: { exec } } as unknown as DurableObjectStorage);
  for (let no = 1; no <= endpoints; no += 1)
    store.write({
      id: `shop-${no}`,
      no,
      url: "https://shop.acme.dev/hooks",
      events: ["*"],
      ordered: false,
      paused: false,
      secrets: [],
      createdAt: 0,
      updatedAt: 0,
      ...HEALTHY,
    });
  return { store, read };
}

const eventOf = (seq: number) => ({ seq, id: `e${seq}`, type: "x", customer: null, at: 0 });
const placeOf = ({ no, seq }: SeenDelivery): readonly [number, number] => [seq, no];

trial("a page of deliveries is the same however they lie, and each stands in one page", () => {
  const one = fc.record({
    no: fc.integer({ min: 1, max: 5 }),
    seq: fc.integer({ min: 1, max: 9 }),
    status: fc.constantFrom("fresh" as const, ...DELIVERY_STATUSES),
  });
  const some = fc.uniqueArray(one, { maxLength: 30, selector: ({ no, seq }) => `${no} ${seq}` });
  const statuses = fc.constantFrom(undefined, ...DELIVERY_STATUSES);
  const among = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 9 })), { nil: undefined });
  fc.assert(
    fc.property(some, statuses, among, fc.integer({ min: 1, max: 6 }), (all, status, seqs, limit) => {
      const { store } = createStore(5);
      for (const { no, seq, status: its } of all)
        if (its === "fresh") store.take({ ...eventOf(seq), data: "{}" }, [no], 0);
        else store.deliveries.write({ ...toFresh({ no, seq }, eventOf(seq)), status: its, dueAt: null });
      const seen: (readonly [number, number])[] = [];
      for (let after = null, more = true; more;) {
        const asked = { ...(status && { status }), ...(seqs && { seqs }), after, limit };
        const page = findDeliveries(store, asked, 0);
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        seen.push(...page.rows.map(placeOf));
        after = page.rows.at(-1) ?? (null as never);
        more = page.hasMore;
      }
      const fitting = all
        .map((delivery) => ({ ...delivery, as: delivery.status === "fresh" ? "pending" : delivery.status }))
        .filter(({ as, seq }) => (status === undefined || as === status) && seqs?.includes(seq) !== false)
        .map(({ no, seq }) => [seq, no] as const)
        .sort(([seq, no], [otherSeq, otherNo]) => otherSeq - seq || otherNo - no);
      expect(seen).toEqual(fitting);
    }),
  );
});

test("a page of the deliveries of many endpoints reads few rows more than it has", () => {
  const { store, read } = createStore(200);
  for (let seq = 1; seq <= 50; seq += 1)
    for (let no = 1; no <= 200; no += 1)
      store.deliveries.write({
        ...toFresh({ no, seq }, eventOf(seq)),
        status: "delivered",
        dueAt: null,
      });
  Object.assign(read, { rows: 0, statements: 0 });
  const { rows, hasMore } = findDeliveries(store, { after: null, limit: 20 }, 0);
  expect([rows.length, hasMore]).toEqual([20, true]);
  // It reads the place of one of each endpoint, some more of the first ones, and the rows of the page: not twenty of each.
  expect(read.rows).toBeLessThan(400);
  // One for the places, two of each endpoint that is looked into, and one of each row.
  expect(read.statements).toBeLessThan(70);
});

test("endpoints that were sent nothing cost no statement, however many there are", () => {
  const { store, read } = createStore(600);
  for (const no of [7, 300])
    store.deliveries.write({ ...toFresh({ no, seq: no }, eventOf(no)), status: "delivered", dueAt: null });
  store.take({ ...eventOf(400), data: "{}" }, [12], 0);
  Object.assign(read, { rows: 0, statements: 0 });
  const found = (asked: object) =>
    findDeliveries(store, { after: null, limit: 20, ...asked }, 0).rows.map(placeOf);
  expect(found({})).toEqual([
    [400, 12],
    [300, 300],
    [7, 7],
  ]);
  expect(read.statements).toBeLessThan(12);
  expect(found({ endpoints: ["shop-7", "shop-8"] })).toEqual([[7, 7]]);
});
