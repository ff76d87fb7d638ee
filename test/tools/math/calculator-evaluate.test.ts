import * as z from "zod/mini";
import { expect, test } from "vitest";

import * as calculator from "../../../src/packs/calculator.ts";
import { calculatorEvaluate } from "../../../src/tools/math/calculator-evaluate.ts";
import { createFakeLoader } from "../../support/fake-loader.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const run = (expression: unknown, loader: unknown = createFakeLoader({ calculator })) =>
  runTool(calculatorEvaluate, { expression }, { bindings: { LOADER: loader } });

test("calculator_evaluate gives the result as text and as a number", async () => {
  expect(await run("2^64").output).toEqual({ result: "18446744073709551616", value: 2 ** 64 });
});

test("calculator_evaluate says in a hint why an expression has no value", async () => {
  await expect(run("1/0").output).rejects.toMatchObject({
    failure: { code: "INVALID_ARGS", hint: "The expression divides by zero." },
  });
});

test("calculator_evaluate answers in under 120 tokens, however long a number is", async () => {
  expect(countTokens(await run("170!").output)).toBeLessThan(120);
});

test.each(["", "   ", "1+".repeat(251), 7, null])("calculator_evaluate does not accept %j", (expression) => {
  expect(z.safeParse(calculatorEvaluate.input, { expression }).success).toBe(false);
});
