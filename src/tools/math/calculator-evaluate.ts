import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import * as LIMITS from "../kit/limits.ts";
import type { Result } from "../../core/kit/result.ts";
import { callPack, LOADER } from "../kit/call-pack.ts";
import { textArgument } from "../kit/arguments.ts";

/** Compute an expression exactly where it is rational, in the pack `calculator`. */
export const calculatorEvaluate = defineTool({
  name: "calculator_evaluate",
  summary: "Calculate an arithmetic expression exactly",
  description:
    "Calculate one expression of real numbers: + - * / ^ ! % mod, parentheses, pi, e, sqrt, cbrt, abs, round(x, places), floor, " +
    "ceil, exp, ln, log(x, base), log10, log2, sin, cos, tan (radians; sin(30 deg) takes degrees), their inverses, factorial, " +
    "combinations(n, k), gcd, lcm, min, max, sum, mean, median. `result` is exact for fractions, otherwise 15 significant " +
    "digits; `value` is the nearest double. Size: about 30 tokens.",
  category: "math",
  actions: ["calculate"],
  isWrite: false,
  input: () =>
    z.strictObject({
      expression: textArgument(
        LIMITS.expressionCharacters,
        "The expression, such as '355/113', 'sqrt(2) * e^pi' or '15% * 80'.",
      ),
    }),
  hosts: [],
  bindings: [LOADER],
  timeoutMs: 5_000,
  typicalTokens: 30,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 200 } },
  run: async ({ expression }, ctx) => {
    const computed = await callPack<Result<{ readonly result: string; readonly value: number }, string>>(
      CALCULATOR,
      "evaluate",
      [expression],
      ctx,
    );
    if (computed.ok) return computed.value;
    throw new ToolFailure("INVALID_ARGS", { hint: computed.error });
  },
});

const CALCULATOR = { name: "calculator", text: () => import("../../../dist/packs/calculator.txt") };
