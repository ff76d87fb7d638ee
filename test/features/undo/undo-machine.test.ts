import { describe, expect, test } from "vitest";

import { type OrderedWrite, orderWrites, readyWrites } from "../../../src/features/undo/undo-machine.ts";
import { createRandom } from "../../support/random.ts";
import { trial } from "../../support/trial.ts";

const write = (id: string, seq: number, more: Partial<OrderedWrite> = {}): OrderedWrite => ({
  id,
  seq,
  domain: "d",
  needs: [],
  state: "waits",
  ...more,
});

const idsOf = (writes: readonly OrderedWrite[]): readonly string[] => writes.map(({ id }) => id);

describe("the order in which writes are taken back", () => {
  test("the last that ended comes first", () => {
    expect(idsOf(orderWrites([write("a", 1), write("b", 3), write("c", 2)]))).toEqual(["b", "c", "a"]);
  });

  test("one that depended on another comes before it, whenever it ended", () => {
    const writes = [write("job", 9), write("a", 1, { needs: ["job"] }), write("b", 2)];
    expect(idsOf(orderWrites(writes))).toEqual(["a", "job", "b"]);
  });

  test("what depended on a loop of a flow comes before each of its elements", () => {
    const element = (at: number) => write("flow", at, { action: `loop.${at}` });
    const after = write("flow", 0, { action: "after", domain: "e", needs: ["flow/loop"] });
    expect(readyWrites([element(1), element(2), after])).toEqual([after]);
  });

  test("one of each domain is sent at a time, and the next when it is over", () => {
    const writes = [write("a", 1), write("b", 2), write("c", 3, { domain: "e" })];
    expect(idsOf(readyWrites(writes))).toEqual(["c", "b"]);
    const sent = writes.map((one) => (one.id === "b" ? { ...one, state: "sent" as const } : one));
    expect(idsOf(readyWrites(sent))).toEqual(["c"]);
    const over = writes.map((one) => (one.id === "b" ? { ...one, state: "over" as const } : one));
    expect(idsOf(readyWrites(over))).toEqual(["c", "a"]);
  });

  trial(
    "random writes: nothing goes before what depended on it or came after it in its domain, and all of them come to an end",
    () => {
      for (let seed = 1; seed <= 300; seed += 1) {
        const random = createRandom(seed);
        const count = 1 + Math.floor(random() * 12);
        let writes = Array.from({ length: count }, (_, index) => {
          const needs = Array.from({ length: index }, (__, other) => `w${other}`).filter(
            () => random() < 0.2,
          );
          const isJob = random() < 0.2;
          const domain = `d${Math.floor(random() * 3)}`;
          return write(`w${index}`, isJob ? 1_000 - index : index, { domain, needs });
        });
        const order = idsOf(orderWrites(writes));
        expect(order).toHaveLength(count);
        const overAt = new Map<string, number>();
        const sentAt = new Map<string, number>();
        for (let now = 0; overAt.size < count; now += 1) {
          expect(now, `seed ${seed} stands still`).toBeLessThan(10 * count);
          const ready = new Set(readyWrites(writes));
          writes = writes.map((one) => {
            if (ready.has(one)) sentAt.set(one.id, now);
            if (ready.has(one)) return { ...one, state: "sent" as const };
            if (one.state !== "sent" || random() < 0.5) return one;
            overAt.set(one.id, now);
            return { ...one, state: "over" as const };
          });
        }
        for (const one of writes)
          for (const other of writes) {
            const isBefore =
              other.needs.includes(one.id) ||
              (other.domain === one.domain && order.indexOf(other.id) < order.indexOf(one.id));
            if (isBefore) expect(overAt.get(other.id)!, `seed ${seed}`).toBeLessThan(sentAt.get(one.id)!);
          }
      }
    },
  );
});
