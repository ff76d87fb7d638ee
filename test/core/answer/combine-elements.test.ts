import { describe, expect, test } from "vitest";

import { combineElements } from "../../../src/core/answer/combine-elements.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Outcome, OutcomeMeta, Truncation } from "../../../src/core/contract/outcome.ts";

const done = (meta: OutcomeMeta = {}): Outcome => ({ status: "success", data: 1, json: "1", meta });
const failed = (hint?: string, retryable = true): Outcome => ({
  status: "error",
  error: makeFailure("UPSTREAM_ERROR", { retryable, ...(hint !== undefined && { hint }) }),
  meta: {},
});
const aborted: Outcome = { status: "error", error: makeFailure("ABORTED"), meta: {} };
const lost: Outcome = {
  status: "unknown",
  error: makeFailure("TIMEOUT", { retryable: true }),
  meta: {},
};

const combine = (outcomes: readonly Outcome[], more: { failFast?: boolean; repeatable?: boolean } = {}) =>
  combineElements(outcomes, { failFast: true, repeatable: false, durationMs: 7, ...more });
const errorOf = (outcome: Outcome) => ("error" in outcome ? outcome.error : undefined);
const metaOf = (...metas: OutcomeMeta[]) => combine(metas.map(done)).meta;

describe("A loop that failed", () => {
  test("says which element failed, of how many, how many succeeded, and why", () => {
    expect(errorOf(combine([done(), failed("Look."), done()]))!.hint).toBe(
      "Element 1 of 3 failed, 2 succeeded. Look.",
    );
    expect(errorOf(combine([failed(), failed()]))!.hint).toBe("Element 0 of 2 failed.");
  });

  test("fails by the element that failed, not by one that was only stopped by it", () => {
    expect(errorOf(combine([aborted, failed("Look."), aborted]))).toMatchObject({
      code: "UPSTREAM_ERROR",
      hint: "Element 1 of 3 failed. Look.",
    });
    expect(errorOf(combine([done(), aborted]))).toMatchObject({ code: "ABORTED" });
    expect(errorOf(combine([aborted, lost]))).toMatchObject({ code: "TIMEOUT" });
  });

  test.each([
    ["nothing of it was done", [failed(), failed()], false, true],
    ["a part was done", [done(), failed()], false, false],
    ["a part was done and may be done again", [done(), failed()], true, true],
    ["a part may have been done", [failed(), lost], false, false],
    ["a part may have been done and may be done again", [failed(), lost], true, true],
    ["it failed for good", [failed(undefined, false)], true, false],
  ] as const)("is retryable only where sending it again harms no one: %s", (_, outcomes, repeatable, may) => {
    expect(errorOf(combine(outcomes, { repeatable }))!.retryable).toBe(may);
  });

  test("shows its elements where one did something or may have, and is not known where one is not", () => {
    const nothing = combine([failed(), aborted]);
    expect(nothing.status).toBe("error");
    expect(nothing).not.toHaveProperty("partial");
    expect(combine([failed(), lost])).toMatchObject({
      status: "unknown",
      partial: { data: [{ status: "error" }, { index: 1, status: "unknown", error: { code: "TIMEOUT" } }] },
    });
    expect(combine([done(), failed()])).toMatchObject({
      status: "error",
      partial: { data: [{ data: 1 }, {}] },
    });
  });
});

describe("A loop that succeeded", () => {
  test("is one where the contract lets elements fail, and not where all of them did", () => {
    expect(combine([done(), failed()], { failFast: false })).toMatchObject({
      status: "success",
      data: [
        { index: 0, status: "success", data: 1 },
        { index: 1, status: "error", error: { code: "UPSTREAM_ERROR" } },
      ],
      meta: { durationMs: 7, items: { total: 2, ok: 1, error: 1 } },
    });
    expect(combine([failed(), failed()], { failFast: false }).status).toBe("error");
  });

  test("has the same text as its data, and shows a selection only where an element has one", () => {
    const whole = combine([done(), done()]) as Extract<Outcome, { status: "success" }>;
    expect(JSON.parse(whole.json)).toEqual(whole.data);
    expect(whole).not.toHaveProperty("shown");
    const selected = { ...done(), shown: { data: 2, json: "2" } } as Outcome;
    expect(combine([selected, done()])).toMatchObject({
      data: [{ data: 1 }, { data: 1 }],
      shown: { data: [{ data: 2 }, { data: 1 }] },
    });
    const begun: Outcome = { status: "initiated", jobId: "j", meta: {} };
    expect(combine([begun])).toMatchObject({ data: [{ index: 0, status: "initiated", job_id: "j" }] });
    expect(combine([begun])).not.toHaveProperty("shown");
  });
});

describe("The figures of a loop", () => {
  test("is the sum of its elements", () => {
    const elements = [
      { durationMs: 2, attempts: 1, bytes: 10 },
      { durationMs: 3, workMs: 30, attempts: 2, bytes: 5 },
      {},
    ];
    expect(metaOf(...elements)).toEqual({
      durationMs: 7,
      workMs: 32,
      attempts: 3,
      bytes: 15,
      items: { total: 3, ok: 3, error: 0 },
    });
  });

  test("names once what was missing of a selection, and warns five times at most", () => {
    const hints = Array.from({ length: LIMITS.warnings + 2 }, (_, n) => `hint ${n}`);
    const meta = metaOf({ selectMissing: ["/a"], selectHints: hints }, { selectMissing: ["/a", "/b"] });
    expect(meta.selectMissing).toEqual(["/a", "/b"]);
    expect(meta.selectHints).toEqual(hints.slice(0, LIMITS.warnings));
    expect(metaOf({})).not.toHaveProperty("selectMissing");
    expect(metaOf({})).not.toHaveProperty("selectHints");
  });

  test("is kept whole where one element is", () => {
    expect(metaOf({}, { keepsWhole: true }).keepsWhole).toBe(true);
    expect(metaOf({})).not.toHaveProperty("keepsWhole");
  });

  test("adds up what was cut, and names five elements", () => {
    const truncated: Truncation = {
      tokens_before: 10,
      tokens_after: 1,
      elements_dropped: 2,
      fields_dropped: 3,
      characters_dropped: 4,
      at: ["/deep"],
    };
    const cut = Array.from({ length: 6 }, () => ({ truncated }));
    expect(metaOf({}, ...cut).truncated).toEqual({
      tokens_before: 60,
      tokens_after: 6,
      elements_dropped: 12,
      fields_dropped: 18,
      characters_dropped: 24,
      at: ["/1/data", "/2/data", "/3/data", "/4/data", "/5/data"],
    });
    expect(metaOf({})).not.toHaveProperty("truncated");
  });
});
