import { expect, test } from "vitest";

import { PatternWork } from "../../../../src/features/added-tools/json-schema/weigh-pattern.ts";

const DEAR = "^[a-z]{1,60}-[a-z]{1,60}$";
const own = () => ({ left: 80_000 });

test("P6: T43 each distinct pattern takes of the work of all, also one that is refused, and the same one only once", () => {
  const work = new PatternWork(1_000_000);
  expect(work.weigh(DEAR, own()).ok).toBe(true);
  const once = work.left;
  expect(once).toBeLessThan(999_900);
  expect(work.weigh(DEAR, own()).ok).toBe(true);
  expect(work.left).toBe(once);
  expect(work.weigh("(", own()).ok).toBe(false);
  expect(work.left).toBeLessThan(once);
});

test("a pattern that is known takes of its schema's own bound all the same", () => {
  const work = new PatternWork(1_000_000);
  const [first, second] = [own(), own()];
  work.weigh(DEAR, first);
  work.weigh(DEAR, second);
  expect(second).toEqual(first);
  expect(first.left).toBeLessThan(80_000);
  expect(work.weigh(DEAR, { left: 0 })).toMatchObject({ ok: false });
});

test("P6: where the work is spent a pattern that is not known is refused, and one that is known is not", () => {
  const work = new PatternWork(1);
  expect(work.weigh("^a$", own()).ok).toBe(true);
  expect(work.isSpent).toBe(false);
  expect(work.weigh("^b$", own())).toEqual({ ok: false, error: expect.stringContaining("one import may") });
  expect(work.isSpent).toBe(true);
  expect(work.weigh("^a$", own()).ok).toBe(true);
  expect(work.left).toBe(0);
});

test("a pattern for which its schema had no work left is weighed again in another", () => {
  const work = new PatternWork(1_000_000);
  expect(work.weigh(DEAR, { left: 10 }).ok).toBe(false);
  expect(work.weigh(DEAR, own()).ok).toBe(true);
});
