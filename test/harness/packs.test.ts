import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { caller } = await setUpSandbox();

test("calculator_evaluate calculates in an isolate of its own", async () => {
  const expressions = ["355/113", "sqrt(2)", "e^pi", "2^64", "0.1+0.2"];
  const { results } = await caller.execute(
    expressions.map((expression) => ({ tool: "calculator_evaluate", args: { expression } })),
  );
  expect(results.map((result) => result.data)).toEqual([
    { result: "3.14159292035398", value: 355 / 113 },
    { result: "1.4142135623731", value: Math.SQRT2 },
    { result: "23.1406926327793", value: expect.closeTo(Math.E ** Math.PI, 12) },
    { result: "18446744073709551616", value: 2 ** 64 },
    { result: "0.3", value: 0.3 },
  ]);
});

test("what cannot be calculated is refused with the reason, and the others are calculated", async () => {
  const { results } = await caller.execute(
    ["1/0", "9^9^9", "import('x')", "1+1"].map((expression) => ({
      tool: "calculator_evaluate",
      args: { expression },
    })),
  );
  expect(results.map(({ error, data }) => error?.code ?? data)).toEqual([
    "INVALID_ARGS",
    "INVALID_ARGS",
    "INVALID_ARGS",
    { result: "2", value: 2 },
  ]);
});
