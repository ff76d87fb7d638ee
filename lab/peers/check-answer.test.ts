import { describe, expect, test } from "vitest";

import { checkAnswer } from "./check-answer.ts";
import { CONTESTANTS } from "./contestants.ts";
import { PLAIN } from "./contestant.ts";

const expected = { n: 3, first: 7, readNumber: PLAIN.readNumber };
const answerOf = (...numbers: readonly unknown[]) => ({
  status: 200,
  body: JSON.stringify({ results: numbers.map((n) => ({ path: "/echo", n })) }),
});

describe("checkAnswer()", () => {
  test("finds nothing wrong with all results in their order", () => {
    expect(checkAnswer(answerOf(7, 8, 9), expected)).toBeNull();
  });

  test.each([
    ["a result that was not asked for", answerOf(7, 8, 10), "wrong"],
    ["a result of another batch", answerOf(10, 11, 12), "wrong"],
    ["a result that is there twice", answerOf(7, 8, 8), "wrong"],
    ["one result more", answerOf(7, 8, 9, 10), "wrong"],
    ["a result that is an error", answerOf(7, undefined, 9), "wrong"],
    ["a number as text", answerOf("7", 8, 9), "wrong"],
    ["no JSON", { status: 200, body: "Bad gateway" }, "wrong"],
    ["null for a result", { status: 200, body: '{"results":[null,null,null]}' }, "wrong"],
    ["a result that is not there", answerOf(7, 8), "missing"],
    ["no results", { status: 200, body: "{}" }, "missing"],
    ["another order", answerOf(8, 7, 9), "order"],
    ["a status of failure", { ...answerOf(7, 8, 9), status: 500 }, "status"],
  ])("notices %s", (_, answer, fault) => {
    expect(checkAnswer(answer, expected)).toBe(fault);
  });
});

describe.each(CONTESTANTS)("what $name answers", ({ readNumber }) => {
  test.each([
    "null",
    "{}",
    '{"status":"error","data":{}}',
    '{"content":"{}"}',
    '{"status":"initiated","index":0}',
  ])("%s carries no number", (text) => {
    const answer = { status: 200, body: `{"results":[${text}]}` };
    expect(checkAnswer(answer, { n: 1, first: 0, readNumber })).toBe("wrong");
  });
});
