import { expect, test } from "vitest";

import type { IdempotencyRequest, KeyState } from "../../../../src/core/contract/gate/idempotency.ts";
import { deriveId } from "../../../../src/core/kit/derive-id.ts";
import { narrowToClaimed } from "../../../../src/core/gate/state/narrow-to-claimed.ts";

const limit = { bucket: "tool:x", limit: 1, windowS: 60 };
const spec = (id: string) => ({
  id,
  tool: "x",
  argsJson: "{}",
  idempotencyKey: id,
  maxAttempts: 5,
  backoffInitialMs: 1_000,
  delivery: "at-least-once" as const,
});
const seedAt = (index: number): string => `${index}0000000-0000-4000-8000-000000000000`;
const content = (index: number) => ({ key: `k${index}`, fingerprint: "f", seed: seedAt(index) });
const ASKED: IdempotencyRequest = {
  runId: "run",
  batch: content(9),
  actions: [1, 2].map((index) => ({ index, ...content(index) })),
};
const FRESH = (index: number): KeyState => ({ kind: "claimed", seed: seedAt(index), inDoubt: false });
const TAKEN: KeyState = { kind: "claimed", seed: seedAt(8), inDoubt: true };

/** The rest of three actions that each draw and record a job; the second and third have keys of their own. */
function narrow(states: { batch?: KeyState; one?: KeyState; two?: KeyState }, allOrNothing = false) {
  const request = {
    draws: [0, 1, 2].map((index) => ({ index, limit })),
    jobs: [0, 1, 2].map((index) => ({ index, spec: spec(deriveId(seedAt(index === 0 ? 9 : index), index)) })),
    allOrNothing,
  };
  const { batch = FRESH(9), one = FRESH(1), two = FRESH(2) } = states;
  const narrowed = narrowToClaimed(request, ASKED, {
    batch,
    actions: [
      { index: 1, state: one },
      { index: 2, state: two },
    ],
  });
  return {
    draws: narrowed.draws.map(({ index }) => index),
    jobs: narrowed.jobs.map(({ index }) => index),
    retaken: narrowed.jobs.filter((job) => job.retaken).map((job) => job.spec.id),
    keeps: narrowed.keeps,
  };
}

test("nothing is taken out where every key is new", () => {
  expect(narrow({})).toMatchObject({ draws: [0, 1, 2], jobs: [0, 1, 2], retaken: [] });
});

test.each<[string, KeyState]>([
  ["done", { kind: "done", answer: { json: "{}", failed: false } }],
  ["running", { kind: "running", retryAfterMs: 1 }],
  ["other content's", { kind: "conflict" }],
])("an action whose key is %s draws from no limit and records no job", (_, one) => {
  expect(narrow({ one })).toMatchObject({ draws: [0, 2], jobs: [0, 2] });
});

test("jobs of an earlier run get its ids, those of an action's own new key keep theirs", () => {
  const all = { draws: [0, 1, 2], jobs: [0, 1, 2] };
  expect(narrow({ batch: TAKEN })).toMatchObject({ ...all, retaken: [deriveId(seedAt(8), 0)] });
  expect(narrow({ two: TAKEN })).toMatchObject({ ...all, retaken: [deriveId(seedAt(8), 2)] });
});

test("under all-or-nothing a key that stands for a failure stops everything, and no other key is held for it", () => {
  const { draws, jobs, keeps } = narrow({ one: { kind: "conflict" } }, true);
  expect([draws, jobs]).toEqual([[], []]);
  expect([keeps(1, { kind: "conflict" }, []), keeps(2, FRESH(2), [])]).toEqual([true, false]);
});

test("under all-or-nothing no job is recorded ahead of a doubt that may stop the batch", () => {
  expect(narrow({ two: TAKEN }, true)).toMatchObject({ draws: [0, 1, 2], jobs: [] });
});

test("what was denied gives its key back, and under all-or-nothing so does everybody", () => {
  const denied = [{ index: 1, retryAfterMs: 5 }];
  const one = narrow({});
  expect([one.keeps(1, FRESH(1), denied), one.keeps(2, FRESH(2), denied)]).toEqual([false, true]);
  const all = narrow({}, true);
  expect([all.keeps(1, FRESH(1), denied), all.keeps(2, FRESH(2), denied)]).toEqual([false, false]);
});

test("a claim that is not this run's stays whatever was denied, and a key's claim goes with its own action alone", () => {
  const denied = [0, 1].map((index) => ({ index, retryAfterMs: 5 }));
  const { keeps } = narrow({});
  expect(keeps(1, { kind: "running", retryAfterMs: 1 }, denied)).toBe(true);
  expect(keeps(1, FRESH(1), denied)).toBe(false);
  const all = narrow({}, true);
  expect([all.keeps(1, FRESH(1), []), all.keeps(1, { kind: "conflict" }, denied)]).toEqual([true, true]);
});

test.each<[string, KeyState, boolean]>([
  ["is running elsewhere", { kind: "running", retryAfterMs: 1 }, true],
  ["has failed before", { kind: "done", answer: { json: "{}", failed: true } }, true],
  ["has succeeded before", { kind: "done", answer: { json: "{}", failed: false } }, false],
])("under all-or-nothing an action that %s stops the others: %#", (_, one, stops) => {
  expect(narrow({ one }, true)).toMatchObject({ jobs: stops ? [] : [0, 2] });
});

test.each<[string, KeyState]>([
  ["kept a failure for", { kind: "done", answer: { json: "{}", failed: true }, of: "f" }],
  ["kept a success for", { kind: "done", answer: { json: "{}", failed: false }, of: "f" }],
  ["let go", { kind: "claimed", seed: seedAt(8), inDoubt: false, of: "f" }],
])(
  "with allOrNothing a key that may turn out a conflict (an earlier run %s it) stops nothing yet, and jobs wait",
  (_, one) => {
    const { draws, jobs, keeps } = narrow({ one }, true);
    expect([draws.includes(2), jobs, keeps(2, FRESH(2), [])]).toEqual([true, [], true]);
  },
);
