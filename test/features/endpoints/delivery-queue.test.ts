import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { DeliveryQueue, type Turn } from "../../../src/features/endpoints/delivery-queue.ts";
import type { LastAnswer } from "../../../src/features/endpoints/delivery-lane.ts";
import { trial } from "../../support/trial.ts";

const LANE = { isActive: true, ordered: false };

/** Claim all that is due. */
function claimAll(queue: DeliveryQueue, nowMs: number): Turn[] {
  const turns: Turn[] = [];
  for (let turn = queue.claim(nowMs); turn !== null; turn = queue.claim(nowMs)) turns.push(turn);
  return turns;
}

/** An endpoint of a simulated object, and how it answers. */
interface Simulated {
  readonly takesMs: number;
  readonly fails?: boolean;
  /** It answers at once until then. */
  readonly quickUntil?: number;
}

/**
 * Deliver events to the endpoints of one object in virtual time, as its drain does: what is due is claimed whenever a call ends or an event comes.
 *
 * @returns for each endpoint, how long each event took until its attempt began
 */
function simulate(
  endpoints: readonly Simulated[],
  events: readonly number[],
  queue = new DeliveryQueue(),
): number[][] {
  const waited: number[][] = endpoints.map(() => []);
  const ends: { readonly at: number; readonly turn: Turn; readonly failed: boolean }[] = [];
  for (const no of endpoints.keys()) queue.set(no, LANE);
  const left = [...events];
  for (let now = 0; left.length > 0 || ends.length > 0;) {
    ends.sort((a, b) => a.at - b.at);
    now = Math.min(left[0] ?? Number.POSITIVE_INFINITY, ends[0]?.at ?? Number.POSITIVE_INFINITY);
    while (ends[0]?.at === now) {
      const { turn, failed } = ends.shift()!;
      queue.end(turn, now, { failed, slowMs: 0 });
    }
    while (left[0] === now) {
      for (const no of endpoints.keys()) queue.add(no, { seq: events.length - left.length, dueAt: now });
      left.shift();
    }
    for (const turn of claimAll(queue, now)) {
      const { takesMs, fails = false, quickUntil = 0 } = endpoints[turn.no]!;
      const isQuick = now < quickUntil;
      waited[turn.no]!.push(now - events[turn.seq]!);
      ends.push({ at: now + (isQuick ? 10 : takesMs), turn, failed: !isQuick && fails });
    }
    expect(ends.length).toBeLessThanOrEqual(6);
  }
  return waited;
}

const QUICK: Simulated = { takesMs: 10 };
const every = (ms: number, count: number): number[] => Array.from({ length: count }, (_, n) => n * ms);
const p95 = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.95) - 1]!;

describe("The places of an object", () => {
  trial.each<[says: string, slow: readonly Simulated[]]>([
    ["that answers after 10 s", [{ takesMs: 10_000 }]],
    ["that answers after 8 s", [{ takesMs: 8_000 }]],
    ["that hangs", [{ takesMs: 15_000, fails: true }]],
    ["that answered at once until now, and hangs", [{ takesMs: 15_000, fails: true, quickUntil: 2_000 }]],
    ["of fifty that hang", Array.from({ length: 50 }, () => ({ takesMs: 15_000, fails: true }))],
    ["of fifty that answer after 3 s", Array.from({ length: 50 }, () => ({ takesMs: 3_000 }))],
  ])(
    "F35 T62 are taken one at a time by an endpoint %s: its neighbours get theirs at once, once they are known",
    (_, slow) => {
      const known = new DeliveryQueue({ lastOf: (no) => (no < 20 ? "quick" : "none") });
      const waited = simulate([...Array.from({ length: 20 }, () => QUICK), ...slow], every(250, 24), known);
      for (const times of waited) expect(times).toHaveLength(24);
      expect(Math.max(...waited.slice(0, 20).flat())).toBeLessThan(100);
    },
  );

  test.each<LastAnswer>(["slow", "failed", "none"])(
    "F35 T62 but one all go to the 31 others of an endpoint whose last answer was %s, as long as a call to that is held",
    (last) => {
      const queue = new DeliveryQueue({ lastOf: (no) => (no === 0 ? last : "quick") });
      for (let no = 0; no < 32; no += 1) queue.set(no, LANE);
      const held: Turn[] = [];
      for (let seq = 0; seq < 20; seq += 1) {
        for (let no = 0; no < 32; no += 1) queue.add(no, { seq, dueAt: 0 });
        const claimed: number[] = [];
        for (let turns = claimAll(queue, 0); turns.length > 0; turns = claimAll(queue, 0)) {
          claimed.push(turns.length);
          for (const turn of turns)
            if (turn.no === 0) held.push(turn);
            else queue.end(turn, 1, { failed: false, slowMs: 0 });
        }
        // Six places, of which five are left, for its first delivery and 31 of each event.
        expect(claimed).toEqual(seq === 0 ? [6, 5, 5, 5, 5, 5, 1] : [5, 5, 5, 5, 5, 5, 1]);
      }
      expect(held).toEqual([{ no: 0, seq: 0 }]);
      // The held call ends quickly after all, and what waited for it goes on.
      queue.end(held[0]!, 1, { failed: false, slowMs: 0 });
      expect(claimAll(queue, 1).map(({ no }) => no)).toEqual([0, 0, 0, 0]);
    },
  );

  test("F35 T62 are shared with endpoints that have not answered yet: those come to be known beside one that hangs", () => {
    const all = [{ takesMs: 15_000, fails: true }, ...Array.from({ length: 20 }, () => QUICK)];
    const waited = simulate(all, every(250, 24));
    expect(p95(waited.slice(1).flat())).toBeLessThanOrEqual(60);
  });

  test("F35 T62 all go to a first attempt at many, but for a third: the few of them that hang do not hold up the others", () => {
    const all = Array.from({ length: 62 }, (_, n) =>
      n % 25 === 0 ? { takesMs: 15_000, fails: true } : { takesMs: 50 },
    );
    const waited = simulate(all, [0]);
    expect(Math.max(...waited.flat())).toBeLessThanOrEqual(3_100);
  });

  test("a third of them is taken neither by the calls of one endpoint nor by those of endpoints that have not answered", () => {
    const queue = new DeliveryQueue({ lastOf: (no) => (no === 1 || no === 9 ? "quick" : "none") });
    for (let no = 1; no <= 9; no += 1) queue.set(no, LANE);
    for (let seq = 1; seq <= 9; seq += 1) queue.add(1, { seq, dueAt: 0 });
    expect(claimAll(queue, 0)).toHaveLength(4);
    queue.drop(1);
    // Calls to an endpoint that is deleted hold their places until they end.
    for (let no = 2; no <= 8; no += 1) queue.add(no, { seq: 10, dueAt: 0 });
    expect(claimAll(queue, 0)).toHaveLength(2);
    for (let seq = 1; seq <= 4; seq += 1) queue.leave({ no: 1, seq });
    expect(claimAll(queue, 0)).toHaveLength(2);
    queue.add(9, { seq: 11, dueAt: 0 });
    expect(claimAll(queue, 0)).toEqual([{ no: 9, seq: 11 }]);
  });

  test("go to endpoints that were slow or failed, and to those that never answered, a third together where another waits", () => {
    const last: readonly LastAnswer[] = ["slow", "failed", "none", "slow", "failed", "none"];
    const queue = new DeliveryQueue({ lastOf: (no) => last[no] ?? "quick" });
    for (let no = 0; no < 20; no += 1) {
      queue.set(no, LANE);
      for (let seq = 0; seq < 5; seq += 1) queue.add(no, { seq, dueAt: 0 });
    }
    const first = claimAll(queue, 0);
    expect(first.map(({ no }) => no)).toEqual([0, 1, 6, 7, 8, 9]);
    // One that answered quickly is as any other from then on; at another address it has not answered yet.
    for (const turn of first) queue.end(turn, 10, { failed: false, slowMs: 0 });
    queue.set(0, { ...LANE, isNew: true });
    expect(claimAll(queue, 10).map(({ no }) => no)).toEqual([2, 3, 10, 11, 12, 13]);
    for (const no of [2, 3, 10, 11, 12, 13])
      queue.end({ no, seq: 0 }, no === 3 ? 2_011 : 20, { failed: false, slowMs: 0 });
    for (let no = 3; no < 20; no += 1) queue.clear(no);
    for (let seq = 10; seq < 20; seq += 1) queue.add(3, { seq, dueAt: 0 });
    // More than one call at a time, once no other waits, to those that answered quickly: 0 is elsewhere now, and 3 was slow.
    expect(claimAll(queue, 2_011).map(({ no }) => no)).toEqual([0, 1, 2, 3]);
    queue.end({ no: 3, seq: 10 }, 2_020, { failed: false, slowMs: 0 });
    queue.clear(3);
    expect(claimAll(queue, 2_020).map(({ no }) => no)).toEqual([1]);
  });

  test.each([1, 2, 3, 6, 32])(
    "are never more than %i, whatever waits, and each delivery has one in the end",
    (places) => {
      const queue = new DeliveryQueue({ places });
      for (let no = 0; no < 40; no += 1) {
        queue.set(no, LANE);
        for (let seq = 0; seq < 3; seq += 1) queue.add(no, { seq, dueAt: 0 });
      }
      let [now, made] = [0, 0];
      for (let turns = claimAll(queue, now); turns.length > 0; turns = claimAll(queue, now)) {
        expect(turns.length).toBeLessThanOrEqual(places);
        made += turns.length;
        now += 1;
        for (const turn of turns) queue.end(turn, now, { failed: turn.no % 3 === 0, slowMs: 0 });
      }
      expect(made).toBe(120);
    },
  );
});

describe("Deliveries that wait", () => {
  test("that are put off give their place back, and are due again then", () => {
    const queue = new DeliveryQueue({ lastOf: () => "failed" });
    queue.set(1, LANE);
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

  trial(
    "are each claimed once and none is forgotten, whatever fails: the next due time is never passed over",
    () => {
      const endpoints = fc.array(
        fc.record({ ordered: fc.boolean(), count: fc.nat(6), fails: fc.nat(3), limited: fc.boolean() }),
        { minLength: 1, maxLength: 8 },
      );
      fc.assert(
        fc.property(endpoints, (all) => {
          const queue = new DeliveryQueue();
          const left = new Map<string, number>();
          for (const [no, { ordered, count, fails, limited }] of all.entries()) {
            queue.set(no, {
              isActive: true,
              ordered,
              ...(limited && { rateLimit: { limit: 1, windowS: 1 } }),
            });
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
    },
  );
});
