/** Why mutants of `run/execute` live. */
import type { Reasons } from "../reasons.ts";
import { EMPTY, on, SHORTCUT } from "../why.ts";

export const EXECUTE: Reasons = {
  "src/core/run/execute/execute-plan.ts": [on(EMPTY, 'json: ""')],
  "src/core/run/execute/executor.ts": [
    on(SHORTCUT, "const isKeyed", "const isWhole"),
    on("Nothing keeps the answer, and what a keeper throws is ignored.", "keep !== undefined"),
  ],
};
