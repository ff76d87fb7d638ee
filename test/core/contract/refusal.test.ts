import { expect, test } from "vitest";

import { makeRefusal, statusOf, toProblem } from "../../../src/core/contract/refusal.ts";

test.each([
  ["MALFORMED_JSON", 400],
  ["UNAUTHORIZED", 401],
  ["NOT_FOUND", 404],
  ["METHOD_NOT_ALLOWED", 405],
  ["BODY_TOO_LARGE", 413],
  ["UNSUPPORTED_MEDIA_TYPE", 415],
  ["INVALID_BATCH", 422],
  ["QUOTA_EXCEEDED", 429],
  ["UNAVAILABLE", 503],
] as const)("statusOf() answers %s with %i", (code, status) => {
  expect(statusOf(makeRefusal(code, ""))).toBe(status);
});

test("toProblem() writes an RFC 9457 problem with the code and the hint", () => {
  expect(toProblem(makeRefusal("MALFORMED_JSON", "Close the bracket."))).toEqual({
    type: "urn:volley:problem:MALFORMED_JSON",
    title: "The body is not JSON.",
    status: 400,
    code: "MALFORMED_JSON",
    detail: "Close the bracket.",
  });
});

test("toProblem() says where the batch does not fit and when to come back", () => {
  const issue = { path: "/actions", expected: "an array", received: "null" };
  expect(toProblem(makeRefusal("INVALID_BATCH", "", { issue, retryAfterMs: 99.5 }))).toMatchObject({
    ...issue,
    retry_after_ms: 100,
  });
});

test("toProblem() lists all that is wrong with a declaration, and has no list where a refusal has none", () => {
  const issues = [{ path: "/name", expected: "a name", received: "null", hint: "Give it a name." }];
  expect(toProblem(makeRefusal("INVALID_TOOL", "", { issues })).issues).toEqual(issues);
  expect(toProblem(makeRefusal("INVALID_TOOL", ""))).not.toHaveProperty("issues");
});
