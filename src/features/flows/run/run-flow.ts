import { AnswerBudget } from "../../../core/answer/envelope.ts";
import { serialiseOutput } from "../../../core/answer/serialise-output.ts";
import type { BegunFlow } from "../../confirmations/parked-actions.ts";
import { planParked } from "../../confirmations/make-approved-plan.ts";
import { catalogOfFlow, planKeptFlow } from "../declaration/plan-kept-flow.ts";
import { type Outcome, ToolFailure } from "../../../feature/tool.ts";
import { makeFailure } from "../../../core/contract/failure.ts";
import { attempt, attemptNow, type Failure, ok, type Result } from "../../../feature/refuse.ts";
import { findFirstFailure, isInDoubt, type OutcomeMeta } from "../../../core/contract/outcome.ts";
import { admit } from "../../../core/gate/admission.ts";
import type { Execution, InnerEnd, OuterBatch, RunnableBatch } from "../../../core/gate/execution.ts";
import { resolveReferences } from "../../../feature/schema.ts";
import type { Call } from "../../../core/plan/step.ts";
import { keepWrites } from "../../../core/run/execute/executor.ts";
import { type Executed, runAdmitted } from "../../../core/run/run-admitted.ts";
import { FlowQuestions, type FlowSteps, joinBegun, writtenIn } from "./begun-flow.ts";
import type { FlowFailed } from "./first-cause.ts";

/**
 * Run a flow that is an action of a batch, with the planner and the runner of any batch. The request is counted already, so it is
 * not counted again inside. Flows do not call flows: they were refused when they were kept, and what has become one since is a
 * failure of its action.
 *
 * Where a person approved the call, the flow still asks about calls that take arguments from its own results, because no person
 * has seen them. Otherwise the caller may skip approval and does, and nothing inside asks.
 */
export const runFlow: RunnableBatch["run"] = async (call, outer) => {
  const { clock } = outer.execution.ports;
  const startedAt = clock.now();
  const ran = await attempt(() => run(call, outer));
  const end = ran.ok ? ran.value : fail(makeFailure("INTERNAL"));
  if ("asks" in end) return end;
  const durationMs = clock.now() - startedAt;
  return { ...end, meta: { ...end.meta, durationMs, queuedMs: 0, attempts: 1 } };
};

async function run(
  call: Call,
  { inside, isApproved, execution, batchId, at }: OuterBatch,
): Promise<InnerEnd> {
  const { batch, answer } = call.tool.inner!;
  const catalog = catalogOfFlow(call.tool, execution.catalog);
  const deadlineMs = Math.max(1, Math.min(batch.deadlineMs, inside.endsAt - execution.ports.clock.now()));
  const begun = call.begun?.kind === "flow" ? (call.begun as BegunFlow) : null;
  const plan =
    begun === null
      ? planKeptFlow(call.tool, execution.catalog, {
          input: call.input,
          asked: { deadlineMs, skipApproval: !isApproved },
          maySkipApproval: !isApproved,
          isApproved,
        })
      : ok(planParked({ ...begun, deadlineMs, maxTokens: null }, catalog));
  if (!plan.ok) return fail(makeFailure("FLOW_BROKEN", { hint: plan.error }));
  const own: Execution = {
    ...execution,
    catalog,
    within: {
      inside,
      runOf: { tool: call.tool.name },
      outer: batchId,
      at,
      isCounted: true,
      answer: new AnswerBudget(1),
    },
    signal: inside.signal,
    // The flow ends with the signal that it listens to, whatever it runs.
    listener: { ...execution.listener, onOutcome: () => {} },
  };
  // The batch around it looks after its writes too, where that one's are.
  const looked = keepWrites(
    plan.value,
    execution.hooks?.keeper === undefined ? batch.keptAs : undefined,
    own,
  );
  if (!looked.ok) return fail(makeFailure("FLOW_BROKEN", { hint: looked.error.hint }));
  const [planned, kept] = looked.value;
  // An unfinished action at its end is no answer, and a job of it would have no owner.
  const admission = await admit({ ...planned, demotes: false }, kept);
  if (!admission.ok) return fail(makeFailure("OVERLOADED", { hint: admission.error.refusal.hint }));
  const questions = new FlowQuestions();
  const { outcomes } = await runAdmitted(admission.value, kept, { park: questions.take });
  const ran = { plan: plan.value, outcomes, answer };
  if (questions.areAsked) return { asks: await questions.leave(ran, begun, execution.ports) };
  const whole = begun === null ? ran : joinBegun(ran, begun, { input: call.input, budget: inside.budget });
  const outcome = toOutcome(whole.plan, whole, answer);
  return outcome.status === "success" ? outcome : warnOf(writtenIn(ran, begun), outcome);
}

/** Say in a failure what has taken effect all the same: a caller who knows of nothing would send it again. */
function warnOf(written: readonly string[], failed: FlowFailed): FlowFailed {
  if (written.length === 0) return failed;
  const names = written.map((id) => `'${id}'`).join(", ");
  const hint = `${failed.error.hint ?? ""} ${names} took effect: a second run repeats ${written.length === 1 ? "it" : "them"}.`;
  return { ...failed, error: { ...failed.error, hint: hint.trim() } };
}

/**
 * Say what a flow came to: its answer, where everything that the answer needs has succeeded. Without an answer it has succeeded
 * where all of its actions have. A write whose end is unknown leaves that of the flow unknown.
 */
export function toOutcome(
  plan: FlowSteps,
  { outcomes }: Pick<Executed, "outcomes">,
  answer: unknown,
): Extract<Outcome, { readonly status: "success" | "error" | "unknown" }> {
  const at = (wanted: (outcome: Outcome) => boolean): number => outcomes.findIndex(wanted);
  const lost = at(({ status }) => status === "unknown");
  const failed = findFirstFailure(outcomes);
  const doubt: OutcomeMeta = outcomes.some(isInDoubt) ? { inDoubt: true } : {};
  if (answer !== undefined) {
    const answered = resolveAnswer(answer, plan, outcomes);
    if (answered.ok) return toSuccess(answered.value, doubt);
    if (lost === -1) return fail(answered.error, doubt);
  }
  const index = lost === -1 ? failed : lost;
  if (index === -1) return toSuccess(null, doubt);
  const { error } = outcomes[index] as Outcome & { readonly error: Failure };
  const hint = `Its action '${plan.steps[index]!.id}' ended as ${outcomes[index]!.status} (${error.code}). ${error.hint ?? ""}`;
  const failure = makeFailure("DEPENDENCY_FAILED", { hint: hint.trim() });
  return { status: lost === -1 ? "error" : "unknown", error: failure, meta: doubt };
}

/** Look up what an answer refers to; what it needs and did not succeed fails it. */
export function resolveAnswer(
  answer: unknown,
  { steps, given }: FlowSteps,
  outcomes: readonly Outcome[],
): Result<unknown, Failure> {
  return resolveReferences(
    answer,
    (id) => {
      if (given?.has(id) === true) return { data: given.get(id) };
      const index = steps.findIndex((step) => step.id === id);
      const outcome = outcomes[index];
      if (outcome === undefined) return undefined;
      if (outcome.status === "success") return { data: outcome.data };
      const code = "error" in outcome ? ` (${outcome.error.code})` : "";
      const hint = `The answer needs '${id}', which ended as ${outcome.status}${code}.`;
      return { refused: makeFailure("DEPENDENCY_FAILED", { hint }) };
    },
    { what: "The answer of one flow", limitBytes: Number.POSITIVE_INFINITY },
  );
}

function toSuccess(data: unknown, doubt: OutcomeMeta): ReturnType<typeof toOutcome> {
  const written = attemptNow(() => serialiseOutput(data));
  if (written.ok) {
    const meta: OutcomeMeta = { ...doubt, bytes: written.value.bytes };
    return { status: "success", data, json: written.value.json, meta };
  }
  const failure = written.error instanceof ToolFailure ? written.error.failure : makeFailure("INTERNAL");
  return fail(failure, doubt);
}

function fail(error: Failure, meta: OutcomeMeta = {}): Extract<Outcome, { readonly status: "error" }> {
  return { status: "error", error, meta };
}
