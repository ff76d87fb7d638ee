import { describe, expect, test } from "vitest";

import { makeFailure } from "../../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../../src/core/contract/outcome.ts";
import { firstCause, type FlowFailed } from "../../../../src/features/flows/run/first-cause.ts";
import { planOf } from "../../../support/fake-actions.ts";

const OK: Outcome = { status: "success", data: 1, json: "1", meta: {} };
const failed = (code: "ABORTED" | "NOT_FOUND" | "TIMEOUT", hint?: string): Outcome => ({
  status: "error",
  error: makeFailure(code, hint === undefined ? {} : { hint }),
  meta: {},
});
const lost: Outcome = {
  status: "unknown",
  error: makeFailure("UPSTREAM_ERROR", { hint: "No answer." }),
  meta: {},
};
const skipped = (because: string): Outcome => ({ status: "skipped", because, meta: {} }) as Outcome;
const END: FlowFailed = {
  status: "error",
  error: makeFailure("DEPENDENCY_FAILED", { hint: "The end." }),
  meta: {},
};
const UNKNOWN_END: FlowFailed = { ...END, status: "unknown" };

function causeOf(outcomes: Readonly<Record<string, Outcome>>, end: FlowFailed = END, answer?: unknown) {
  const plan = planOf(Object.keys(outcomes).map((id) => ({ id })));
  return firstCause({ plan, outcomes: Object.values(outcomes), answer }, end);
}

describe("firstCause()", () => {
  test("without an answer is the first action that failed, by its name, with its code", () => {
    const cause = causeOf({ a: OK, b: failed("NOT_FOUND", "No such mail."), c: failed("TIMEOUT") });
    expect(cause).toMatchObject({ code: "NOT_FOUND", hint: "Its action 'b' ended as error. No such mail." });
  });

  test("says no more where the action's failure has no hint", () => {
    const error = { code: "TIMEOUT", retryable: true } as const;
    const cause = causeOf({ a: { status: "error", error, meta: {} } });
    expect(cause.hint).toBe("Its action 'a' ended as error.");
  });

  test("of a skipped action is what it was skipped for, however far back", () => {
    const cause = causeOf({ z: skipped("y"), y: skipped("x"), x: failed("TIMEOUT", "Late.") });
    expect(cause).toMatchObject({ code: "TIMEOUT", hint: "Its action 'x' ended as error. Late." });
  });

  test("is never an action that was only stopped, while another failed", () => {
    const stopped = failed("ABORTED");
    const outcomes = { a: stopped, b: failed("NOT_FOUND"), c: skipped("a") };
    expect(causeOf(outcomes).code).toBe("NOT_FOUND");
    expect(causeOf(outcomes, END, { $ref: "c#" }).code).toBe("NOT_FOUND");
    expect(causeOf({ a: stopped }).code).toBe("ABORTED");
  });

  test("with an answer looks at what that refers to only", () => {
    const outcomes = { a: failed("TIMEOUT"), b: OK, c: failed("NOT_FOUND") };
    const answer = { of: [{ $ref: "b#" }, { $ref: "c#/x" }] };
    expect(causeOf(outcomes, END, answer).code).toBe("NOT_FOUND");
    // The input is no action: a missing input is only the end's own failure.
    expect(causeOf(outcomes, END, { $ref: "input#/gone" })).toBe(END.error);
    expect(causeOf(outcomes, END, { $ref: "b#/gone" })).toBe(END.error);
  });

  test("of an unknown end is the action that is unknown, and not what failed before it", () => {
    const outcomes = { a: failed("NOT_FOUND"), b: lost, c: OK };
    expect(causeOf(outcomes, UNKNOWN_END)).toMatchObject({
      code: "UPSTREAM_ERROR",
      hint: "Its action 'b' ended as unknown. No answer.",
    });
    expect(causeOf(outcomes, UNKNOWN_END, { $ref: "a#" }).code).toBe("UPSTREAM_ERROR");
  });

  test("is the end's own failure where every action has succeeded", () => {
    expect(causeOf({ a: OK, b: OK })).toBe(END.error);
    expect(causeOf({ a: OK }, UNKNOWN_END)).toBe(END.error);
  });
});
