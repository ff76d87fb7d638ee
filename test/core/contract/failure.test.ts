import { expect, test } from "vitest";

import { makeFailure, toWireFailure } from "../../../src/core/contract/failure.ts";

test.each([
  ["RATE_LIMITED", true],
  ["TIMEOUT", true],
  ["INVALID_ARGS", false],
  ["UNKNOWN_TOOL", false],
  ["TOOL_FAILED", false],
] as const)("makeFailure() takes from the table whether %s is retryable", (code, retryable) => {
  expect(makeFailure(code)).toEqual({ code, retryable });
});

test("makeFailure() believes a caller who knows better", () => {
  expect(makeFailure("UPSTREAM_ERROR", { retryable: false, upstreamStatus: 400 })).toEqual({
    code: "UPSTREAM_ERROR",
    retryable: false,
    upstreamStatus: 400,
  });
});

test("toWireFailure() says the table's message and leaves out what does not apply", () => {
  expect(toWireFailure(makeFailure("TIMEOUT"))).toEqual({
    code: "TIMEOUT",
    message: "The call took longer than it may.",
    retryable: true,
  });
});

test("toWireFailure() writes every detail in snake_case, whole milliseconds rounded up", () => {
  const issues = [{ path: "/args/n", expected: "a number", received: "null" }];
  expect(
    toWireFailure(
      makeFailure("RATE_LIMITED", {
        hint: "Wait.",
        retryAfterMs: 10.2,
        upstreamStatus: 429,
        phase: "headers",
        issues,
      }),
    ),
  ).toEqual({
    code: "RATE_LIMITED",
    message: "The rate limit is used up for now.",
    retryable: true,
    hint: "Wait.",
    retry_after_ms: 11,
    upstream_status: 429,
    phase: "headers",
    issues,
  });
});

test("toWireFailure() passes nothing on that is not part of a failure", () => {
  const failure = { ...makeFailure("TOOL_FAILED"), message: "secret", stack: "secret" };
  expect(JSON.stringify(toWireFailure(failure))).not.toContain("secret");
});
