import { expect, test } from "vitest";

import { refuseData, withoutWords } from "../../../src/core/answer/refuse-data.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { successOf } from "../../support/success-of.ts";

const shown = { data: "part", json: '"part"' };

test("a read without room is an error, because asking again brings it", () => {
  expect(refuseData(successOf([1]), false)).toMatchObject({
    status: "error",
    error: { code: "RESPONSE_TOO_LARGE" },
    meta: { attempts: 1 },
  });
});

test.each([
  [[1, 2, 3], "[]", { elements_dropped: 3, fields_dropped: 0, characters_dropped: 0 }],
  [{ a: 1, b: 2 }, "{}", { elements_dropped: 0, fields_dropped: 2, characters_dropped: 0 }],
  ["four", '""', { elements_dropped: 0, fields_dropped: 0, characters_dropped: 4 }],
  [null, "null", { elements_dropped: 0, fields_dropped: 0, characters_dropped: 0 }],
  [12, "null", { elements_dropped: 0, fields_dropped: 0, characters_dropped: 0 }],
])("a write without room stays a success, and says what of %j is not shown", (data, json, dropped) => {
  const refused = refuseData(successOf(data), true);
  expect(refused).toMatchObject({
    status: "success",
    data,
    shown: { data: JSON.parse(json) as unknown, json },
    meta: { attempts: 1, truncated: { ...dropped, at: [""] } },
  });
  expect(refused.meta.truncated!.tokens_after).toBeGreaterThan(0);
});

test("a write without room loses what was selected of it", () => {
  expect(refuseData(successOf([1], { shown }), true)).toMatchObject({
    shown: { json: '""' },
    meta: { truncated: { characters_dropped: 4 } },
  });
});

test("a failure without room loses what had succeeded of its loop; what has no data stays as it is", () => {
  const error = makeFailure("TIMEOUT");
  for (const status of ["error", "unknown"] as const)
    expect(refuseData({ status, error, partial: shown, meta: {} }, true)).toEqual({
      status,
      error,
      meta: {},
    });
  const begun: Outcome = { status: "initiated", jobId: "j", meta: {} };
  expect(refuseData(begun, true)).toBe(begun);
});

test("withoutWords() leaves of a failure what a program reads", () => {
  const failure = makeFailure("RATE_LIMITED", { hint: "Wait.", retryAfterMs: 5, upstreamStatus: 429 });
  expect(withoutWords({ status: "error", error: failure, meta: {} })).toEqual({
    status: "error",
    error: { code: "RATE_LIMITED", retryable: failure.retryable, retryAfterMs: 5 },
    meta: {},
  });
  const { error } = withoutWords({ status: "unknown", error: makeFailure("TIMEOUT"), meta: {} }) as {
    error: object;
  };
  expect(error).not.toHaveProperty("retryAfterMs");
  const begun: Outcome = { status: "initiated", jobId: "j", meta: {} };
  expect(withoutWords(begun)).toBe(begun);
});
