import { describe, expect, test } from "vitest";

import { toFailedOutcome } from "../../../src/core/answer/failed-outcome.ts";
import { skipped, skippedAfter } from "../../../src/core/answer/skipped-outcome.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { CallTrace } from "../../../src/core/egress/egress.ts";
import { contractOf } from "../../support/fake-actions.ts";

const READ = contractOf("look");
const WRITE = contractOf("send", { isWrite: true, actions: ["create"] });
const PASSING = makeFailure("UPSTREAM_ERROR", { retryable: true, upstreamStatus: 503 });

type Failed = Parameters<typeof toFailedOutcome>[1];

function outcomeOf(
  { sent = true, status = null, ...more }: Partial<Failed> & { sent?: boolean; status?: number | null },
  failure = PASSING,
) {
  const trace = { sent, status } as CallTrace;
  const call = { tool: WRITE, isAnswered: false, isJob: false, maySendAgain: false, meta: { attempts: 2 } };
  return toFailedOutcome(failure, { ...call, trace, ...more });
}

describe("A failed call", () => {
  test("of a read, or of a write that was not sent, is an error as it is", () => {
    for (const call of [{ tool: READ }, { tool: READ, status: 503 }, { sent: false }])
      expect(outcomeOf(call)).toEqual({ status: "error", error: PASSING, meta: { attempts: 2 } });
  });

  test.each([null, 200, 302, 399])("of a write that was sent is not known after status %j", (status) => {
    const outcome = outcomeOf({ status });
    expect(outcome).toMatchObject({ status: "unknown", meta: { attempts: 2 } });
    expect(outcome).toMatchObject({ error: { code: "UPSTREAM_ERROR", retryable: false } });
    expect(outcome).toMatchObject({ error: { hint: expect.stringContaining("look before") } });
    expect(outcomeOf({ status, maySendAgain: true })).toMatchObject({
      status: "unknown",
      error: { retryable: true, hint: expect.stringContaining("is safe") },
    });
  });

  test.each([{ status: 400 }, { status: 500 }, { isAnswered: true }])(
    "of a write that the service refused is an error, and never retryable where it may not be sent again: %j",
    (call) => {
      expect(outcomeOf(call)).toMatchObject({ status: "error", error: { retryable: false } });
      expect(outcomeOf({ ...call, maySendAgain: true })).toMatchObject({ status: "error", error: PASSING });
      const final = makeFailure("NOT_FOUND");
      expect(outcomeOf(call, final)).toEqual({ status: "error", error: final, meta: { attempts: 2 } });
    },
  );

  test("of a write that was turned away for its rate may be sent again", () => {
    const limited = makeFailure("RATE_LIMITED", { retryable: true });
    expect(outcomeOf({ status: 429 }, limited)).toMatchObject({ status: "error", error: limited });
  });

  test("of a job is repeated where the status says that it is not now", () => {
    for (const upstreamStatus of [408, 425, 503]) {
      const notNow = makeFailure("UPSTREAM_ERROR", { retryable: true, upstreamStatus });
      expect(outcomeOf({ status: upstreamStatus, isJob: true }, notNow)).toMatchObject({ error: notNow });
      expect(outcomeOf({ status: upstreamStatus }, notNow)).toMatchObject({ error: { retryable: false } });
    }
    const broken = makeFailure("UPSTREAM_ERROR", { retryable: true, upstreamStatus: 500 });
    expect(outcomeOf({ status: 500, isJob: true }, broken)).toMatchObject({ error: { retryable: false } });
  });
});

describe("An action after another one", () => {
  test("is skipped because of the one that failed, with what became of that one", () => {
    const failed = { status: "error", error: PASSING, meta: {} } as const;
    const first = skippedAfter("a", failed);
    expect(first).toMatchObject({
      status: "skipped",
      because: "a",
      error: { code: "DEPENDENCY_FAILED", hint: "It was not run because of 'a'; nothing was sent." },
    });
    expect(skippedAfter("b", first)).toEqual(first);
    const aborted = skipped("ABORTED", "a");
    expect(skippedAfter("b", aborted)).toEqual(aborted);
    expect(aborted).toMatchObject({ error: { code: "ABORTED" } });
  });
});
