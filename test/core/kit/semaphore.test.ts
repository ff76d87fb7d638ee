import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Release, Semaphore } from "../../../src/core/kit/semaphore.ts";

const NEVER = new AbortController().signal;

/** Let every promise reaction that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("Semaphore", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY])("refuses %d permits", (permits) => {
    expect(() => new Semaphore(permits)).toThrow(
      `Cannot create semaphore: 'permits' must be a positive integer or Infinity, received ${permits}`,
    );
  });

  it("grants as many permits as it has and no more", () => {
    const semaphore = new Semaphore(2);

    expect(semaphore.tryAcquire()).not.toBeNull();
    expect(semaphore.tryAcquire()).not.toBeNull();
    expect(semaphore.tryAcquire()).toBeNull();
  });

  it("never runs out when it is unlimited", () => {
    const semaphore = new Semaphore(Number.POSITIVE_INFINITY);

    for (let i = 0; i < 1_000; i += 1) expect(semaphore.tryAcquire()).not.toBeNull();
  });

  it("takes no permit for one whose end came while it waited, and hears of no end after a grant", async () => {
    const semaphore = new Semaphore(1);
    const first = semaphore.tryAcquire()!;
    let end: (value: unknown) => void = () => {};
    let listening = 0;
    const onEnd = (leave: (reason: unknown) => void): (() => void) => {
      listening += 1;
      end = leave;
      return () => (listening -= 1);
    };
    const given = semaphore.acquireUntil(onEnd);
    end("the call is over");
    await expect(given).rejects.toBe("the call is over");

    const waiting = semaphore.acquireUntil(onEnd);
    first();
    const second = await waiting;
    expect(listening).toBe(1);
    second();
    expect(semaphore.tryAcquire()).not.toBeNull();
  });

  it("tells that a wait is over before the permit is there, granted or not", async () => {
    const semaphore = new Semaphore(1);
    const first = semaphore.tryAcquire()!;
    let waited = 0;
    let end: (reason: unknown) => void = () => {};
    const given = semaphore.acquireUntil(
      (leave) => ((end = leave), () => {}),
      () => (waited += 1),
    );
    end("the call is over");
    expect(waited).toBe(1);
    await expect(given).rejects.toBe("the call is over");

    const waiting = semaphore.acquireUntil(
      () => () => {},
      () => (waited += 1),
    );
    first();
    expect(waited).toBe(2);
    await waiting;
  });

  it("serves waiters in the order they came, and no newcomer before them", async () => {
    const semaphore = new Semaphore(1);
    const order: number[] = [];
    const first = semaphore.tryAcquire()!;
    const waits = [1, 2, 3].map(async (id) => {
      const release = await semaphore.acquire(NEVER);
      order.push(id);
      return release;
    });

    first();
    expect(semaphore.tryAcquire()).toBeNull();
    (await waits[0]!)();
    (await waits[1]!)();
    (await waits[2]!)();

    expect(order).toEqual([1, 2, 3]);
    expect(semaphore.tryAcquire()).not.toBeNull();
  });

  it("takes a permit back once, however often it is released", () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire()!;

    release();
    release();

    expect(semaphore.tryAcquire()).not.toBeNull();
    expect(semaphore.tryAcquire()).toBeNull();
  });

  it("lets an aborted waiter leave with the signal's reason, taking nothing", async () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire()!;
    const controller = new AbortController();
    const leaving = semaphore.acquire(controller.signal);
    const staying = semaphore.acquire(NEVER);

    controller.abort("over");
    await expect(leaving).rejects.toBe("over");
    release();

    expect(await staying).toBeTypeOf("function");
  });

  it("refuses a signal that has aborted, even with a permit free", async () => {
    const semaphore = new Semaphore(1);

    await expect(semaphore.acquire(AbortSignal.abort("over"))).rejects.toBe("over");
    expect(semaphore.tryAcquire()).not.toBeNull();
  });

  it("keeps a permit that was granted before the signal aborted", async () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire()!;
    const controller = new AbortController();
    const waiting = semaphore.acquire(controller.signal);

    release();
    controller.abort("over");
    (await waiting)();

    expect(semaphore.tryAcquire()).not.toBeNull();
  });

  it("never has more holders than permits and loses no permit, whatever happens", async () => {
    const step = fc.constantFrom("acquire", "release", "abort");
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 40 }),
        async (permits, steps) => {
          const semaphore = new Semaphore(permits);
          const held: Release[] = [];
          const waiting: AbortController[] = [];
          for (const action of steps) {
            if (action === "acquire") {
              const controller = new AbortController();
              waiting.push(controller);
              semaphore.acquire(controller.signal).then(
                (release) => void held.push(release),
                () => {},
              );
            } else if (action === "release") held.shift()?.();
            else waiting.shift()?.abort();
            await settle();
            expect(held.length).toBeLessThanOrEqual(permits);
          }
          for (const controller of waiting) controller.abort();
          for (const release of held) release();
          await settle();
          for (let i = 0; i < permits; i += 1) expect(semaphore.tryAcquire()).not.toBeNull();
          expect(semaphore.tryAcquire()).toBeNull();
        },
      ),
      { numRuns: 50 },
    );
  });
});
