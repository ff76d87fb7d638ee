/** Why mutants of `answer` live. */
import type { Reasons } from "../reasons.ts";
import { on, SCHEMA, SHORTCUT, TYPE } from "../why.ts";

export const ANSWER: Reasons = {
  "src/core/answer/combine-elements.ts": [
    on(
      TYPE,
      'outcome.status === "error"',
      '"error" in outcome',
      'status === "pending_confirmation"',
      "if (!outcomes.some(",
    ),
  ],
  "src/core/answer/result-schema.ts": [{ why: SCHEMA }],
  "src/core/answer/stored-outcome.ts": [
    on("JSON leaves out a property that is undefined.", "status ===", "!== undefined && {"),
  ],
  "src/core/answer/recall-results.ts": [on(SHORTCUT, "handles.length === 0")],
};
