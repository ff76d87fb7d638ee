import { describe, expect, test } from "vitest";
import { toFailedOutcome, skipped, skippedAfter } from "../../../src/core/answer/failed-outcome.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import { contractOf } from "../../support/fake-actions.ts";

const READ = contractOf("look");
const WRITE = contractOf("send", { isWrite: true, actions: ["create"] });
const PASSING = makeFailure("UPSTREAM_ERROR", { retryable: true, upstreamStatus: 503 });

type Failed = Parameters<typeof toFailedOutcome>[1];

function outcomeOf(
  {
    sent = true,
    status = null,
    inDoubt = false,
    ...more
  }: Partial<Failed> & { sent?: boolean; status?: number | null; inDoubt?: boolean },
  failure = PASSING,
) {
  const trace = { sent, reached: sent, status, retryAfterMs: null, ...(inDoubt && { inDoubt }) };
  const call = { tool: WRITE, isAnswered: false, maySendAgain: false, meta: { attempts: 2 } };
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

  test.each([{ status: 400 }, { status: 409 }, { isAnswered: true, failure: makeFailure("TOOL_FAILED") }])(
    "of a write that the service refused is an error as it is: %j",
    ({ failure = makeFailure("NOT_FOUND"), ...call }) => {
      const refused = { status: "error", error: failure, meta: { attempts: 2 } };
      expect(outcomeOf(call, failure)).toEqual(refused);
      expect(outcomeOf({ ...call, maySendAgain: true }, failure)).toEqual(refused);
    },
  );

  test.each([
    { status: 408, inDoubt: true },
    { status: 500, inDoubt: true },
    { status: 400, inDoubt: true },
    { isAnswered: true },
  ])("T56 of a write whose service broke over it, then or before, is an error in doubt: %j", (call) => {
    expect(outcomeOf(call)).toMatchObject({
      status: "error",
      error: { retryable: false, hint: expect.stringContaining("look before") },
      meta: { attempts: 2, inDoubt: true },
    });
    const again = { status: "error", error: PASSING, meta: { attempts: 2, inDoubt: true } };
    expect(outcomeOf({ ...call, maySendAgain: true })).toEqual(again);
    expect(outcomeOf({ ...call, tool: READ })).not.toHaveProperty("meta.inDoubt");
  });

  test("of a write that was turned away for now may be sent again", () => {
    for (const upstreamStatus of [425, 429]) {
      const limited = makeFailure("RATE_LIMITED", { retryable: true, upstreamStatus });
      expect(outcomeOf({ status: upstreamStatus }, limited)).toMatchObject({
        status: "error",
        error: limited,
      });
    }
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
