import { countList, type Refused } from "../../gate/admit-plan.ts";
import { bindPlan } from "../../gate/bind-plan.ts";
import type { Execution } from "../../gate/execution.ts";
import { ok, type Result } from "../../kit/result.ts";
import { describePlan } from "../../plan/describe-plan.ts";
import type { Plan } from "../../plan/step.ts";
import type { Answer } from "./answer.ts";

/** Answer with a plan that is not run. */
export async function showPlan(plan: Plan, execution: Execution): Promise<Result<Answer, Refused>> {
  execution.watch?.enter("admit");
  const counted = await countList(execution);
  if (!counted.ok) return counted;
  seeUnrun("dry_run", plan, execution);
  const described = describePlan(bindPlan(plan, execution));
  return ok({ json: JSON.stringify(described), quota: counted.value, replayed: false });
}

/** Tell of a batch of which nothing ran: its plan was asked for, or it has its answer already. */
export function seeUnrun(kind: "dry_run" | "replay", plan: Plan, execution: Execution): void {
  const { watch, origin, catalog, within } = execution;
  watch?.sawBatch({
    kind,
    plan,
    outcomes: [],
    batchId: null,
    durationMs: 0,
    maxParallelism: 0,
    degraded: false,
    origin,
    tool: within?.runOf?.tool,
    isTool: (name) => catalog.get(name) !== undefined,
  });
}
