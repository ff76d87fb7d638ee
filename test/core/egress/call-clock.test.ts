import { describe, expect, it } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function start(totalMs = 10_000) {
  const time = new VirtualClock();
  return { time, clock: new CallClock(time, totalMs) };
}

/** A machine's clock that can be set back; its timers, as in every runtime, do not care. */
function startSettable(totalMs = 10_000) {
  const time = new VirtualClock();
  const skew = { ms: 0 };
  const settable = {
    now: () => time.now() + skew.ms,
    after: (delayMs: number, callback: () => void) => time.after(delayMs, callback),
  };
  return { time, skew, clock: new CallClock(settable, totalMs) };
}

function failureOf(clock: CallClock) {
  return (clock.signal.reason as ToolFailure | undefined)?.failure;
}

describe("CallClock", () => {
  it("ends with phase total when the whole call takes too long", async () => {
    const { time, clock } = start();

    await time.advance(9_999);
    expect(clock.signal.aborted).toBe(false);
    await time.advance(1);

    expect(failureOf(clock)).toMatchObject({ code: "TIMEOUT", phase: "total", retryable: true });
    expect(time.pending).toBe(0);
  });

  it("T13 ends with the phase that took too long", async () => {
    const { time, clock } = start();

    clock.enter("headers", 2_000);
    await time.advance(2_000);

    expect(failureOf(clock)).toMatchObject({ code: "TIMEOUT", phase: "headers" });
  });

  it("says total when the total came first, even if both have passed", async () => {
    const { time, clock } = start(1_000);

    clock.enter("idle", 1_001);
    time.jump(5_000);
    await time.advance(1_000);

    expect(failureOf(clock)).toMatchObject({ phase: "total" });
  });

  it("measures each phase from when it was entered, with one timer", async () => {
    const { time, clock } = start(60_000);

    for (let i = 0; i < 5; i += 1) {
      clock.enter("idle", 5_000);
      expect(time.pending).toBe(1);
      await time.advance(4_000);
    }
    expect(clock.signal.aborted).toBe(false);
    await time.advance(1_000);

    expect(failureOf(clock)).toMatchObject({ phase: "idle" });
    expect(time.now()).toBe(1_021_000);
  });

  it("ends with the phase that ends together with the whole call", async () => {
    const { time, clock } = start();

    clock.enter("idle", 10_000);
    await time.advance(10_000);

    expect(failureOf(clock)).toMatchObject({ phase: "idle" });
  });

  it("says of each phase what took too long, and of the total whose limit it was", async () => {
    const { time, clock } = start();
    const forks = [clock.fork(undefined), clock.fork(undefined), clock.fork(3_000)];
    forks[0]!.enter("headers", 1_000);
    forks[1]!.enter("idle", 1_000);
    const asked = new CallClock(time, 2_000, "timeout_ms");
    await time.advance(10_000);

    expect([...forks, clock, asked].map(({ ended }) => ended!.failure.hint)).toEqual([
      expect.stringContaining("did not begin to answer"),
      expect.stringContaining("stopped in the middle"),
      expect.stringContaining("3000 ms that its tool may take"),
      expect.stringContaining("10000 ms that its tool may take"),
      expect.stringContaining("2000 ms of this action's timeout_ms"),
    ]);
  });

  it("has only the total left after a phase", async () => {
    const { time, clock } = start();

    clock.enter("headers", 2_000);
    clock.leave();
    await time.advance(9_999);

    expect(clock.signal.aborted).toBe(false);
    expect(clock.remainingMs).toBe(1);
  });

  it("does not count paused time, for the total or for a phase", async () => {
    const { time, clock } = start();

    clock.enter("headers", 5_000);
    await time.advance(4_000);
    clock.pause();
    await time.advance(60_000);
    expect(clock.remainingMs).toBe(6_000);
    clock.resume();
    await time.advance(999);
    expect(clock.signal.aborted).toBe(false);
    await time.advance(1);

    expect(failureOf(clock)).toMatchObject({ phase: "headers" });
    expect(clock.pausedMs).toBe(60_000);
  });

  it("pauses once and resumes once, however often it is told", async () => {
    const { time, clock } = start();

    clock.pause();
    await time.advance(10);
    clock.pause();
    await time.advance(10);
    clock.resume();
    clock.resume();

    expect(clock.pausedMs).toBe(20);
    expect(clock.remainingMs).toBe(10_000);
  });

  it("keeps the first reason it was ended for", async () => {
    const { time, clock } = start();

    clock.end(makeFailure("CANCELLED"));
    clock.end(makeFailure("DEADLINE_EXCEEDED"));
    await time.advance(20_000);

    expect(failureOf(clock)).toMatchObject({ code: "CANCELLED" });
    expect(time.pending).toBe(0);
  });

  it("leaves no timer behind once it is ended", () => {
    const { time, clock } = start();

    clock.end(makeFailure("CANCELLED"));

    expect(time.pending).toBe(0);
  });

  it("has one signal, which tells of the end whenever it was asked for", () => {
    const { clock } = start();
    const { signal } = clock;

    clock.end(makeFailure("CANCELLED"));

    expect(clock.signal).toBe(signal);
    expect(signal.aborted).toBe(true);
    const late = start().clock;
    late.end(makeFailure("ABORTED"));
    expect(failureOf(late)).toMatchObject({ code: "ABORTED" });
  });

  it("tells of an end that has come at once, and of one that comes once", () => {
    const { clock } = start();
    const heard: string[] = [];
    clock.onEnd(({ failure }) => heard.push(`before ${failure.code}`));
    clock.end(makeFailure("CANCELLED"));
    clock.onEnd(({ failure }) => heard.push(`after ${failure.code}`));

    expect(heard).toEqual(["before CANCELLED", "after CANCELLED"]);
  });

  it("tells of its end in the order in which it was listened to, and nobody who stopped, even meanwhile", () => {
    const { clock } = start();
    const heard: string[] = [];
    const stops = ["a", "b", "c", "d"].map((name) =>
      clock.onEnd(() => {
        heard.push(name);
        if (name === "a") stops[2]!();
      }),
    );
    stops[1]!();
    stops[1]!();
    clock.end(makeFailure("CANCELLED"));

    expect(heard).toEqual(["a", "d"]);
  });

  it("cancels what its call did not wait for, and counts nothing for that which is over", async () => {
    const { time, clock } = start();
    await clock.orEnd(Promise.resolve(1));
    await clock.orEnd(Promise.reject(new Error("reset"))).catch(() => {});
    clock.onEnd(() => {})();
    clock.fork(undefined).stop();
    clock.close();
    expect([clock.ended, time.pending]).toEqual([null, 0]);

    const other = start().clock;
    const late = other.orEnd(new Promise(() => {}));
    other.close();
    await expect(late).rejects.toMatchObject({
      failure: { code: "CANCELLED", hint: expect.stringContaining("over before") },
    });
  });

  it("leaves no timer behind once it is stopped, whatever is called after", async () => {
    const { time, clock } = start();

    clock.stop();
    clock.enter("idle", 1);
    clock.pause();
    clock.resume();
    await time.advance(20_000);

    expect(time.pending).toBe(0);
    expect(clock.signal.aborted).toBe(false);
  });

  it("counts the time by which a timer came too late", async () => {
    const { time, clock } = start();

    clock.enter("headers", 1_000);
    clock.leave();
    time.jump(5_000);
    await time.advance(0);

    expect(clock.remainingMs).toBe(5_000);
  });

  it("ends on time when the machine's clock is set back", async () => {
    const { time, skew, clock } = startSettable();

    skew.ms = -3_600_000;
    await time.advance(10_000);

    expect(failureOf(clock)).toMatchObject({ phase: "total" });
  });

  it("bounds the total of a call whose chunks keep coming while the clock is set back", async () => {
    const { time, skew, clock } = startSettable();

    clock.enter("idle", 5_000);
    await time.advance(4_000);
    skew.ms = -3_600_000;
    for (let i = 0; i < 5 && !clock.signal.aborted; i += 1) {
      clock.enter("idle", 5_000);
      await time.advance(3_000);
    }

    expect(failureOf(clock)).toMatchObject({ phase: "total" });
  });
});
