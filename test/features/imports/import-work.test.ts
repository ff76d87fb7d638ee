import { expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as IMPORTS_LIMITS from "../../../src/features/imports/limits.ts";
import { ImportWork } from "../../../src/features/imports/import-work.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const IMPORTS = IMPORTS_LIMITS.tenantPatternUnits / LIMITS.importPatternUnits;

function world() {
  const clock = new VirtualClock(0);
  const work = new ImportWork();
  const take = (signal = new AbortController().signal) => work.take(clock, signal);
  return { clock, take };
}

/** Take all shares that there are. */
async function takeAll(take: ReturnType<typeof world>["take"]): Promise<((unused: number) => void)[]> {
  const shares = [];
  for (let n = 0; n < IMPORTS; n += 1) shares.push(valueOf(await take()));
  return shares;
}

test("P6: imports that use all their work have a minute's, and the next one is told how long to wait", async () => {
  const { clock, take } = world();
  for (const giveBack of await takeAll(take)) giveBack(0);
  await clock.advance(20_000);
  expect(errorOf(await take())).toEqual({ retryAfterMs: 40_000 });
  await clock.advance(40_000);
  expect((await take()).ok).toBe(true);
});

test("what an import did not use is there for the next, but not in another minute", async () => {
  const { clock, take } = world();
  for (let n = 0; n < 10 * IMPORTS; n += 1) valueOf(await take())(LIMITS.importPatternUnits);
  const giveBack = valueOf(await take());
  await clock.advance(60_000);
  for (const used of await takeAll(take)) used(0);
  giveBack(LIMITS.importPatternUnits);
  expect((await take()).ok).toBe(false);
});

test("eight imports at once that use little of their work are all answered, in the order in which they came", async () => {
  const { clock, take } = world();
  const order: number[] = [];
  const imports = Array.from({ length: 8 }, async (_, n) => {
    const giveBack = valueOf(await take());
    order.push(n);
    await new Promise<void>((resolve) => void clock.after(500, resolve));
    giveBack(LIMITS.importPatternUnits - 1_000);
  });
  await clock.runUntil(Promise.all(imports));
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(clock.now()).toBe(2_000);
});

test("an import waits for those before it, and is refused when they have used all", async () => {
  const { clock, take } = world();
  const shares = await takeAll(take);
  const [next, last] = [take(), take()];
  for (const giveBack of shares) giveBack(LIMITS.importPatternUnits / IMPORTS);
  const giveBack = valueOf(await next);
  await clock.advance(1_000);
  giveBack(0);
  expect(errorOf(await last)).toEqual({ retryAfterMs: 59_000 });
});

test("eight imports at once are all answered on a machine on which each takes half a minute", async () => {
  const { clock, take } = world();
  const imports = Array.from({ length: 8 }, async () => {
    const giveBack = await take();
    await new Promise<void>((resolve) => void clock.after(35_000, resolve));
    if (giveBack.ok) giveBack.value(LIMITS.importPatternUnits - 1_000);
    return giveBack.ok;
  });
  const answered = await clock.runUntil(Promise.all(imports));
  expect(answered).toEqual(Array.from({ length: 8 }, () => true));
});

test("imports that wait for some that were cut off have the share of the next minute, in turn", async () => {
  const { clock, take } = world();
  await takeAll(take);
  const endedAt: number[] = [];
  const waiting = Array.from({ length: IMPORTS + 1 }, async () => {
    valueOf(await take());
    endedAt.push(clock.now());
  });
  await clock.runUntil(Promise.all(waiting));
  expect(endedAt).toEqual([...Array.from({ length: IMPORTS }, () => 60_000), 120_000]);
});

test("an import whose client left while it waited takes no work", async () => {
  const { clock, take } = world();
  const [first] = await takeAll(take);
  const leaving = new AbortController();
  const left = take(leaving.signal);
  const next = take();
  leaving.abort();
  expect((await left).ok).toBe(false);
  first!(LIMITS.importPatternUnits);
  expect((await clock.runUntil(next)).ok).toBe(true);
});
