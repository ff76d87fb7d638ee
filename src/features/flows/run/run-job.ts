import { AnswerBudget, toEnvelopeJson } from "../../../core/answer/envelope.ts";
import { fitAnswer } from "../../../core/answer/fit-answer.ts";
import type { Outcome, Tool } from "../../../feature/tool.ts";
import { catalogOfFlow, planKeptFlow } from "../declaration/plan-kept-flow.ts";
import { parseArgs } from "../../../core/catalog/parse-args.ts";
import { makeFailure, toWireFailure } from "../../../core/contract/failure.ts";
import { err, type Failure, ok, type Result } from "../../../feature/refuse.ts";
import type { AttemptEnd, JobClaim } from "../../../core/contract/gate/job.ts";
import { isJsonObject, parseExact } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { isFailure } from "../../../core/contract/outcome.ts";
import { admit } from "../../../core/gate/admission.ts";
import type { Execution, LargerWork } from "../../../core/gate/execution.ts";
import type { Plan } from "../../../core/plan/step.ts";
import { failedAttempt, inDoubtAt } from "../../../core/run/run-attempt.ts";
import { keepWrites, recalled } from "../../../core/run/execute/executor.ts";
import { runAdmitted } from "../../../core/run/run-admitted.ts";
import { callFlows, type RunReport } from "../flow-run.ts";
import { firstCause, type FlowFailed, type Ran } from "./first-cause.ts";
import { toOutcome } from "./run-flow.ts";
import { LongLoops } from "./long-loops.ts";
import { withAnswer } from "./plan-flow.ts";
import { isLoop, openLedger, resumeRun, RunJournal, withoutCut } from "./run-journal.ts";

/** How an attempt of a run ended, and what it leaves; no report where nothing ran. */
export interface RunEnd {
  readonly end: AttemptEnd;
  readonly report?: RunReport;
}

/**
 * Make one attempt of a run that has no waiting caller: the batch of its flow, with the steps of earlier attempts. A step that
 * has succeeded is not run again; nor is a write that may have happened and must not happen twice. Rejects only where what
 * earlier attempts left cannot be read: the run then waits for its lease.
 *
 * @param tool the flow as it was when the run was recorded
 */
export async function runJob(
  claim: JobClaim,
  tool: Tool,
  execution: Execution & Pick<LargerWork, "inside">,
): Promise<RunEnd> {
  const remembering = await recalled(tool.inner!.batch.entries, execution);
  const planned = planJob(claim, tool, remembering);
  if (!planned.ok) return { end: failedAttempt(planned.error) };
  const looked = keepWrites(planned.value, tool.inner!.batch.keptAs, {
    ...remembering,
    catalog: catalogOfFlow(tool, remembering.catalog),
  });
  if (!looked.ok) return { end: failedAttempt(makeFailure("FLOW_BROKEN", { hint: looked.error.hint })) };
  const { gate, ports, defer } = execution;
  const [plan, inner] = looked.value;
  const batchId = ports.newId();
  const left = claim.fence > 1 ? await callFlows(gate, "runSteps", claim.spec.id) : [];
  const kept = withoutCut(plan.steps, left);
  const answerBudget = new AnswerBudget(2);
  const ledger = openLedger(gate, claim);
  const loops = new LongLoops({
    claim,
    ledger,
    kept,
    execution: inner,
    batchId,
    answer: answerBudget,
    keptBytes: LIMITS.runStepsBytes,
    loops: plan.steps.filter(isLoop).length,
  });
  const journal = new RunJournal({ plan, ledger, defer, runLoop: loops.run });
  const own: Execution = {
    ...inner,
    within: {
      ...(execution.inside !== undefined && { inside: execution.inside }),
      isCounted: true,
      batchId,
      runOf: {
        tool: tool.name,
        runId: claim.spec.id,
        ...(claim.spec.run !== undefined && { trigger: claim.spec.run.trigger }),
      },
      resumed: { ...resumeRun(plan, claim, kept), journal },
      answer: answerBudget,
    },
  };
  const admission = await admit(plan, own);
  if (!admission.ok)
    return { end: failedAttempt(makeFailure("OVERLOADED", { hint: admission.error.refusal.hint })) };
  const { admitted } = admission.value;
  const { outcomes, release: _, ...measures } = await runAdmitted(admission.value, own);
  const { answer } = tool.inner!;
  const write = (shown: readonly Outcome[]): string =>
    withAnswer(toEnvelopeJson(admitted.plan, shown, { ...measures, batchId }), answer, {
      plan,
      outcomes: shown,
    });
  return {
    end: {
      ...toEnd({ plan, outcomes, answer }, { claim, elements: loops.failures }),
      ...inDoubtAt([...outcomes, ...loops.failures]),
    },
    report: {
      envelopeJson: fitAnswer(write(outcomes), outcomes, { write, limit: LIMITS.jobDataBytes }),
      steps: journal.keepAll(outcomes),
    },
  };
}

/** Plan a run; refused where what it was given does not fit, or its flow cannot run with the tools that there are. */
function planJob({ spec }: JobClaim, tool: Tool, { catalog }: Execution): Result<Plan, Failure> {
  const stored = parseExact(spec.argsJson);
  const input = isJsonObject(stored) ? stored : {};
  const args = parseArgs(tool, input, { isForeign: true });
  if (!args.ok) return args;
  const plan = planKeptFlow(tool, catalog, { input, hook: spec.run?.hook, isLong: true });
  if (!plan.ok) return err(makeFailure("FLOW_BROKEN", { hint: plan.error }));
  // An unfinished step is left to the next attempt; a job of it would belong to another batch.
  return ok({ ...plan.value, demotes: false });
}

/**
 * Say how an attempt ended. It gets another as long as that may do what this one did not, whatever the answer is made of; after
 * the last one, and where nothing would change, the answer decides. An action that waits for a person is not waited for, and is
 * listed in the envelope.
 *
 * @param options `elements`: the elements of its loops that have not succeeded
 */
export function toEnd(
  { plan, outcomes, answer }: Ran,
  { claim, elements }: { readonly claim: JobClaim; readonly elements: readonly Outcome[] },
): AttemptEnd {
  const isLast = claim.attempt >= claim.spec.maxAttempts;
  const outcome = toOutcome(plan, { outcomes }, answer);
  // A loop may have succeeded with elements that failed.
  const passing = [...outcomes, ...elements.filter(isOwnFault)].filter(isPassing);
  if (passing.length > 0 && !(isLast && outcome.status === "success")) {
    const failure =
      outcome.status === "success" ? passing[0]!.error : firstCause({ plan, outcomes, answer }, outcome);
    const retryAfterMs = Math.max(...passing.map(({ error }) => error.retryAfterMs ?? 0));
    const error = toWireFailure({ ...failure, retryable: true, retryAfterMs });
    // Nothing of it was sent, so waiting costs no attempt, as it costs no other job one.
    const log = plan.steps.flatMap(({ id: of, index }) =>
      (outcomes[index]!.meta.log ?? []).map((line) => ({ ...line, of })),
    );
    return { kind: passing.every(isKeptIn) ? "deferred" : "failed", error, ...(log.length > 0 && { log }) };
  }
  // Without an answer every call decides: a loop may have succeeded with an element that was lost.
  const lost = answer === undefined ? elements.find(({ status }) => status === "unknown") : undefined;
  if (outcome.status === "success" && lost !== undefined && "error" in lost) {
    const hint =
      `An element of a loop ended as unknown: look for its effect. ${lost.error.hint ?? ""}`.trim();
    return { kind: "unknown", error: toWireFailure({ ...lost.error, hint, retryable: false }) };
  }
  if (outcome.status === "success") return { kind: "succeeded", dataJson: outcome.json };
  const isParked = outcomes.some(({ status }) => status === "pending_confirmation");
  if (isParked && !outcomes.some(isFailure)) return { kind: "succeeded", dataJson: "null" };
  const error = toWireFailure({ ...firstCause({ plan, outcomes, answer }, outcome), retryable: false });
  return { kind: outcome.status === "unknown" ? "unknown" : "failed", error };
}

/** Whether what failed may succeed the next time; a write that was lost is among them where sending it again is safe. */
function isPassing(outcome: Outcome): outcome is FlowFailed {
  return (outcome.status === "error" || outcome.status === "unknown") && outcome.error.retryable;
}

/** Whether an element did not end for another's sake. */
function isOwnFault(outcome: Outcome): boolean {
  return !("error" in outcome) || outcome.error.code !== "ABORTED";
}

/** Whether an open breaker has kept it in here. */
function isKeptIn({ error, meta }: FlowFailed): boolean {
  return error.code === "CIRCUIT_OPEN" && meta.attempts === 0;
}
