import fc from "fast-check";
import { describe, expect, it } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { IsolateBytes, type RequestBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { samples } from "../../support/samples.ts";

/** Half of it is 150: one request of 100 leads, and the others have 50 beside it, of which large ones have 37. */
const WORLD = { bytes: 300, claim: 100, waiting: 10 };

function world() {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock, WORLD);
  const open = (tenant = "acme"): RequestBytes => isolate.open(tenant, clock);
  /** Take at once or wait; says what became of it so far. */
  const ask = (request: RequestBytes, bytes: number, isSmall = false) => {
    const asked = { is: "granted" as string };
    if (request.take(bytes, isSmall)) return asked;
    asked.is = "waits";
    const { granted } = request.wait(bytes, isSmall);
    void granted.then((isGranted) => (asked.is = isGranted ? "granted" : "refused"));
    return asked;
  };
  return { clock, isolate, open, ask };
}

describe("IsolateBytes", () => {
  it("T44 one tenant has at most half, and another finds its own half there", () => {
    const { isolate, open, ask } = world();
    for (let request = 0; request < 20; request += 1) {
      const one = open();
      for (let bytes = 0; bytes < 100; bytes += 10) ask(one, 10);
    }
    const other = open("other");

    expect(isolate.heldBy("acme")).toBeLessThanOrEqual(150);
    expect(ask(other, 100).is).toBe("granted");
  });

  it("T44 what does not fit waits until another gives back, in the order of asking", async () => {
    const { clock, open, ask } = world();
    const [first, second, third] = [open(), open(), open()];
    ask(first, 90);
    const [b, c] = [ask(second, 80), ask(third, 80)];
    await clock.advance(10);
    expect([b.is, c.is]).toEqual(["waits", "waits"]);

    first.give(90);
    await clock.advance(10);
    expect([b.is, c.is]).toEqual(["granted", "waits"]);
    second.give(80);
    await clock.advance(10);
    expect(c.is).toBe("granted");
  });

  it("T44 a leading request is never kept waiting, however many wait and hold something", async () => {
    const { clock, open, ask } = world();
    const requests = Array.from({ length: 8 }, () => open());
    for (const request of requests) ask(request, 30);
    const leader = requests.find((request) => request.take(70, false));
    await clock.advance(10);

    expect(leader?.held).toBe(100);
  });

  it("T44 a small body need not wait for large ones", () => {
    const { open, ask } = world();
    ask(open(), 90);
    ask(open(), 37);
    expect(ask(open(), 10).is).toBe("waits");

    expect(ask(open(), 10, true).is).toBe("granted");
  });

  it("T44 refuses what waited for too long, and one more than may wait at once", async () => {
    const { clock, open, ask } = world();
    const leader = open();
    ask(leader, 90);
    const waiting = Array.from({ length: 10 }, () => ask(open(), 90));
    const late = ask(open(), 90);
    await clock.advance(LIMITS.bytesWaitMs - 1);
    expect(late.is).toBe("refused");
    expect(waiting[0]!.is).toBe("waits");
    await clock.advance(1);
    expect(new Set(waiting.map(({ is }) => is))).toEqual(new Set(["refused"]));
    expect(ask(open(), 90).is).toBe("waits");
  });

  it("T44 forgets a request that the platform has cut off, which runs no code any more", async () => {
    const { clock, isolate, ask } = world();
    // Its timers are gone with it.
    const dead = isolate.open("acme", { now: () => clock.now(), after: () => () => {} });
    ask(dead, 90);
    const waits = ask(isolate.open("acme", clock), 90);
    await clock.advance(4_000);
    expect(waits.is).toBe("waits");
    await clock.advance(2_000);
    expect(waits.is).toBe("granted");
    dead.give(90);
    expect(isolate.held).toBe(90);
  });

  it("keeps a living request for as long as it goes on, and a clock that is set back forgets no request", async () => {
    const { clock, open, ask } = world();
    const leader = open();
    ask(leader, 90);
    ask(open(), 90);
    clock.jump(-60_000);
    await clock.advance(9_000);

    expect(leader.held).toBe(90);
  });

  it("lets a third tenant lead when one that leads only holds what it has read", async () => {
    const { clock, open, ask } = world();
    const holder = open("a");
    ask(holder, 30);
    ask(holder, 20);
    ask(open("b"), 90);
    const third = ask(open("c"), 90);
    await clock.advance(10);
    expect(third.is).toBe("waits");

    holder.give(20);
    holder.rest(30);
    ask(open("d"), 90);
    await clock.advance(10);
    expect(third.is).toBe("granted");
  });

  it("keeps nothing of a tenant that holds nothing", async () => {
    const { clock, isolate, open, ask } = world();
    for (let tenant = 0; tenant < 50; tenant += 1) {
      const request = open(`t${tenant}`);
      ask(request, 20);
      request.give(20);
    }
    await clock.advance(2_000);

    expect(isolate.held).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("P6: T44 never has more than its bound, a tenant never more than half, and everybody comes to an end", async () => {
    const arrival = fc.record({
      tenant: fc.constantFrom("a", "b", "c", "d"),
      reads: fc.array(
        fc.record({ bytes: fc.integer({ min: 1, max: 20 }), isSmall: fc.boolean(), restMs: fc.nat(3) }),
        { maxLength: 5, minLength: 1 },
      ),
      atMs: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { maxLength: 40 }), async (arrivals) => {
        const clock = new VirtualClock();
        const isolate = new IsolateBytes(clock, { ...WORLD, waiting: 1_000 });
        let over = 0;
        const check = (): void => {
          expect(isolate.held).toBeLessThanOrEqual(WORLD.bytes);
          for (const tenant of ["a", "b", "c", "d"])
            expect(isolate.heldBy(tenant)).toBeLessThanOrEqual(WORLD.bytes / 2);
        };
        const runs = arrivals.map(async ({ tenant, reads, atMs }) => {
          await clock.sleep(atMs);
          const request = isolate.open(tenant, clock);
          for (const { bytes, isSmall, restMs } of reads) {
            const isGranted = request.take(bytes, isSmall) || (await request.wait(bytes, isSmall).granted);
            expect(isGranted).toBe(true);
            check();
            await clock.sleep(restMs);
          }
          request.give(request.held);
          check();
          over += 1;
        });
        await clock.runUntil(Promise.all(runs));

        expect(over).toBe(arrivals.length);
        expect(isolate.held).toBe(0);
      }),
      { numRuns: samples(100) },
    );
  });
});
