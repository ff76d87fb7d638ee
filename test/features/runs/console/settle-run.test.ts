import { expect, test } from "vitest";

import type { WireResult } from "../../../../src/console/kit/wire.ts";
import {
  countEnds,
  keptOf,
  sayNothing,
  sayUnfailed,
  sayWhole,
} from "../../../../src/features/runs/console/run-words.ts";
import { type Question, settleRun } from "../../../../src/features/runs/console/settle-run.ts";
import { someRun } from "./some-run.ts";

const waits = (id: string, question: string) => ({
  id,
  tool: "remove",
  status: "pending_confirmation" as const,
  confirmation: { id: question, message: "It waits." },
});

const resultOf = (id: string, result: object): WireResult =>
  ({ index: 0, id, tool: "remove", meta: {}, ...result }) as WireResult;

/** How the actions of a run ended, once its questions are as they are said. */
function settled(questions: Readonly<Record<string, Question>>, status: "waiting" | "error" = "error") {
  const run = someRun([waits("a", "q1"), waits("b", "q1"), waits("c", "q2")], { status });
  return settleRun(run, new Map(Object.entries(questions)));
}

const REJECTED: Question = {
  status: "rejected",
  decided_by: { name: "ada" },
  reason: "not now",
  results: [
    resultOf("a", {
      status: "error",
      error: { code: "CONFIRMATION_REJECTED", message: "", retryable: false },
    }),
    resultOf("b", { status: "skipped", because: "a" }),
  ],
};
const APPROVED: Question = {
  status: "done",
  decided_by: [{ name: "ada" }, { name: "bob" }],
  results: [resultOf("c", { status: "success", data: { ok: 1 }, meta: { duration_ms: 7 } })],
};

test("a run's actions are as their questions ended, each with who decided", () => {
  const run = settled({ q1: REJECTED, q2: APPROVED });
  expect(countEnds(run, [])).toEqual([
    ["rejected", 1],
    ["skipped", 1],
    ["success", 1],
  ]);
  expect(run.actions[0]).toMatchObject({ decided: "It was rejected by ada: not now" });
  expect(run.actions[2]).toMatchObject({
    decided: "It was approved by ada, bob",
    data: { ok: 1 },
    duration_ms: 7,
  });
});

test("an action waits on while its question is open, is under way after the yes, and expires with it", () => {
  const ends = (question: Question) => countEnds(settled({ q2: question }), []);
  expect(ends({ status: "pending" })).toEqual([["pending_confirmation", 3]]);
  expect(ends({ status: "running" })).toContainEqual(["running", 1]);
  expect(ends({ status: "expired" })).toContainEqual(["expired", 1]);
});

test("a question that is not kept any more is decided where the run waits for none", () => {
  expect(countEnds(settled({ q2: null }), [])).toContainEqual(["decided", 1]);
  expect(countEnds(settled({ q2: null }, "waiting"), [])).toEqual([["pending_confirmation", 3]]);
});

test("what a yes asks about in turn is settled by that question", () => {
  const next = resultOf("c", { status: "pending_confirmation", confirmation: { id: "q3" } });
  const asks: Question = { status: "done", results: [next] };
  const ends = (questions: Readonly<Record<string, Question>>) => countEnds(settled(questions), []);
  expect(ends({ q2: asks })).toEqual([["pending_confirmation", 3]]);
  expect(ends({ q2: asks, q3: APPROVED })).toContainEqual(["success", 1]);
});

test("a rerun that sent nothing says so of each action", () => {
  const kept = [
    resultOf("w", { status: "success", meta: { idempotency_replayed: true } }),
    resultOf("x", { status: "error", meta: { idempotency_replayed: true } }),
  ];
  expect(keptOf([...kept, resultOf("r", { status: "success" })])).toEqual(kept);
  expect(sayNothing(kept)).toBe(
    "Nothing was sent, and there is no new run: w succeeded and is not sent again; x would be refused again.",
  );
});

test("a run whose jobs wait for their time is scheduled, until one of them has begun", () => {
  const job = { job_id: "j", status: "retrying", attempts: 0 } as const;
  expect(sayWhole({ status: "running" }, [job])).toBe("scheduled");
  expect(sayWhole({ status: "running" }, [job, { ...job, attempts: 1 }])).toBe("running");
  expect(sayWhole({ status: "running" }, [])).toBe("running");
});

test("a list says why a run did not end well of which no action failed", () => {
  const { summary } = someRun([]);
  const say = (status: "error" | "partial" | "success", more: object) =>
    sayUnfailed({ status, summary: { ...summary, ...more } });
  expect(say("error", { pending_confirmation: 2 })).toBe("not approved");
  expect(say("partial", { ok: 3 })).toBe("not all undone");
  expect(say("error", { initiated: 1 })).toBe("");
  expect(say("success", { ok: 1 })).toBe("");
});
