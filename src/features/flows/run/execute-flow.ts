import { AnswerBudget, toEnvelopeJson } from "../../../core/answer/envelope.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { answerPlan, keepWrites, recalled, withCurrentTools } from "../../../core/run/execute/executor.ts";
import { holdToReceipt, showPlan } from "../../../core/run/execute/show-plan.ts";
import type { Refused } from "../../../core/gate/admit-plan.ts";
import { bindCallback } from "../../../core/gate/bind-plan.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { attempt, err, ok, type Result } from "../../../feature/refuse.ts";
import { type FlowRun, planFlowRun, withAnswer } from "./plan-flow.ts";

/**
 * Execute a flow by itself: the batch that it is, with this input. The answer is the batch's envelope, and what the flow says is
 * its answer.
 */
export function executeFlow(run: FlowRun, execution: Execution): Promise<Result<Answer, Refused>> {
  return withCurrentTools(execution, (current) => planAndRun(run, current));
}

async function planAndRun(run: FlowRun, execution: Execution): Promise<Result<Answer, Refused>> {
  execution.watch?.enter("plan");
  const batch = execution.catalog.get(run.name)?.inner?.batch;
  const asked = batch && { ...batch, dryRun: run.dryRun };
  const held = asked && (await execution.hooks?.beforeStep?.hold(asked, execution));
  const remembering = await recalled(asked?.entries ?? [], execution);
  const planned = planFlowRun({ ...run, held }, remembering);
  if (!planned.ok) {
    // The flow may have been kept, replaced or deleted a moment ago, elsewhere.
    const known = await attempt(() => execution.currentCatalog());
    const isNews = known.ok && known.value.version !== execution.catalog.version;
    return isNews
      ? planAndRun(run, { ...execution, catalog: known.value })
      : err({ refusal: planned.error, quota: null });
  }
  const { callbackUrl } = run;
  const bound =
    callbackUrl === undefined ? ok(execution) : bindCallback(callbackUrl, execution, "INVALID_REQUEST");
  if (!bound.ok) return err({ refusal: bound.error, quota: null });
  const { plan, answer, catalog } = planned.value;
  const own = { ...bound.value, catalog, within: { answer: new AnswerBudget(2), runOf: { tool: run.name } } };
  const { skipApproval, dryRun, planReceipt } = run;
  const runOf = [run.name, run.input] as const;
  const whole = { ...batch!, skipApproval, planReceipt, runOf };
  const kept = keepWrites(plan, whole.keptAs, own);
  if (!kept.ok) return err({ refusal: kept.error, quota: null });
  if (dryRun) return showPlan(...kept.value, whole);
  const agreed = planReceipt === undefined ? kept : await holdToReceipt(whole, ...kept.value);
  if (!agreed.ok) return agreed;
  return answerPlan(...agreed.value, {
    batchKey: execution.batchKey,
    toJson: (of, outcomes, measured) =>
      withAnswer(toEnvelopeJson(of, outcomes, measured), answer, { plan: of, outcomes }),
  });
}
