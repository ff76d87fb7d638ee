import type { QuotaState } from "./contract/gate/admission.ts";
import type { Batch } from "./contract/batch.ts";
import { LIMITS } from "./contract/limits.ts";
import type { Claim, ParkedGroup } from "./contract/gate/confirmation.ts";
import type { Outcome } from "./contract/outcome.ts";
import { attempt, err, ok, type Result } from "./kit/result.ts";
import { describePlan } from "./plan/describe-plan.ts";
import { makeApprovedPlan } from "./approve/make-approved-plan.ts";
import { makePlan } from "./plan/make-plan.ts";
import type { Plan } from "./plan/step.ts";
import { admit, type Admission } from "./gate/admission.ts";
import { bindPlan } from "./gate/bind-plan.ts";
import { countList, type Refused } from "./gate/admit-plan.ts";
import { AnswerBudget, toEnvelopeJson } from "./answer/envelope.ts";
import type { Execution } from "./gate/execution.ts";
import { fitAnswer } from "./answer/fit-answer.ts";
import { type FlowRun, noFlow, planFlowRun, withAnswer } from "./flows/plan-flow.ts";
import { createFlowRunner } from "./flows/run-flow.ts";
import { type BatchKey, readKeys } from "./gate/read-keys.ts";
import { type Executed, runAdmitted } from "./run/run-admitted.ts";
import { shapeOutcomes } from "./answer/shape-outcomes.ts";

/** A batch that ran, and what its admission left of the caller's quota. */
export interface Answer {
  /** Its envelope, or what another dialect has instead. */
  readonly json: string;
  readonly quota: QuotaState | null;
  /** It ran before, under the same idempotency key, and this is the answer that it had then. */
  readonly replayed: boolean;
}

/**
 * Execute a batch: plan it, admit it in one round trip, run it, and answer every action once, in the order asked.
 *
 * Whatever is refused is refused before anything ran; after the admission every step leads to a result.
 */
export function execute(batch: Batch, execution: Execution): Promise<Result<Answer, Refused>> {
  return withCurrentTools(execution, (current) => planAndAnswer(batch, current));
}

/**
 * Do what depends on a key's tools; and once more, with the tools as they are by then, when the gate refused it because
 * they have changed: it had counted nothing, and nothing ran.
 */
export async function withCurrentTools<T, E extends Pick<Execution, "catalog" | "currentCatalog">>(
  execution: E,
  run: (current: E) => Promise<Result<T, Refused>>,
): Promise<Result<T, Refused>> {
  let answered = await run(execution);
  for (let again = 0; again < LIMITS.replans && !answered.ok && answered.error.stale === true; again += 1) {
    const catalog = await attempt(() => execution.currentCatalog());
    if (!catalog.ok) return answered;
    answered = await run({ ...execution, catalog: catalog.value });
  }
  return answered;
}

async function planAndAnswer(batch: Batch, execution: Execution): Promise<Result<Answer, Refused>> {
  const { catalog } = execution;
  execution.watch?.enter("plan");
  const planned = makePlan(batch, catalog, { maySkipApproval: execution.caller.skipApproval });
  if (!planned.ok) return err({ refusal: planned.error, quota: null });
  const plan = planned.value;
  return batch.dryRun ? showPlan(plan, execution) : answerPlan(plan, execution, execution.batchKey);
}

/** Answer with a plan that is not run. */
async function showPlan(plan: Plan, execution: Execution): Promise<Result<Answer, Refused>> {
  execution.watch?.enter("admit");
  const counted = await countList(execution);
  if (!counted.ok) return counted;
  seeUnrun("dry_run", plan, execution);
  const described = describePlan(bindPlan(plan, execution));
  return ok({ json: JSON.stringify(described), quota: counted.value, replayed: false });
}

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
  return answerPlan(makeApprovedPlan(group, execution.catalog, claim), execution);
}

/**
 * Execute a plan of another dialect under the key that the execution came with: what is kept under it is what that dialect
 * writes.
 */
export function executeKeyed(
  plan: Plan,
  execution: Execution,
  write: (outcomes: readonly Outcome[], durationMs: number) => string,
): Promise<Result<Answer, Refused>> {
  return answerPlan(plan, execution, execution.batchKey, (_, __, outcomes, { durationMs }) =>
    write(outcomes, durationMs),
  );
}

/**
 * Execute a flow by itself: the batch that it is, with this input. The answer is the batch's envelope, and what the flow says is
 * its answer.
 */
export function executeFlow(run: FlowRun, execution: Execution): Promise<Result<Answer, Refused>> {
  return withCurrentTools(execution, (current) => planAndRunFlow(run, current));
}

async function planAndRunFlow(run: FlowRun, execution: Execution): Promise<Result<Answer, Refused>> {
  execution.watch?.enter("plan");
  const planned = planFlowRun(run, execution);
  if (planned === null) {
    // It may have been kept a moment ago, elsewhere.
    const known = await attempt(() => execution.currentCatalog());
    const isNews = known.ok && known.value.version !== execution.catalog.version;
    return isNews
      ? planAndRunFlow(run, { ...execution, catalog: known.value })
      : err({ refusal: noFlow(run.name), quota: null });
  }
  if (!planned.ok) return err({ refusal: planned.error, quota: null });
  const { plan, answer } = planned.value;
  if (run.dryRun) return showPlan(plan, execution);
  const own = { ...execution, answer: new AnswerBudget(2) };
  return answerPlan(plan, own, execution.batchKey, (batchId, of, outcomes, measures) =>
    withAnswer(toEnvelopeJson(batchId, of, outcomes, measures), answer, { plan: of, outcomes }),
  );
}

async function answerPlan(
  plan: Plan,
  execution: Execution,
  batchKey?: BatchKey,
  toJson = toEnvelopeJson,
): Promise<Result<Answer, Refused>> {
  const { caller, ports, defer, watch } = execution;
  watch?.enter("admit");
  const isKeyed = batchKey !== undefined || plan.steps.some(({ keyed }) => keyed !== undefined);
  const keysOf = (runnable: Plan) => readKeys(runnable, { caller, ports, batchKey });
  const admission = await admit(plan, execution, isKeyed ? keysOf : undefined);
  if (!admission.ok) return admission;
  const { admitted, keys } = admission.value;
  if (admitted.replay !== null) {
    seeUnrun("replay", plan, execution);
    return ok({ json: admitted.replay, quota: null, replayed: true });
  }

  const answering = writeAnswer(admission.value, execution, toJson);
  // Whoever comes back for this answer wants all of it, so the batch goes on when its caller has gone away.
  if (keys !== null || admitted.plan.approved !== undefined) defer(answering);
  return ok({ json: await answering, quota: admitted.quota, replayed: false });
}

/** Run an admitted batch and write its answer, which is kept under its key, or with its confirmation, before anyone sees it. */
async function writeAnswer(
  admission: Admission,
  execution: Execution,
  toJson: typeof toEnvelopeJson,
): Promise<string> {
  const { ports, gate, watch } = execution;
  const { admitted, keys } = admission;
  watch?.enter("run");
  const { outcomes, ...measures } = await runAdmitted(admission, withFlows(admitted.plan, execution));
  watch?.enter("write");
  const { maxTokens } = admitted.plan;
  const shaped = maxTokens === null ? outcomes : await shapeOutcomes(outcomes, maxTokens, ports, gate);
  const batchId = admission.batchId();
  const write = (shown: readonly Outcome[]): string => toJson(batchId, admitted.plan, shown, measures);
  const json = write(shaped);
  if (keys !== null) {
    const closing = keys.close(outcomes, fitAnswer(json, shaped, write));
    // It did run, so it is answered even when that cannot be kept; the key is then taken over after its lease.
    await attempt(() => gate.complete(closing));
  }
  const { approved } = admitted.plan;
  // When this is lost the confirmation stays claimed: nobody can tell it from one that broke off.
  if (approved !== undefined)
    await attempt(() => gate.conclude(approved.claim, fitAnswer(json, shaped, write)));
  return json;
}

/** Execute a plan, whichever dialect it was made of: admit it, then run every step to its outcome. */
export async function executePlan(planned: Plan, execution: Execution): Promise<Result<Executed, Refused>> {
  const { watch } = execution;
  watch?.enter("admit");
  const admission = await admit(planned, execution);
  if (!admission.ok) return admission;
  watch?.enter("run");
  const executed = await runAdmitted(admission.value, withFlows(admission.value.admitted.plan, execution));
  watch?.enter("write");
  return ok(executed);
}

/** Tell of a batch of which nothing ran: its plan was asked for, or it has its answer already. */
function seeUnrun(kind: "dry_run" | "replay", plan: Plan, { watch, origin, catalog }: Execution): void {
  watch?.sawBatch({
    kind,
    plan,
    outcomes: [],
    batchId: null,
    durationMs: 0,
    maxParallelism: 0,
    degraded: false,
    origin,
    isTool: (name) => catalog.get(name) !== undefined,
  });
}

/** What runs batches inside of a batch is there where the plan has one. */
function withFlows(plan: Plan, execution: Execution): Execution {
  const hasFlow = plan.steps.some(({ task }) => task.ok && task.value.tool.flow !== undefined);
  return hasFlow ? { ...execution, runFlow: createFlowRunner(execution) } : execution;
}
