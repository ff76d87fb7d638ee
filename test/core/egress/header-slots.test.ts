import { describe, expect, it } from "vitest";

import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { HeaderSlots } from "../../../src/core/egress/header-slots.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function start(permits: number) {
  const time = new VirtualClock();
  const clock = new CallClock(time, 10_000);
  const shared = new Semaphore(permits);
  return { time, clock, shared, slots: new HeaderSlots(shared, clock) };
}

describe("F07 HeaderSlots", () => {
  it("does not stop the clock for a slot that is free", async () => {
    const { time, clock, slots } = start(1);

    await slots.run(() => slots.acquire());
    await time.advance(100);

    expect(clock.pausedMs).toBe(0);
    expect(clock.remainingMs).toBe(9_900);
  });

  it("stops the clock while the only request of the call waits", async () => {
    const { time, clock, shared, slots } = start(1);
    const release = shared.tryAcquire()!;
    const waiting = slots.run(() => slots.acquire());

    await time.advance(60_000);
    release();
    await waiting;

    expect(clock.pausedMs).toBe(60_000);
    expect(clock.remainingMs).toBe(10_000);
  });

  it("lets the clock go on while a request that had to wait is under way, and after it", async () => {
    const { time, clock, shared, slots } = start(1);
    const release = shared.tryAcquire()!;
    const under = slots.run(async () => {
      (await slots.acquire())();
      await time.sleep(1_000);
    });

    release();
    await time.advance(500);
    expect(clock.remainingMs).toBe(9_500);
    await time.advance(500);
    await under;
    await time.advance(500);
    expect(clock.remainingMs).toBe(8_500);
  });

  it("holds a slot as long as the work goes on, however it ends", async () => {
    const { shared, slots } = start(1);
    const { promise, reject } = Promise.withResolvers<void>();
    const working = slots.holding(() => promise);
    await Promise.resolve();

    expect(shared.tryAcquire()).toBeNull();
    reject(new Error("broken"));
    await expect(working).rejects.toThrow("broken");
    expect(shared.tryAcquire()).not.toBeNull();
  });

  it("keeps the clock going while another request of the call is under way, so its timeout still comes", async () => {
    const { time, clock, slots } = start(1);
    const hanging = slots.run(async () => {
      await slots.acquire();
      await new Promise(() => {});
    });
    const waiting = slots.run(() => slots.acquire());
    void hanging;

    const failed = expect(waiting).rejects.toMatchObject({ failure: { code: "TIMEOUT", phase: "total" } });
    await time.advance(10_000);
    await failed;
    expect(clock.signal.aborted).toBe(true);
  });

  it("stops the clock when the request that was under way ends and the others still wait", async () => {
    const { time, clock, shared, slots } = start(2);
    const elsewhere = shared.tryAcquire()!;
    const mine = slots.run(async () => {
      await slots.acquire();
      await time.sleep(1_000);
    });
    const waiting = slots.run(() => slots.acquire());

    await time.advance(5_000);
    await mine;
    elsewhere();
    await waiting;

    expect(clock.pausedMs).toBe(4_000);
  });
});
