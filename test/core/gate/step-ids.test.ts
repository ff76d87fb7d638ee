import { describe, expect, test } from "vitest";

import type { IdempotencyAnswer, IdempotencyRequest } from "../../../src/core/contract/gate/idempotency.ts";
import { deriveId } from "../../../src/core/kit/derive-id.ts";
import { StepIds } from "../../../src/core/gate/step-ids.ts";

const seed = (n: number): string => `0000000${n}-0000-4000-8000-00000000abcd`;
const numbers = (count: number): readonly number[] => [...Array(count).keys()];
const createPorts = () => {
  let ids = 0;
  return { newId: () => seed((ids += 1) + 4) };
};
const ASKED: IdempotencyRequest = {
  runId: "run",
  batch: { key: "batch:k", fingerprint: "f", seed: seed(1) },
  actions: [{ index: 2, key: "action:k", fingerprint: "f", seed: seed(2) }],
};

describe("without a key", () => {
  test("jobs and calls have ids of one fresh seed for the batch", () => {
    const ids = new StepIds(createPorts());
    expect([ids.jobId(0, null), ids.jobId(0, 2)]).toEqual([deriveId(seed(5), 0), deriveId(seed(5), 3)]);
    const keys = [ids.callKey({ index: 0, id: "a" }, null), ids.callKey({ index: 1, id: "b" }, "c")];
    expect(keys).toEqual([`${seed(5)}:a`, `${seed(5)}:b:c`]);
    expect(ids.seedOf(0).retaken).toBe(false);
  });
});

describe("under keys", () => {
  test("ids are the same every time, an action's by its own key", () => {
    const [one, two] = [new StepIds(createPorts(), ASKED), new StepIds(createPorts(), ASKED)];
    for (const ids of [one, two]) {
      expect(ids.callKey({ index: 0, id: "a" }, null)).toBe(`${seed(1)}:a`);
      expect(ids.callKey({ index: 2, id: "c" }, "1")).toBe(`${seed(2)}:1`);
      expect(ids.jobId(2, null)).toBe(deriveId(seed(2), 0));
    }
    expect(one.jobId(1, 4)).toBe(two.jobId(1, 4));
  });

  test("no two of the 50 × 26 jobs that a batch can have share an id", () => {
    const ids = new StepIds(createPorts(), { ...ASKED, actions: [] });
    const all = numbers(50).flatMap((index) =>
      [null, ...numbers(25)].map((element) => ids.jobId(index, element)),
    );
    expect(new Set(all).size).toBe(50 * 26);
  });

  test("a loop's jobs have ids by the names of their elements, an action's by its own key wherever it stands", () => {
    const ids = new StepIds(createPorts(), ASKED);
    const all = [0, 1, 2].flatMap((index) => ["a", "b"].map((name) => ids.jobId(index, name)));
    expect(new Set(all).size).toBe(6);
    const elsewhere = { ...ASKED, actions: [{ ...ASKED.actions[0]!, index: 7 }] };
    expect(new StepIds(createPorts(), elsewhere).jobId(7, "a")).toBe(ids.jobId(2, "a"));
    expect(new StepIds(createPorts()).namesOf(0, [])).toBeUndefined();
  });

  test("a loop that a run of an earlier version left in doubt has the jobs of its places, as that run had", () => {
    const left = (state: object) => {
      const ids = new StepIds(createPorts(), ASKED);
      const claimed = { kind: "claimed", seed: seed(3), inDoubt: true, ...state } as const;
      ids.take({ batch: claimed, actions: [] });
      return ids.namesOf(0, []);
    };
    expect([left({}), left({ begunAt: 1 }), left({ inDoubt: false })]).toEqual([undefined, [], []]);
  });

  test("a batch that is itself a job shares its id with none of its actions' jobs", () => {
    const own = deriveId(seed(1), 0);
    const ids = new StepIds(createPorts(), { ...ASKED, runId: own, actions: [] });
    const all = numbers(50).flatMap((index) =>
      [null, ...numbers(25)].map((element) => ids.jobId(index, element)),
    );
    expect(new Set([own, ...all]).size).toBe(1 + 50 * 26);
    expect(all[1]).toBe(deriveId(seed(1), 1));
  });

  test("what an earlier run began keeps that run's ids, and only that is retaken", () => {
    const claimed = (earlier: string) => ({ kind: "claimed", seed: earlier, inDoubt: true }) as const;
    const batchOnly: IdempotencyAnswer = {
      batch: claimed(seed(8)),
      actions: [{ index: 2, state: { kind: "claimed", seed: seed(2), inDoubt: false } }],
    };
    const ids = new StepIds(createPorts(), ASKED);
    expect(ids.jobId(0, null)).toBe(deriveId(seed(1), 0));
    ids.take(batchOnly);
    expect([ids.seedOf(0).retaken, ids.seedOf(2).retaken]).toEqual([true, false]);
    expect([ids.jobId(0, null), ids.jobId(2, null)]).toEqual([deriveId(seed(8), 0), deriveId(seed(2), 0)]);

    const actionOnly: IdempotencyAnswer = {
      batch: { kind: "claimed", seed: seed(1), inDoubt: false },
      actions: [{ index: 2, state: claimed(seed(9)) }],
    };
    const others = new StepIds(createPorts(), ASKED);
    others.take(actionOnly);
    expect([others.seedOf(0).retaken, others.seedOf(2).retaken]).toEqual([false, true]);
    expect(others.callKey({ index: 2, id: "c" }, null)).toBe(seed(9));
  });
});
