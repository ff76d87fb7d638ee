import type { QuotaState } from "./contract/gate/admission.ts";
import type { Batch } from "./contract/batch.ts";
import { LIMITS } from "./contract/limits.ts";
import type { Claim, ParkedGroup } from "./contract/gate/confirmation.ts";
import type { IdempotencyRequest } from "./contract/gate/idempotency.ts";
import type { Outcome } from "./contract/outcome.ts";
import { attempt, err, ok, type Result } from "./kit/result.ts";
import { describePlan } from "./plan/describe-plan.ts";
import { makeApprovedPlan } from "./approve/make-approved-plan.ts";
import { makePlan } from "./plan/make-plan.ts";
import type { Plan } from "./plan/step.ts";
import { admit, type Admission } from "./gate/admission.ts";
import { bindPlan } from "./gate/bind-plan.ts";
import { holdLease } from "./gate/hold-lease.ts";
import { countList, type Refused } from "./gate/admit-plan.ts";
import { toEnvelopeJson } from "./answer/envelope.ts";
import type { Execution } from "./gate/execution.ts";
import { fitAnswer } from "./answer/fit-answer.ts";
import { KEY_CONFLICT, mayRead, namesOf } from "./gate/kept-answer.ts";
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
export async function showPlan(plan: Plan, execution: Execution): Promise<Result<Answer, Refused>> {
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

/** Admit a plan and run it; the answer is written by `toJson`, and kept under the key or with the confirmation that it has. */
export async function answerPlan(
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
    if (!mayRead(admitted.replay, execution)) return err({ refusal: KEY_CONFLICT, quota: null });
    seeUnrun("replay", plan, execution);
    return ok({ json: admitted.replay.json, quota: null, replayed: true });
  }

  const answering = whileHeld(admission.value, execution, (lost) =>
    writeAnswer(admission.value, execution, { lost, toJson }),
  );
  // A caller that comes back for this answer wants all of it, so the batch goes on when its caller has gone away.
  if (keys !== null || admitted.plan.approved !== undefined) defer(answering);
  return ok({ json: await answering, quota: admitted.quota, replayed: false });
}

/** Run something that was admitted, and hold the leases of its keys meanwhile; it stops when they are lost. */
function whileHeld<T>(
  { keys, startedAt }: Admission,
  execution: Execution,
  run: (lost?: AbortSignal) => Promise<T>,
): Promise<T> {
  const lease = keys === null ? null : keys.lease;
  if (lease === null) return run();
  const { gate, ports } = execution;
  const lost = new AbortController();
  const onLost = (): void => lost.abort();
  const letGo = holdLease(lease, { gate, clock: ports.clock, askedAtMs: startedAt, onLost });
  return run(lost.signal).finally(letGo);
}

/** Run an admitted batch and write its answer, which is kept under its key, or with its confirmation, before anyone sees it. */
async function writeAnswer(
  admission: Admission,
  execution: Execution,
  { lost, toJson }: { readonly lost: AbortSignal | undefined; readonly toJson: typeof toEnvelopeJson },
): Promise<string> {
  const { ports, gate, watch, catalog } = execution;
  const { admitted, keys } = admission;
  watch?.enter("run");
  const { outcomes, release, ...measures } = await runAdmitted(admission, execution, { lost });
  watch?.enter("write");
  const { maxTokens, steps } = admitted.plan;
  const isWhole = maxTokens === null && !outcomes.some(({ meta }) => meta.keepsWhole);
  const shaped = isWhole ? outcomes : await shapeOutcomes(outcomes, maxTokens, { ports, gate, steps });
  const batchId = admission.batchId();
  const write = (shown: readonly Outcome[]): string => toJson(batchId, admitted.plan, shown, measures);
  const json = write(shaped);
  const { onWritten } = execution.listener ?? {};
  if (onWritten === undefined) release();
  else onWritten(release);
  if (keys !== null) {
    const tools = namesOf(admitted.plan, catalog);
    const closing = keys.close(outcomes, { json: fitAnswer(json, shaped, write), tools });
    // It did run, so it is answered even when that cannot be kept; the key is then taken over after its lease.
    await attempt(() => gate.complete(closing));
  }
  const { approved } = admitted.plan;
  // If this is lost the confirmation stays claimed: it looks like one that broke off.
  if (approved !== undefined)
    await attempt(() => gate.conclude(approved.claim, fitAnswer(json, shaped, write)));
  return json;
}

/** A plan that ran, and the steps that did something under a key of their own which no run had before. */
export interface ExecutedPlan extends Executed {
  readonly begun: readonly number[];
}

/**
 * Execute a plan, whichever dialect it was made of: admit it, then run every step to its outcome. The answer of its keys is kept
 * before it is sent.
 */
export async function executePlan(
  planned: Plan,
  execution: Execution,
  keysOf?: (plan: Plan) => Promise<IdempotencyRequest | null>,
): Promise<Result<ExecutedPlan, Refused>> {
  const { watch, gate, defer } = execution;
  watch?.enter("admit");
  const admission = await admit(planned, execution, keysOf);
  if (!admission.ok) return admission;
  const { keys } = admission.value;
  watch?.enter("run");
  const runHeld = (lost?: AbortSignal): Promise<Executed> =>
    runAdmitted(admission.value, execution, { lost, listens: true });
  if (keys === null) {
    const executed = await runHeld();
    watch?.enter("write");
    return ok({ ...executed, begun: [] });
  }
  const keeping = whileHeld(admission.value, execution, async (lost): Promise<ExecutedPlan> => {
    const executed = await runHeld(lost);
    watch?.enter("write");
    const { outcomes } = executed;
    await attempt(() => gate.complete(keys.close(outcomes, { json: "" })));
    return { ...executed, begun: keys.begun(outcomes) };
  });
  defer(keeping);
  return ok(await keeping);
}

/** Tell of a batch of which nothing ran: its plan was asked for, or it has its answer already. */
function seeUnrun(kind: "dry_run" | "replay", plan: Plan, execution: Execution): void {
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
    flow: within?.runOf?.flow,
    isTool: (name) => catalog.get(name) !== undefined,
  });
}
