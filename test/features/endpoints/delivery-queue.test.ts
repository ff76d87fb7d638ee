import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { DeliveryQueue, type Turn } from "../../../src/features/endpoints/delivery-queue.ts";

const LANE = { isActive: true, ordered: false };

/** Claim all that is due. */
function claimAll(queue: DeliveryQueue, nowMs: number): Turn[] {
  const turns: Turn[] = [];
  for (let turn = queue.claim(nowMs); turn !== null; turn = queue.claim(nowMs)) turns.push(turn);
  return turns;
}

describe("Deliveries that wait", () => {
  test("F35 to failing endpoints have two places together, whatever waits for them, and the others get theirs at once", () => {
    const queue = new DeliveryQueue();
    for (let no = 1; no <= 40; no += 1) queue.set(no, LANE);
    const isHanging = (no: number): boolean => no <= 10;
    for (let no = 1; no <= 40; no += 1) queue.add(no, { seq: 1, dueAt: 0 });
    for (const turn of claimAll(queue, 0)) queue.end(turn, 0, { failed: isHanging(turn.no), slowMs: 0 });
    for (let seq = 2; seq <= 6; seq += 1)
      for (let no = 1; no <= 40; no += 1) queue.add(no, { seq, dueAt: 1 });
    const turns = claimAll(queue, 1);
    expect(turns.filter(({ no }) => !isHanging(no))).toHaveLength(150);
    const hanging = turns.filter(({ no }) => isHanging(no));
    expect(hanging).toHaveLength(2);
    expect(new Set(hanging.map(({ no }) => no)).size).toBe(2);
    // The places go round: who had none yet comes next.
    queue.end(hanging[0]!, 2, { failed: true, slowMs: 0 });
    const [next] = claimAll(queue, 2);
    expect(hanging.map(({ no }) => no)).not.toContain(next!.no);
  });

  test("F35 to endpoints that failed before the object was woken have two places together as well", () => {
    const queue = new DeliveryQueue();
    for (let no = 1; no <= 20; no += 1) queue.set(no, LANE, { isFailing: no <= 10 });
    for (let seq = 1; seq <= 5; seq += 1)
      for (let no = 1; no <= 20; no += 1) queue.add(no, { seq, dueAt: 0 });
    const turns = claimAll(queue, 0);
    expect(turns.filter(({ no }) => no <= 10)).toHaveLength(2);
    expect(turns.filter(({ no }) => no > 10)).toHaveLength(50);
    // One that answers is as any other from then on.
    queue.end(
      turns.find(({ no }) => no <= 10)!,
      1,
      { failed: false, slowMs: 0 },
    );
    expect(claimAll(queue, 1).length).toBeGreaterThan(4);
  });

  test("that are put off give their place back, and are due again then", () => {
    const queue = new DeliveryQueue();
    queue.set(1, LANE, { isFailing: true });
    queue.add(1, { seq: 1, dueAt: 0 });
    queue.putOff(queue.claim(0)!, 50);
    expect(queue.claim(0)).toBeNull();
    expect(queue.nextAt(0)).toBe(50);
    expect(queue.claim(50)).toEqual({ no: 1, seq: 1 });
  });

  test("take turns by endpoint, so a long list delays no short one", () => {
    const queue = new DeliveryQueue();
    for (const no of [1, 2, 3]) queue.set(no, LANE);
    for (let seq = 1; seq <= 100; seq += 1) queue.add(1, { seq, dueAt: 0 });
    for (const no of [2, 3]) queue.add(no, { seq: 101, dueAt: 0 });
    expect([queue.claim(0), queue.claim(0), queue.claim(0)].map((turn) => turn!.no)).toEqual([1, 2, 3]);
  });

  test("of an ordered endpoint have one call at a time, in the order of publishing", () => {
    const queue = new DeliveryQueue();
    queue.set(1, { ...LANE, ordered: true });
    for (const seq of [7, 3, 5]) queue.add(1, { seq, dueAt: 0 });
    expect(queue.claim(0)).toEqual({ no: 1, seq: 3 });
    expect(queue.claim(0)).toBeNull();
    queue.end({ no: 1, seq: 3 }, 1, { failed: true, slowMs: 0 });
    queue.add(1, { seq: 3, dueAt: 5_000 });
    expect(queue.claim(1)).toBeNull();
    expect(queue.nextAt(1)).toBe(5_000);
    expect(queue.claim(5_000)).toEqual({ no: 1, seq: 3 });
    queue.end({ no: 1, seq: 3 }, 5_001, { failed: false, slowMs: 0 });
    expect(queue.claim(5_001)).toEqual({ no: 1, seq: 5 });
  });

  test("wait while their endpoint is paused or was overloaded, and say when they are due", () => {
    const queue = new DeliveryQueue();
    queue.set(1, LANE);
    queue.add(1, { seq: 1, dueAt: 0 });
    queue.add(1, { seq: 2, dueAt: 0 });
    queue.end(queue.claim(0)!, 0, { failed: true, slowMs: 60_000 });
    expect(queue.claim(59_999)).toBeNull();
    expect(queue.nextAt(0)).toBe(60_000);
    queue.set(1, { ...LANE, isActive: false });
    expect(queue.claim(60_000)).toBeNull();
    expect(queue.nextAt(60_000)).toBeNull();
    queue.set(1, LANE);
    expect(queue.claim(60_000)).toEqual({ no: 1, seq: 2 });
  });

  test("are each claimed once and none is forgotten, whatever fails: the next due time is never passed over", () => {
    const endpoints = fc.array(
      fc.record({ ordered: fc.boolean(), count: fc.nat(6), fails: fc.nat(3), limited: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(endpoints, (all) => {
        const queue = new DeliveryQueue();
        const left = new Map<string, number>();
        for (const [no, { ordered, count, fails, limited }] of all.entries()) {
          queue.set(no, { isActive: true, ordered, ...(limited && { rateLimit: { limit: 1, windowS: 1 } }) });
          for (let seq = 0; seq < count; seq += 1) {
            queue.add(no, { seq, dueAt: seq * 10 });
            left.set(`${no} ${seq}`, fails);
          }
        }
        let now = 0;
        for (let steps = 0; left.size > 0 && steps < 2_000; steps += 1) {
          for (const turn of claimAll(queue, now)) {
            const name = `${turn.no} ${turn.seq}`;
            const fails = left.get(name);
            expect(fails, name).toBeDefined();
            queue.end(turn, now, { failed: fails! > 0, slowMs: 0 });
            if (fails! > 0) {
              left.set(name, fails! - 1);
              queue.add(turn.no, { seq: turn.seq, dueAt: now + 1_000 });
            } else left.delete(name);
          }
          const next = queue.nextAt(now);
          if (left.size === 0) expect(next).toBeNull();
          else now = Math.max(now, next!);
        }
        expect([...left.keys()]).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
