import { expect, test } from "vitest";

import { makeEvent } from "../../../../src/core/contract/gate/outgoing-event.ts";
import type { Notice } from "../../../../src/feature/gives.ts";
import type { PartWorld } from "../../../../src/cloudflare/durable/object-part.ts";
import { createEndpointsPart } from "../../../../src/features/endpoints/objects/publish-from-gate.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

/** A part of an object in memory. @param isUp whether the tenant can be told */
function openPart(isUp: () => boolean = () => true) {
  const told: Notice[] = [];
  const dues: number[] = [];
  const storage = createMemoryStorage(new VirtualClock(0), () => {}) as unknown as DurableObjectStorage;
  const part = createEndpointsPart(() => async (notices) => {
    if (!isUp()) throw new Error("down");
    told.push(...notices);
  });
  const world = { storage, onDue: (at: number) => void dues.push(at), env: {}, tenant: "acme" };
  return { part: part.open(world as unknown as PartWorld), told, dues };
}

const dead = (of: string) => makeEvent("job.dead", { atMs: 0, of }, { tenant: "acme", job_id: of });
const question = (type: string) =>
  makeEvent(
    type,
    { atMs: 0, of: "q" },
    { tenant: "acme", confirmation_id: "q", expires_at: "1970-01-01T01:00:00Z" },
  );
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("A tenant's object that has nothing to tell wakes its alarm for nothing, however often it is asked", async () => {
  const { part, dues } = openPart();
  part.hear!(0, () => question("confirmation.requested"));
  part.take!(0);
  await settled();
  const before = dues.length;
  for (let n = 0; n < 100; n += 1) part.take!(n);
  await settled();
  expect(part.nextAt).toBeNull();
  expect(dues).toHaveLength(before);
});

test("What cannot be told is told later, once", async () => {
  let up = false;
  const { part, told } = openPart(() => up);
  part.hear!(0, () => dead("a"));
  part.hear!(0, () => dead("a"));
  part.hear!(0, () => null);
  part.take!(0);
  await settled();
  expect([told, part.nextAt]).toEqual([[], 10_000]);
  up = true;
  part.take!(10_000);
  await settled();
  expect(told).toEqual([{ id: "job-dead-a", type: "volley.job.dead", data: '{"job_id":"a"}', dueAt: 0 }]);
  expect(part.nextAt).toBeNull();
});

test("A question that is decided does not expire", async () => {
  const { part, told } = openPart();
  part.hear!(0, () => question("confirmation.requested"));
  part.hear!(1, () => question("confirmation.decided"));
  part.take!(1);
  await settled();
  expect(told.map(({ type }) => type)).toEqual([
    "volley.confirmation.requested",
    "volley.confirmation.decided",
  ]);
  expect(part.nextAt).toBeNull();
});
