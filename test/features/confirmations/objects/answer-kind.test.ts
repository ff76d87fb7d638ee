import { expect, test } from "vitest";

import type { CallbackEnd, JobClaim, JobSpec } from "../../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../../src/features/confirmations/limits.ts";
import {
  createAnswerKind,
  type SendEvent,
} from "../../../../src/features/confirmations/objects/answer-kind.ts";

const TARGET = { url: "https://example.com/told", secretName: "S" };
const SPEC = {
  id: "q",
  tool: "confirmation.decided",
  argsJson: '{"type":"x"}',
  toolJson: JSON.stringify(TARGET),
} as JobSpec;

/** Deliver an event to an address that answers so; how the attempt ended, and what was sent. */
async function deliver(end: CallbackEnd) {
  const sent: unknown[] = [];
  const send: SendEvent = (event, target) => {
    sent.push([event, target]);
    return Promise.resolve(end);
  };
  return { ended: await createAnswerKind(send).attempt({ spec: SPEC } as JobClaim), sent };
}

const answered = (status: number, retryAfterMs: number | null = null): CallbackEnd => ({
  kind: "answered",
  status,
  retryAfterMs,
});

test("an event is delivered by any answer of success, under the question's id", async () => {
  for (const status of [200, 204, 299]) {
    const { ended, sent } = await deliver(answered(status));
    expect(ended).toEqual({ kind: "succeeded", dataJson: "null" });
    expect(sent).toEqual([[{ id: "confirmation-decided-q", json: SPEC.argsJson }, TARGET]]);
  }
});

test("any other answer is a failure that is tried again, when the address says, but for one that wants no more", async () => {
  for (const status of [199, 300, 400, 500])
    expect((await deliver(answered(status))).ended).toMatchObject({
      kind: "failed",
      error: { code: "UPSTREAM_ERROR", retryable: true, upstream_status: status },
    });
  expect((await deliver(answered(410))).ended).toMatchObject({
    kind: "failed",
    error: { retryable: false, upstream_status: 410 },
  });
  expect((await deliver(answered(503, 7_000))).ended).toMatchObject({ error: { retry_after_ms: 7_000 } });
  expect((await deliver(answered(503))).ended).not.toHaveProperty("error.retry_after_ms");
});

test("no answer at all is tried again, too", async () => {
  const { ended } = await deliver({ kind: "unanswered" });
  expect(ended).toMatchObject({ kind: "failed", error: { code: "UPSTREAM_ERROR", retryable: true } });
  expect(ended).not.toHaveProperty("error.upstream_status");
});

test("deliveries wait beside the others, at most one for each question that is kept, and a dead one can be sent again", () => {
  const kind = createAnswerKind(() => Promise.reject(new Error("not sent")));
  expect(kind).toMatchObject({ name: "answers", mayMend: "always" });
  expect(kind.placeOf("running")).toEqual({ lane: "deliveries", backlog: "answers" });
  const hasRoom = (waiting: number): boolean =>
    kind.hasRoom(
      { sizeOf: (name: string) => (name === "answers" ? waiting : Infinity) } as never,
      {} as never,
    );
  const most = LIMITS.confirmationsKept + LIMITS.questionsPending * LIMITS.approvers;
  expect(hasRoom(most - 1)).toBe(true);
  expect(hasRoom(most)).toBe(false);
  expect(kind.hasRoomAgain({ sizeOf: () => Infinity } as never, "any")).toBe(true);
  expect(kind.limitOf({} as never)).toBeNull();
});
