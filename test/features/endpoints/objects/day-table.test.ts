import { expect, test } from "vitest";

import { toFresh } from "../../../../src/features/endpoints/delivery.ts";
import { DayTable } from "../../../../src/features/endpoints/objects/day-table.ts";
import { DeliveryTable } from "../../../../src/features/endpoints/objects/delivery-table.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../../src/package/testing/virtual-clock.ts";

test("an object that was put away between two attempts counts each of them", () => {
  const { sql } = createMemoryStorage(new VirtualClock(), () => {}) as unknown as DurableObjectStorage;
  const [deliveries, before] = [new DeliveryTable(sql), new DayTable(sql)];
  const event = { seq: 1, id: "e1", type: "x", customer: null, at: 0 };
  const attempts = [10, 20, 30].map((at) => ({ at, durationMs: 2, status: 500 }));
  before.read(1, 0, 1);
  for (const { at } of attempts) before.count(1, at, { tookMs: 2 });
  deliveries.write({ ...toFresh({ no: 1, seq: 1 }, event), attempts, dueAt: 40 });
  const counted = before.read(1, 50, 1);
  expect(counted).toMatchObject({ missed: 3, delivered: 0, failed: 0 });
  expect(new DayTable(sql).read(1, 50, 1)).toEqual(counted);
});
