import { expect, test } from "vitest";

import type { ParkedGroup } from "../../../src/features/confirmations/parked-group.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { makeAnswerJob } from "../../../src/features/confirmations/answer-job.ts";
import { GROUP_FORMAT } from "../../../src/features/confirmations/confirmation.ts";
import type { Decision } from "../../../src/features/confirmations/decision.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const CALLBACK = { url: "https://example.com/told?secret=1", secretName: "S" };
const YES: Decision = { decision: "approve", name: "Ada", via: "link", at: AT };

interface Told {
  readonly group?: Partial<ParkedGroup>;
  readonly decided?: Decision | null;
  readonly answerJson?: string | null;
  readonly status?: "done" | "expired";
}

function jobOf({ group = {}, decided = YES, answerJson = '{"results":[]}', status = "done" }: Told = {}) {
  const groupJson = JSON.stringify({ format: GROUP_FORMAT, callback: CALLBACK, ...group });
  const times = { createdAt: AT - 9, expiresAt: AT + 9 };
  const record = { id: "q", status, key: null, ...times, groupJson, answerJson, decided } as const;
  return makeAnswerJob(record, AT);
}

function eventOf(told: Told = {}): unknown {
  return JSON.parse(jobOf(told)!.argsJson);
}

test("a decision is told to the batch's own address, with who made it and every result", () => {
  const event = eventOf({
    group: { asker: { key: "agent", runId: "run-1" } },
    answerJson: '{"results":[{"id":"a"}]}',
  });
  expect(event).toEqual({
    type: "confirmation.decided",
    timestamp: "2026-01-02T03:04:05.006Z",
    data: {
      confirmation_id: "q",
      batch_id: "run-1",
      decision: "approve",
      decided_by: { name: "Ada", via: "link" },
      answer: { results: [{ id: "a" }] },
    },
  });
});

test("a question that nobody decided in time is told as expired, with no decision and no answer", () => {
  const told = { status: "expired", decided: null, answerJson: null } as const;
  expect(eventOf({ ...told, group: { asker: { key: "agent", runId: "run-1" } } })).toEqual({
    type: "confirmation.expired",
    timestamp: "2026-01-02T03:04:05.006Z",
    data: { confirmation_id: "q", batch_id: "run-1" },
  });
  expect(jobOf(told)!.tool).toBe("confirmation.expired");
});

test("the digits of an answer are told as they are", () => {
  const json = jobOf({ answerJson: '{"results":[{"data":1.00,"id":12345678901234567890}]}' })!.argsJson;
  expect(json).toContain('"answer":{"results":[{"data":1.00,"id":12345678901234567890}]}');
});

test("a reason is told, and that other arguments ran, but not which", () => {
  const decided = { ...YES, reason: "The other one", args: { a: { id: "secret" } } };
  expect(eventOf({ decided })).toMatchObject({ data: { reason: "The other one", edited: true } });
  expect(JSON.stringify(eventOf({ decided }))).not.toContain("secret");
});

test("what an earlier version did not keep is not told: who asked, who decided", () => {
  expect(eventOf({ decided: null })).toMatchObject({
    data: { confirmation_id: "q", answer: { results: [] } },
  });
  const { data } = eventOf({ decided: null }) as { readonly data: object };
  expect(Object.keys(data)).toEqual(["confirmation_id", "answer"]);
});

test("an answer that an event has no room for, or that is not kept, is left out, and that is said", () => {
  const most = Math.floor(LIMITS.jobDataBytes / 3);
  const textOf = (characters: number) => JSON.stringify("x".repeat(characters - 2));
  expect(eventOf({ answerJson: textOf(most) })).not.toHaveProperty("data.results_left_out");
  expect(eventOf({ answerJson: textOf(most) })).toHaveProperty("data.answer");
  for (const answerJson of [textOf(most + 1), null]) {
    expect(eventOf({ answerJson })).toMatchObject({ data: { results_left_out: true, decision: "approve" } });
    expect(eventOf({ answerJson })).not.toHaveProperty("data.answer");
  }
});

test("T23 the address stands where no answer shows it, and the question is told once under its own id", () => {
  const job = jobOf()!;
  expect(job).toMatchObject({
    id: "q",
    idempotencyKey: "q",
    tool: "confirmation.decided",
    kind: "answers",
    delivery: "at-least-once",
    retries: "standard-webhooks",
  });
  expect(job.argsJson).not.toContain("secret=1");
  expect(JSON.parse(job.toolJson!)).toEqual(CALLBACK);
});

test("nobody is told where the batch named no address, or where another version recorded the question", () => {
  expect(jobOf({ group: { callback: undefined } as unknown as Partial<ParkedGroup> })).toBeNull();
  expect(jobOf({ group: { format: GROUP_FORMAT + 1 } })).toBeNull();
});
