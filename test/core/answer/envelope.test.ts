import { describe, expect, test } from "vitest";

import {
  AnswerBudget,
  answerBudgetOf,
  toEnvelopeJson,
  toResultJson,
} from "../../../src/core/answer/envelope.ts";
import { makeFailure, toWireFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Outcome, OutcomeMeta } from "../../../src/core/contract/outcome.ts";
import { ok } from "../../../src/core/kit/result.ts";
import type { Step } from "../../../src/core/plan/step.ts";
import type { WireEnvelope, WireResult } from "../../support/execute-batch.ts";
import { contractOf, planOf, type StepSketch } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

const done = (meta: OutcomeMeta = {}): Outcome => ({ status: "success", data: 1, json: "1", meta });
const stepOf = (more: Partial<Step> = {}): Step => ({ ...planOf([{ id: "a" }]).steps[0]!, ...more });
const resultOf = (outcome: Outcome, more: Partial<Step> = {}) =>
  JSON.parse(toResultJson(stepOf(more), outcome)) as WireResult;

describe("A result", () => {
  test("says what its status has to say, and nothing else", () => {
    const error = makeFailure("TIMEOUT");
    const partial = { data: [1], json: "[1]" };
    const head = { index: 0, id: "a", tool: "plain" };
    expect(resultOf(done())).toEqual({ ...head, status: "success", data: 1, meta: {} });
    expect(resultOf({ status: "initiated", jobId: "j", meta: {} })).toEqual({
      ...head,
      status: "initiated",
      job_id: "j",
      meta: {},
    });
    expect(resultOf({ status: "skipped", because: "b", error, meta: {} })).toMatchObject({
      because: "b",
      error: { code: "TIMEOUT" },
    });
    expect(resultOf({ status: "unknown", error, partial, meta: {} })).toMatchObject({ data: [1] });
    expect(resultOf({ status: "error", error, meta: {} })).not.toHaveProperty("data");
  });

  test("says how it came about, under the wire's names", () => {
    const verification = { tool: "look", verdict: "not_found", durationMs: 4 } as const;
    const { meta } = resultOf(done({ ageMs: 0, deduplicatedOf: "b", replayed: true, verification }));
    expect(meta).toEqual({
      cached: true,
      age_ms: 0,
      deduplicated_of: "b",
      idempotency_replayed: true,
      verification: { tool: "look", verdict: "not_found", duration_ms: 4 },
    });
  });

  test("has the warnings of its action and then those of its selection, five at most", () => {
    const warnings = ["one", "two", "three"];
    const selectHints = ["four", "five", "six"];
    expect(resultOf(done({ selectHints }), { warnings }).meta).toEqual({
      warnings: ["one", "two", "three", "four", "five"],
    });
    expect(resultOf(done({ selectHints })).meta).toEqual({ warnings: selectHints });
    expect(resultOf(done(), { warnings }).meta).toEqual({ warnings });
  });
});

describe("The figures of a batch", () => {
  const statsOf = (sketches: readonly StepSketch[], ms: readonly number[], durationMs: number) => {
    const outcomes = ms.map((one) => done({ durationMs: one }));
    const json = toEnvelopeJson(planOf(sketches), outcomes, { batchId: "b", durationMs, maxParallelism: 2 });
    return (JSON.parse(json) as WireEnvelope).stats;
  };

  test("follow the longest chain of what waited for what", () => {
    const sketches = [
      { id: "a" },
      { id: "b", needs: ["a"] },
      { id: "c" },
      { id: "d", after: ["c", "b"], needs: ["a"] },
      { id: "e", needs: ["c", "d"], after: ["a"] },
    ];
    expect(statsOf(sketches, [10, 20, 1, 5, 2], 40)).toEqual({
      duration_ms: 40,
      critical_path_ms: 37,
      sequential_ms: 38,
      speedup: 0.95,
      max_parallelism: 2,
    });
    expect(statsOf([{ id: "a" }, { id: "b" }], [30, 8], 30)).toMatchObject({ critical_path_ms: 30 });
  });

  test("are finite where nothing took time", () => {
    const two = [{ id: "a" }, { id: "b" }];
    expect(statsOf(two, [0, 0], 0)).toMatchObject({ speedup: 1, critical_path_ms: 0 });
    expect(statsOf(two, [5, 0], 0)).toMatchObject({ speedup: 5 });
  });

  test("compare nothing where one call ran", () => {
    expect(statsOf([{ id: "a" }], [5], 6)).not.toHaveProperty("speedup");
    expect(statsOf([], [], 0)).not.toHaveProperty("speedup");
    const json = toEnvelopeJson(planOf([{ id: "a" }, { id: "b" }]), [done({ durationMs: 5 }), done({})], {
      batchId: "b",
      durationMs: 5,
      maxParallelism: 1,
    });
    expect((JSON.parse(json) as WireEnvelope).stats).not.toHaveProperty("speedup");
  });

  test("count a loop's work and not its duration", () => {
    const outcome = done({ durationMs: 5, workMs: 20 });
    const json = toEnvelopeJson(planOf([{ id: "a" }]), [outcome], {
      batchId: "b",
      durationMs: 5,
      maxParallelism: 4,
    });
    expect((JSON.parse(json) as WireEnvelope).stats).toMatchObject({ sequential_ms: 20, speedup: 4 });
  });
});

describe("P6: T27 The room of an answer", () => {
  const large = (bytes: number): Outcome => ({
    status: "success",
    data: null,
    json: "x".repeat(bytes),
    meta: { bytes },
  });
  const send = contractOf("send", { isWrite: true, actions: ["create"] });
  /** How many outcomes of so many bytes have room. */
  const fitting = (budget: AnswerBudget, outcome: Outcome, step = stepOf()) => {
    for (let count = 0; ; count += 1) if (budget.admit(step, outcome) !== outcome) return count;
  };
  const MIB = 1024 * 1024;

  test("is taken by the data, as often as each byte is in the answer", () => {
    expect(fitting(new AnswerBudget(1, 1, 0), large(MIB))).toBe(15);
    expect(fitting(new AnswerBudget(2, 1, 0), large(MIB))).toBe(7);
  });

  test("is less by what is left to small results and elements of loops", () => {
    const room = new AnswerBudget(1, 1, 0).room;
    expect(LIMITS.answerBytes - room).toBe(4 * 1024);
    expect(LIMITS.answerBytes - new AnswerBudget(1, 2, 3).room).toBe(2 * 4 * 1024 + 3 * 1024);
    expect(new AnswerBudget(2, 1, 0).room).toBe((LIMITS.answerBytes - 2 * 4 * 1024) / 2);
    const plan = planOf([{ id: "a" }, { id: "b" }]);
    expect(answerBudgetOf(plan).room).toBe(new AnswerBudget(1, 2, 0).room);
    const [first, second] = plan.steps;
    const looped = (more: object) => ({
      ...plan,
      steps: [
        first!,
        { ...second!, task: ok({ ...(second!.task as { value: object }).value, ...more } as never) },
      ],
    });
    for (const more of [{ forEach: [1] }, { calls: [] }])
      expect(answerBudgetOf(looped(more)).room).toBe(new AnswerBudget(1, 2, LIMITS.loopElements).room);
  });

  test("is only what is small once some data had none", () => {
    const budget = new AnswerBudget(1, 1, 0);
    budget.admit(stepOf(), large(20 * MIB));
    expect(budget.room).toBe(8 * 1024);
    expect(budget.admit(stepOf(), large(100))).toMatchObject({ status: "success" });
  });

  test("is left to what is small up to 8 KiB with all that is said of it, and to the byte", () => {
    const base = 512 + "plain".length;
    const budget = (): AnswerBudget => {
      const filled = new AnswerBudget(1, 1, 0);
      // Small data leaves half of 4 KiB to failures.
      const fill = large(LIMITS.answerBytes - 8 * 1024 - 2 * 1024 - base);
      expect(filled.admit(stepOf(), fill)).toBe(fill);
      return filled;
    };
    const [most, more] = [large(8 * 1024 - base), large(8 * 1024 - base + 1)];
    expect(budget().admit(stepOf(), most)).toBe(most);
    expect(budget().admit(stepOf(), more)).toMatchObject({
      error: { code: "RESPONSE_TOO_LARGE", hint: expect.stringContaining("no room left") },
    });
  });

  trial("is taken by a failure without its words as by any other", () => {
    const words = {
      status: "error",
      error: makeFailure("TIMEOUT", { hint: "x".repeat(9 * MIB) }),
      meta: {},
    } as const;
    const base = 512 + "plain".length;
    const bare = toWireFailure({ code: "TIMEOUT", retryable: words.error.retryable });
    const after = (data: Outcome): Outcome => {
      const budget = new AnswerBudget(2, 1, 0);
      const { retryable } = words.error;
      expect(budget.admit(stepOf(), words)).toHaveProperty("error", { code: "TIMEOUT", retryable });
      return budget.admit(stepOf(), data);
    };
    const most = LIMITS.answerBytes / 2 - 4 * 1024 - 2 * base - JSON.stringify(bare).length;
    expect(after(large(most)).status).toBe("success");
    expect(after(large(most + 1)).status).toBe("error");
  });

  test("is taken by names and selections too", () => {
    const budget = new AnswerBudget(1, 1, 0);
    const before = budget.room;
    budget.admit(stepOf({ toolName: "n".repeat(100) }), done());
    const taken = before - budget.room;
    budget.admit(stepOf({ toolName: null }), done({ selectMissing: ["/a"], selectHints: ["hint"] }));
    expect(before - budget.room - taken).toBe(taken - 100 + '["/a"]'.length + '["hint"]'.length);
  });

  trial("that a read has none of is an error; a write that happened stays a success", () => {
    const writes = planOf([{ id: "a", tool: send }]).steps[0]!;
    expect(new AnswerBudget(1, 1, 0).admit(stepOf(), large(20 * MIB))).toMatchObject({
      error: { code: "RESPONSE_TOO_LARGE" },
    });
    expect(new AnswerBudget(1, 1, 0).admit(writes, large(20 * MIB)).status).toBe("success");
    const refused = stepOf({ task: { ok: false, error: makeFailure("UNKNOWN_TOOL") } });
    expect(new AnswerBudget(1, 1, 0).admit(refused, large(20 * MIB)).status).toBe("error");
  });

  trial(
    "is what the text takes where it was made longer, selected or kept, and not what the upstream sent",
    () => {
      const text = "é".repeat(MIB);
      const data: Outcome = { status: "success", data: null, json: text, meta: { bytes: 10 } };
      const takenBy = (outcome: Outcome) => {
        const budget = new AnswerBudget(1, 1, 0);
        const before = budget.room;
        budget.admit(stepOf(), outcome);
        return Math.floor((before - budget.room) / MIB);
      };
      expect(takenBy(data)).toBe(1);
      expect(takenBy({ ...data, meta: { bytes: 3 * MIB } })).toBe(3);
      expect(takenBy({ ...data, meta: { bytes: 10, replayed: true } })).toBe(2);
      expect(takenBy({ ...data, meta: {} })).toBe(2);
      expect(takenBy({ ...done({ bytes: 10 }), shown: { data: null, json: text } } as Outcome)).toBe(2);
    },
  );

  trial("is taken once by a loop whose elements were admitted, and again by one that is a replay", () => {
    const task = { ...stepOf().task, value: { ...(stepOf().task as { value: object }).value, forEach: [1] } };
    const loop = stepOf({ task: task as Step["task"] });
    const budget = new AnswerBudget(1, 1, 0);
    const outcome = large(20 * MIB);
    expect(budget.admit(loop, outcome)).toBe(outcome);
    const replayed = { ...outcome, meta: { replayed: true } } as Outcome;
    expect(budget.admit(loop, replayed)).toMatchObject({ error: { code: "RESPONSE_TOO_LARGE" } });
  });

  test("is left by large data to what is small, and by both to failures", () => {
    const budget = new AnswerBudget(1, 1_000, 0);
    expect(fitting(budget, large(MIB))).toBe(12);
    const small = fitting(budget, large(7_000));
    expect(small).toBeGreaterThan(270);
    expect(small).toBeLessThan(420);
    const words: Outcome = {
      status: "error",
      error: makeFailure("TIMEOUT", { hint: "x".repeat(7_000) }),
      meta: {},
    };
    expect(budget.admit(stepOf(), words)).toBe(words);
  });

  test("is taken by the words of a loop that failed", () => {
    const loop = stepOf({
      task: ok({ ...(stepOf().task as { value: object }).value, forEach: [1] } as never),
    });
    const words: Outcome = {
      status: "error",
      error: makeFailure("TIMEOUT", { hint: "x".repeat(7_000) }),
      meta: {},
    };
    for (const copies of [1, 2]) {
      const budget = new AnswerBudget(copies, 1, 0);
      const before = budget.room;
      budget.admit(loop, words);
      expect(before - budget.room).toBeGreaterThan(7_000);
      expect(before - budget.room).toBeLessThan(8_000);
    }
  });

  trial("leaves of a failure its code where its words have none", () => {
    const budget = new AnswerBudget(1, 1, 0);
    const words: Outcome = {
      status: "error",
      error: makeFailure("TIMEOUT", { hint: "x".repeat(20 * MIB) }),
      meta: {},
    };
    expect(budget.admit(stepOf(), words)).toEqual({
      status: "error",
      error: { code: "TIMEOUT", retryable: expect.any(Boolean) },
      meta: {},
    });
  });
});
