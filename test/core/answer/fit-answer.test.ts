import { describe, expect, test } from "vitest";

import { fitAnswer, fitOutcome } from "../../../src/core/answer/fit-answer.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import { type Outcome, shownOf } from "../../../src/core/contract/outcome.ts";
import { successOf } from "../../support/success-of.ts";
import { trial } from "../../support/trial.ts";

const LIMIT = 4_000;
const bytesOf = (text: string): number => Buffer.byteLength(text);
/** An answer as an envelope has it: the texts of its results, and what went wrong. */
const write = (outcomes: readonly Outcome[]): string =>
  `[${outcomes
    .map((outcome) =>
      "error" in outcome
        ? JSON.stringify({ ...outcome.error, partial: shownOf(outcome)?.json })
        : (shownOf(outcome)?.json ?? ""),
    )
    .join(",")}]`;
const fit = (outcomes: readonly Outcome[], limit = LIMIT) =>
  fitAnswer(write(outcomes), outcomes, { write, limit });

describe("An answer that is kept under a key", () => {
  test("stays as it is while it has room, to the byte", () => {
    for (const text of ["x".repeat(LIMIT - 4), "é".repeat((LIMIT - 4) / 2)]) {
      const json = write([successOf(text)]);
      expect(bytesOf(json)).toBe(LIMIT);
      expect(fitAnswer(json, [], { write: () => "written anew", limit: LIMIT })).toBe(json);
    }
    for (const text of ["x".repeat(LIMIT - 3), "é".repeat((LIMIT - 2) / 2)])
      expect(bytesOf(fit([successOf(text)]))).toBeLessThan(LIMIT);
  });

  test.each(["x", "é", "🙂", '"'])("is cut to its room and uses most of it, of a text of %s", (letter) => {
    const outcomes = [successOf("small"), successOf(Array.from({ length: 400 }, () => letter.repeat(30)))];
    const fitted = fit(outcomes);
    expect(bytesOf(fitted)).toBeLessThanOrEqual(LIMIT);
    expect(bytesOf(fitted)).toBeGreaterThan(LIMIT / 4);
    expect(fitted).toContain('"small"');
  });

  test("loses the words of its failures where these alone are too much, and keeps every result", () => {
    const error = makeFailure("TIMEOUT", { hint: "x".repeat(LIMIT) });
    const outcomes: Outcome[] = [
      { status: "error", error, meta: { attempts: 1 } },
      successOf("text"),
      { status: "initiated", jobId: "j", meta: { attempts: 1 } },
    ];
    let last: readonly Outcome[] = [];
    fitAnswer(write(outcomes), outcomes, { write: (cut) => write((last = cut)), limit: LIMIT });
    expect(last).toMatchObject([
      { status: "error", error: { code: "TIMEOUT", retryable: error.retryable }, meta: {} },
      { status: "success", meta: {} },
      { status: "initiated", jobId: "j", meta: {} },
    ]);
    expect(last[0]).toHaveProperty("error", { code: "TIMEOUT", retryable: error.retryable });
    expect(last.map(({ meta }) => meta)).toEqual([{}, {}, {}]);
  });
});

describe("An outcome that is kept under a key", () => {
  const list = Array.from({ length: 500 }, (_, n) => `element ${n}`);

  test("stays the same object while it has room", () => {
    const outcome = successOf("x".repeat(LIMIT - 2));
    expect(fitOutcome(outcome, LIMIT)).toBe(outcome);
    const failed: Outcome = { status: "error", error: makeFailure("TIMEOUT"), meta: {} };
    expect(fitOutcome(failed, 1)).toBe(failed);
    const partial = { data: [1], json: "[1]" };
    const looped: Outcome = { ...failed, partial };
    expect(fitOutcome(looped, 3)).toBe(looped);
  });

  test("is cut to its room, and says how", () => {
    const fitted = fitOutcome(successOf(list), LIMIT) as Extract<Outcome, { status: "success" }>;
    expect(bytesOf(fitted.json)).toBeLessThanOrEqual(LIMIT);
    expect(bytesOf(fitted.json)).toBeGreaterThan(LIMIT / 4);
    expect(JSON.parse(fitted.json)).toEqual(fitted.data);
    expect(fitted).not.toHaveProperty("shown");
    const { elements_dropped: dropped } = fitted.meta.truncated!;
    expect(dropped).toBe(500 - (fitted.data as unknown[]).length);
    expect(fitted.meta.attempts).toBe(1);
  });

  test("shares its room between the whole and what was selected, and says how the selected was cut", () => {
    const shown = { data: list.slice(0, 400), json: JSON.stringify(list.slice(0, 400)) };
    const fitted = fitOutcome(successOf(list, { shown }), LIMIT) as Extract<Outcome, { status: "success" }>;
    expect(bytesOf(fitted.json)).toBeLessThanOrEqual(LIMIT / 2);
    expect(bytesOf(fitted.shown!.json)).toBeLessThanOrEqual(LIMIT / 2);
    expect(JSON.parse(fitted.shown!.json)).toEqual(fitted.shown!.data);
    const kept = (fitted.shown!.data as unknown[]).length;
    expect(fitted.meta.truncated!.elements_dropped).toBe(400 - kept);
  });

  test("keeps a small selection whole beside a large result", () => {
    const shown = { data: "part", json: '"part"' };
    const fitted = fitOutcome(successOf(list, { shown }), LIMIT);
    expect(fitted).toMatchObject({ shown });
    expect(bytesOf((fitted as { json: string }).json)).toBeLessThanOrEqual(LIMIT / 2);
    expect(fitted.meta).not.toHaveProperty("truncated");
  });

  trial("is cut again where its head has more bytes for a token than the rest of it", () => {
    const data = [
      ...Array.from({ length: 40 }, () => "international understanding ".repeat(8)),
      ...Array.from({ length: 400 }, (_, n) => `q7x${n}z9kf3v8w2`.repeat(3)),
    ];
    const limit = 10_000;
    for (const outcome of [
      successOf(data),
      {
        ...successOf(null),
        status: "error",
        error: makeFailure("TIMEOUT"),
        partial: { data, json: JSON.stringify(data) },
      },
    ] as Outcome[]) {
      const { json } = shownOf(fitOutcome(outcome, limit))!;
      expect(bytesOf(json)).toBeLessThanOrEqual(limit);
      expect(bytesOf(json)).toBeGreaterThan(limit / 4);
    }
  });

  test("keeps of what succeeded of a failed loop as much as there is room for", () => {
    const partial = { data: list, json: JSON.stringify(list) };
    const failed: Outcome = {
      status: "unknown",
      error: makeFailure("TIMEOUT"),
      partial,
      meta: { attempts: 2 },
    };
    const fitted = fitOutcome(failed, LIMIT);
    expect(bytesOf(fitted.partial!.json)).toBeLessThanOrEqual(LIMIT);
    expect(JSON.parse(fitted.partial!.json)).toEqual(fitted.partial!.data);
    expect(fitted.meta).toMatchObject({ attempts: 2, truncated: { elements_dropped: expect.any(Number) } });
    expect(fitted.error).toEqual(failed.error);
  });
});
