import fc from "fast-check";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import type { AnsweredQuestion } from "../../../../src/turns/decide-reply.ts";
import { findOpenWork, findStanding, openReply } from "../../../../src/features/mcp/tasks/open-reply.ts";

const SITE = "https://volley.test";
const START = Date.UTC(2026, 0, 1);

const pending = (question: string, more: object = {}) => ({
  status: "pending_confirmation",
  confirmation: {
    id: question,
    message: `May ${question}?`,
    url: `/console#/confirmations/${question}`,
    ...more,
  },
});
const replyOf = (name: string, said: object) => ({ name, json: JSON.stringify(said), failed: false });
const batchOf = (...results: object[]) => replyOf("execute_actions", { batch_id: "b", results });

const question = (status: AnsweredQuestion["status"], results?: readonly object[]): AnsweredQuestion => ({
  status,
  answerJson: results === undefined ? null : JSON.stringify({ results }),
  expiresAt: START + 1_000,
  decided: status === "pending" || status === "expired" ? null : { at: START },
});

/** Where a reply stands, by the questions that are known. */
const standing = (
  reply: ReturnType<typeof replyOf>,
  known: Readonly<Record<string, AnsweredQuestion | null>>,
  more: { readonly site?: undefined } = {},
) => findStanding(reply, new Map(Object.entries(known)), { site: SITE, ...more });

const pageOf = (id: string) => ({ id, message: `May ${id}?`, url: `${SITE}/console#/confirmations/${id}` });

describe("findStanding()", () => {
  const single = replyOf("drop_it", pending("q1"));
  const two = batchOf({ id: "a", ...pending("q1") }, { id: "b", ...pending("q2") });

  test("asks what is open, each question once", () => {
    expect(standing(single, { q1: question("pending") })).toEqual({
      kind: "asks",
      questions: [pageOf("q1")],
    });
    const shared = batchOf({ id: "a", ...pending("q1") }, { id: "b", ...pending("q1") });
    expect(standing(shared, { q1: question("pending") })).toEqual({
      kind: "asks",
      questions: [pageOf("q1")],
    });
    expect(standing(two, { q1: question("rejected", []), q2: question("pending") })).toEqual({
      kind: "asks",
      questions: [pageOf("q2")],
    });
  });

  test("leads to the account that is missing rather than to the question", () => {
    const reply = replyOf("mailbox", pending("q1", { connect_url: `${SITE}/connect/acme/cn_1` }));
    expect(standing(reply, { q1: question("pending") })).toMatchObject({
      questions: [{ url: `${SITE}/connect/acme/cn_1` }],
    });
  });

  test("has no page where the name that serves it is unknown", () => {
    expect(standing(single, { q1: question("pending") }, { site: undefined })).toEqual({
      kind: "asks",
      questions: [],
    });
  });

  test("is over once all is decided, or has expired", () => {
    expect(standing(two, { q1: question("done", []), q2: question("rejected", []) })).toEqual({
      kind: "over",
    });
    expect(standing(single, { q1: question("expired") })).toEqual({ kind: "over" });
    expect(standing(batchOf({ id: "a", status: "success", data: 1 }), {})).toEqual({ kind: "over" });
  });

  test("runs while what was approved may still report its end", () => {
    const known = { q1: question("running") };
    expect(standing(single, known)).toEqual({ kind: "runs" });
    expect(standing(two, { ...known, q2: question("pending") })).toMatchObject({ kind: "asks" });
  });

  test("asks what followed from an answer, of the same action", () => {
    const answered = question("done", [
      { id: "b", status: "success", data: 1 },
      { id: "a0", ...pending("q9") },
    ]);
    expect(standing(single, { q1: answered, q9: question("pending") })).toEqual({
      kind: "asks",
      questions: [pageOf("q9")],
    });
    expect(standing(single, { q1: answered, q9: question("done", []) })).toEqual({ kind: "over" });
  });

  test("is gone where a question is not kept any more", () => {
    expect(standing(two, { q1: question("done", []), q2: null })).toEqual({ kind: "gone" });
    expect(standing(two, { q1: question("done", []) })).toEqual({ kind: "gone" });
  });
});

describe("findOpenWork()", () => {
  test.each([
    ["a job", "send_it", { status: "initiated", job_id: "j" }, { kind: "job", jobId: "j" }],
    [
      "a batch in the background",
      "execute_actions",
      { run_id: "r", job_id: "j" },
      { kind: "job", jobId: "j" },
    ],
    ["a question", "drop_it", pending("q1"), { kind: "asks", first: "q1" }],
    ["a tool's own data", "read_it", { job_id: "j", results: [pending("q1")] }, null],
    [
      "a batch of which a part goes on",
      "execute_actions",
      { results: [{ status: "initiated", job_id: "j" }] },
      null,
    ],
    ["a refusal", "drop_it", { status: "error", error: { code: "INVALID_ARGS" } }, null],
  ])("finds of %s what goes on", (_, name, said, work) => {
    expect(findOpenWork(replyOf(name, said))).toEqual(work);
  });

  test("finds the first of several questions, in the order of the actions", () => {
    const reply = batchOf(
      { id: "a", status: "success" },
      { id: "b", ...pending("q2") },
      { id: "c", ...pending("q3") },
    );
    expect(findOpenWork(reply)).toEqual({ kind: "asks", first: "q2" });
    expect(openReply(reply).waits).toEqual([
      { confirmation: "q2", action: "b" },
      { confirmation: "q3", action: "c" },
    ]);
  });

  test("leaves what is too large to be kept", () => {
    const data = "x".repeat(LIMITS.resultBytes);
    expect(
      findOpenWork(batchOf({ id: "a", status: "success", data }, { id: "b", ...pending("q1") })),
    ).toBeNull();
  });

  test("finds nothing in whatever a single tool answers that has no status of its own", () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((data) => !(typeof data === "object" && data !== null && "status" in data)),
        fc.boolean(),
        (data, isForged) => {
          const json = JSON.stringify(
            isForged ? { data, results: [{ id: "a0", ...pending("q") }], job_id: "j" } : data,
          );
          expect(findOpenWork({ name: "read_it", json, failed: false })).toBeNull();
        },
      ),
    );
  });
});
