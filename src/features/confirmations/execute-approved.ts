import { makeApprovedPlan } from "./make-approved-plan.ts";
import { callConfirmations, type Claim } from "./confirmation.ts";
import type { ParkedGroup } from "./parked-group.ts";
import type { Answer } from "../../core/run/execute/answer.ts";
import { answerPlan, keepWrites } from "../../core/run/execute/executor.ts";
import type { Refused } from "../../core/gate/admit-plan.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { err, type Result } from "../../feature/refuse.ts";

/**
 * Run exactly what a group parked, on the strength of a person's yes: nothing of the batch it came from runs again, and
 * nothing of it ever runs a second time. Refused, and nothing ran, when somebody decided before.
 */
export async function executeApproved(
  group: ParkedGroup,
  claim: Claim,
  execution: Execution,
): Promise<Result<Answer, Refused>> {
  execution.watch?.enter("plan");
  // If this is lost the confirmation stays claimed: it looks like one that broke off.
  const keep = (json: string) => callConfirmations(execution.gate, "conclude", claim, json);
  const { watch: _, ...unseen } = execution;
  const own = group.keptAs?.unseen ? unseen : execution;
  const kept = keepWrites(makeApprovedPlan(group, execution.catalog, claim), group.keptAs, own);
  return kept.ok ? answerPlan(...kept.value, { keep }) : err({ refusal: kept.error, quota: null });
}
