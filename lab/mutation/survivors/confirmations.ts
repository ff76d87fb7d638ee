/** Why mutants of `features/confirmations` live. */
import type { Reasons } from "../reasons.ts";
import { EMPTY, HINTS_OF_FOREIGN, on, SCHEMA, SHORTCUT, TYPE, WORDS } from "../why.ts";

/** A group is kept as JSON. */
const LEFT_OUT = "JSON leaves out a property that is undefined.";

export const CONFIRMATIONS: Reasons = {
  "src/core/run/fail-parked.ts": [
    on("A parked action that is not gated needs another one.", "needs.length === 0"),
  ],
  "src/features/confirmations/confirmation.ts": [on(TYPE, "asker !== undefined")],
  "src/features/confirmations/confirmation-rules.ts": [on(SHORTCUT, "bytes === 0 || excess <= 0")],
  "src/features/confirmations/make-approved-plan.ts": [
    on(WORDS, '"UNKNOWN_TOOL"'),
    on(HINTS_OF_FOREIGN, "isForeign: true"),
  ],
  "src/features/confirmations/park-groups.ts": [
    on(EMPTY, "drafts.length === 0"),
    on(LEFT_OUT, "asks.asker !== undefined"),
    on(SHORTCUT, "json.length <= LIMITS.confirmationBytes"),
  ],
  "src/features/confirmations/wire-confirmation.ts": [
    on(SCHEMA, ".meta({ id"),
    on(TYPE, "!== undefined &&", "answerJson === null"),
  ],
  "src/features/confirmations/parked-actions.ts": [
    on(LEFT_OUT, "...(task.callback", "...(task.runAt", "...(begun"),
    on(TYPE, "return found.ok"),
    on("The plan refused a malformed reference before; only there its path is told.", "findReferences("),
  ],
};
