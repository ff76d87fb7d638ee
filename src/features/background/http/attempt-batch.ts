import * as LIMITS from "../limits.ts";
import { type Failure, makeFailure } from "../../../core/contract/failure.ts";
import type { AttemptEnd, JobClaim } from "../../../core/contract/gate/job.ts";
import type { Deployment } from "../../../cloudflare/deployed.ts";
import { ByteBudget } from "../../../core/egress/byte-budget.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { withAccount } from "../../../feature/caller.ts";
import { tellAttempt } from "../../../core/observe/attempt-line.ts";
import { Watch } from "../../../core/observe/watch.ts";
import { failedAttempt, inDoubtAt } from "../../../core/run/run-attempt.ts";
import { type BatchReport, callBackground, type KeptBatch, readKeptBatch, runIdOf } from "../batch-job.ts";
import { mayDo } from "../../../core/contract/gate/caller.ts";
import { AnswerBudget, mergeAnswered, toEnvelopeJson } from "../../../core/answer/envelope.ts";
import { fromStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import { fitAnswer } from "../../../core/answer/fit-answer.ts";
import { type Batch, parseBatch } from "../../../core/contract/batch.ts";
import { parseExact } from "../../../core/contract/json.ts";
import type { Outcome } from "../../../core/contract/outcome.ts";
import { admit } from "../../../core/gate/admission.ts";
import type { Execution, Inside, KeptAgain, Resumed, RunnableBatch } from "../../../core/gate/execution.ts";
import { makePlan } from "../../../core/plan/make-plan.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import { keepWrites, recalled } from "../../../core/run/execute/executor.ts";
import { holdToReceipt } from "../../../core/run/execute/show-plan.ts";
import { runAdmitted } from "../../../core/run/run-admitted.ts";
import { ELEMENT, type KeptStep } from "../../flows/flow-run.ts";
import type { Ran } from "../../flows/run/first-cause.ts";
import { LongLoops } from "../../flows/run/long-loops.ts";
import { toEnd } from "../../flows/run/run-job.ts";
import {
  isLoop,
  isUnfinished,
  keepStep,
  resumeRun,
  RunJournal,
  withoutCut,
} from "../../flows/run/run-journal.ts";
import { BatchLedger } from "../batch-ledger.ts";
import { NO_STEP } from "../batch-results.ts";

/** The route of no request: by it the log of runs knows where a run came from. */
const ROUTE = "background";

/** Make one attempt of a batch in the background in its tenant's object, which lives on while it is under way. */
export async function attemptBatch(
  claim: JobClaim,
  deployment: Deployment,
  slots: Semaphore | undefined,
): Promise<void> {
  const { spec, fence } = claim;
  const { caller, deadlineMs, callback, keptAs, again } = readKeptBatch(spec.toolJson ?? "");
  const { clock, telemetry } = deployment.ports;
  const requestId = spec.origin?.requestId ?? spec.id;
  const watch = new Watch({ clock, requestId, telemetry });
  watch.route = ROUTE;
  const opened = deployment.contextOf(caller, { requestId, defer: () => {}, watch });
  const context = withAccount(opened, spec.origin?.account);
  const startedAt = clock.now();
  const { options, upstreams } = context;
  const { share } = upstreams;
  const budget = new ByteBudget(options.requestResponseBytes, LIMITS.responseReserveBytes, { share });
  const made = await attempt(async () => {
    const catalog = await context.currentCatalog();
    const execution = { ...context, catalog, callback, signal: new AbortController().signal };
    return runBatch(claim, execution, {
      deadlineMs,
      keptAs,
      again,
      slots: slots ?? new Semaphore(options.headerSlots),
      budget,
    });
  });
  const report = made.ok ? made.value : BROKEN_OFF;
  if (report !== null) {
    const { end } = report;
    tellAttempt(telemetry, { claim, end, durationMs: Math.max(0, clock.now() - startedAt) });
    await callBackground(context.gate, "settle", spec.id, fence, report);
  }
  budget.release();
}

/** The end that a bug, or an object that could not be asked, leaves behind. The sent writes are written down. */
const BROKEN_OFF: BatchReport = {
  end: failedAttempt(makeFailure("INTERNAL", { retryable: true, hint: "The attempt broke off." })),
  results: [],
};

type RunBatchOptions = Pick<Inside, "slots" | "budget"> & Pick<KeptBatch, "deadlineMs" | "keptAs" | "again">;

/**
 * Make one attempt of a batch in the background: run what earlier attempts have left, for as long as one attempt may take. The
 * rest is the next attempt's, which does not count as one more and waits for its turn.
 *
 * Null where the attempt has lost its job before it began. Rejects where what earlier attempts left cannot be read: the batch then
 * waits for its lease.
 */
export async function runBatch(
  claim: JobClaim,
  around: Execution,
  { deadlineMs, keptAs, again, slots, budget }: RunBatchOptions,
): Promise<BatchReport | null> {
  const { gate, ports, defer } = around;
  const { clock } = ports;
  const { spec, fence } = claim;
  const batch = await planBatch(claim, around, again);
  if (!batch.ok) return { end: failedAttempt(batch.error), results: [] };
  const { plan: made, asked, remembering } = batch.value;
  const kept = keepWrites(made, keptAs, remembering);
  if (!kept.ok)
    return { end: failedAttempt(makeFailure("INVALID_ARGS", { hint: kept.error.hint })), results: [] };
  const [planned, execution] = kept.value;
  const stepOf = (id: string): number => planned.steps.findIndex((step) => step.id === id);
  const done = (again?.loops ?? []).map(({ id, ...from }) => ({ ...from, to: stepOf(id) }));
  const opened = await callBackground(gate, "open", spec.id, fence, { deadlineMs, done });
  if (opened === null) return null;
  const { endsAt } = opened;
  if (asked.planReceipt !== undefined && opened.kept.length === 0) {
    const held = await holdToReceipt({ ...asked, keptAs }, planned, execution);
    if (!held.ok) throw new Error(held.error.refusal.hint);
    const [{ refused }] = held.value;
    if (refused !== undefined) return { end: failedAttempt(toFailure(refused)), results: [] };
  }
  const plan: Plan = { ...planned, deadlineMs: Math.max(1, endsAt - clock.now()) };
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  const closing = new AbortController();
  const endSlice = clock.after(LIMITS.batchSliceMs, () => closing.abort());
  const ledger = new BatchLedger({ plan, claim, gate, onLost: stop });
  const entries = opened.kept.map((result) => ledger.toStep(result));
  const answer = new AnswerBudget(2);
  const loopBytes = LIMITS.batchResultsBytes / 2;
  const loops = new LongLoops({
    claim,
    ledger,
    kept: entries,
    execution,
    batchId: runIdOf(spec),
    answer,
    keptBytes: loopBytes,
    loops: plan.steps.filter(isLoop).length,
    isShown: true,
    asks: again !== undefined && execution.hooks?.beforeStep !== undefined,
    closing,
    hasFailed: (json) => ledger.hasFailed(json),
    isNeeded: ({ index }) => plan.steps.some(({ needs }) => needs.includes(index)),
    onLoop: (step, elements) => ledger.count(step, elements),
    resume: (slice, resumed) => withKeys(slice, again?.keys ?? {}, resumed),
  });
  const journal = new RunJournal({
    plan,
    ledger,
    defer,
    runLoop: loops.run,
    keptBytes: loopBytes,
    isShown: true,
  });
  const own: Execution = {
    ...execution,
    within: {
      inside: { signal: stopping.signal, endsAt, slots, budget },
      isCounted: true,
      batchId: runIdOf(spec),
      runOf: { runId: spec.id, ...(again?.tool !== undefined && { tool: again.tool }) },
      ...(again && { outer: again.parent, again: again.source }),
      resumed: {
        ...withKeys(
          plan,
          again?.keys ?? {},
          resumeRun(plan, claim, keptSteps(plan, entries), (json) => ledger.hasFailed(json)),
        ),
        journal,
      },
      answer,
    },
  };
  const admission = await admit(plan, own);
  if (!admission.ok) {
    endSlice();
    const end = failedAttempt(makeFailure("OVERLOADED", { hint: admission.error.refusal.hint }));
    return { end, results: [], total: ledger.total };
  }
  const goesOn = (ended: readonly Outcome[]): boolean =>
    clock.now() < endsAt && [...ended, ...loops.failures].some(isUnfinished);
  const ways = { lost: stopping.signal, closing: closing.signal, goesOn };
  const ran = await runAdmitted(admission.value, own, ways);
  endSlice();
  const { outcomes, release: _, ...measures } = ran;
  const measured = { ...measures, batchId: runIdOf(spec) };
  const inner = again?.tool === undefined ? undefined : execution.catalog.get(again.tool)?.inner;
  const withAnswer = (
    json: string,
    ran: { readonly plan: Plan; readonly outcomes: readonly Outcome[] },
  ): string => (inner as RunnableBatch | undefined)?.withAnswer(json, ran) ?? json;
  const whole = answerWhole(admission.value.admitted.plan, outcomes, again);
  const write = (shown: readonly Outcome[]): string => {
    const envelope = withAnswer(toEnvelopeJson(whole.plan, shown, measured), { ...whole, outcomes: shown });
    return again === undefined ? envelope : `${envelope.slice(0, -1)},"parent":"${again.parent}"}`;
  };
  const isOver = clock.now() >= endsAt;
  const end = goesOn(outcomes) ? CONTINUED : toBatchEnd({ plan, outcomes }, { claim, loops, isOver });
  const mostBytes = Math.floor(loopBytes / plan.steps.length);
  const byId = new Map(plan.steps.map(({ id, index }) => [id, outcomes[index]!]));
  const told = plan.steps.flatMap((step) => {
    const outcome = outcomes[step.index]!;
    // The next attempt says what becomes of it.
    const cause = outcome.status === "skipped" ? byId.get(outcome.because) : outcome;
    if (end === CONTINUED && (isLoop(step) || (cause && isUnfinished(cause)))) return [];
    return toEntry(step, outcome, journal.roomOf(step, mostBytes)) ?? [];
  });
  const results = [...(end === CONTINUED ? [] : loops.untold), ...told].map((entry) =>
    ledger.toResult(entry),
  );
  const runJson = JSON.stringify({ run_id: runIdOf(spec) });
  return {
    end: {
      ...end,
      ...(end.kind === "succeeded" && { dataJson: withAnswer(runJson, { plan, outcomes }) }),
      ...inDoubtAt([...outcomes, ...loops.failures]),
    },
    envelopeJson: fitAnswer(write(whole.outcomes), whole.outcomes, { write, limit: LIMITS.jobDataBytes }),
    results,
    total: ledger.total,
  };
}

/** Time is up for this attempt, and not for the batch. */
const CONTINUED: AttemptEnd = { kind: "continued" };

/** Say of a batch that was recorded that its plan is not the one that was agreed to. */
const toFailure = ({ hint }: Refusal): Failure => makeFailure("TOOL_CHANGED", { hint });

/** Plan the batch as it was sent, with the tools that its key may call now. */
async function planBatch(
  { spec }: JobClaim,
  execution: Execution,
  again: KeptAgain | undefined,
): Promise<Result<{ readonly plan: Plan; readonly asked: Batch; readonly remembering: Execution }, Failure>> {
  const { caller, hooks } = execution;
  const batch = parseBatch(parseExact(spec.argsJson), spec.argsJson.length);
  if (!batch.ok) return err(makeFailure("INVALID_ARGS", { hint: batch.error.hint }));
  const { entries, dryRun, skipApproval } = batch.value;
  const maySkipApproval = mayDo(caller, "skip_approval");
  const remembering = await recalled(skipApproval && maySkipApproval ? [] : entries, execution);
  const plan = makePlan(batch.value, remembering.catalog, {
    maySkipApproval,
    isLong: true,
    held: await hooks?.beforeStep?.hold({ entries, dryRun }, execution),
    ...(again && { given: givenOf(again), asksFirst: new Map(again.asksFirst) }),
  });
  if (!plan.ok) return err(makeFailure("INVALID_ARGS", { hint: plan.error.hint }));
  // An unfinished step is left to the next attempt; a job of it would belong to another batch.
  const steps = plan.value.steps.map((step) => {
    const jobKey = again?.jobKeys[step.id];
    const isLooked = again?.loops?.some(({ id }) => id === step.id) === true;
    return { ...step, ...(jobKey !== undefined && { jobKey }), ...(isLooked && { doubted: true as const }) };
  });
  return ok({ plan: { ...plan.value, steps, demotes: false }, asked: batch.value, remembering });
}

/** The answer of a rerun has what its run had done before, too. */
function answerWhole(
  plan: Plan,
  outcomes: readonly Outcome[],
  again: KeptAgain | undefined,
): ReturnType<typeof mergeAnswered> {
  if (again?.order === undefined) return { plan, outcomes };
  const budget = new ByteBudget(Number.MAX_SAFE_INTEGER, 0, { values: Number.MAX_SAFE_INTEGER });
  const order = again.order.map((one) => {
    if (typeof one === "string") return one;
    const { outcomeJson, ...step } = one;
    return [{ ...NO_STEP, ...step }, fromStoredOutcome(outcomeJson, budget)] as const;
  });
  return mergeAnswered(order, plan, outcomes);
}

function givenOf({ givenJson }: KeptAgain): ReadonlyMap<string, unknown> {
  return new Map(parseExact(givenJson) as [string, unknown][]);
}

/** Have upstreams know the writes of a batch by the keys of their first attempts. */
function withKeys(
  { steps }: Pick<Plan, "steps">,
  keys: KeptAgain["keys"],
  { asked, claimed, ...resumed }: Omit<Resumed, "journal">,
): Omit<Resumed, "journal"> {
  const keyed = steps.flatMap(({ id, index, task }) => {
    const [action = "", element] = id.split(ELEMENT);
    const key = task.ok && task.value.tool.execution === "sync" ? keys[action] : undefined;
    const seed = key === undefined || element === undefined ? key : `${key}:${element}`;
    return seed === undefined ? [] : [{ index, key: id, fingerprint: "", seed }];
  });
  const states = keyed.map(({ index, seed }) => {
    const known = claimed.actions.find((action) => action.index === index)?.state;
    if (known?.kind === "done") return { index, state: known };
    return { index, state: { kind: "claimed", seed, inDoubt: known?.kind === "claimed" } as const };
  });
  const others = claimed.actions.filter(({ index }) => keyed.every((action) => action.index !== index));
  return {
    ...resumed,
    asked: { ...asked, actions: keyed },
    claimed: { ...claimed, actions: [...others, ...states] },
  };
}

/** The steps of earlier attempts that are not run again. A loop is put together anew of its elements. */
function keptSteps({ steps }: Plan, kept: readonly KeptStep[]): readonly KeptStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return withoutCut(steps, kept).filter(({ id, outcomeJson }) => {
    const step = byId.get(id);
    if (step === undefined) return false;
    if (outcomeJson === null) return true;
    const { status } = JSON.parse(outcomeJson) as Pick<Outcome, "status">;
    if (isLoop(step)) return status === "pending_confirmation";
    return status !== "skipped";
  });
}

/** Say how an attempt ended after which there is time left, or none: then nothing is tried again. */
function toBatchEnd(
  ran: Pick<Ran, "plan" | "outcomes">,
  { claim, loops, isOver }: { readonly claim: JobClaim; readonly loops: LongLoops; readonly isOver: boolean },
): AttemptEnd {
  const end = toEnd({ ...ran, answer: undefined }, { claim, elements: loops.failures });
  if (!isOver || !("error" in end)) return end;
  return { kind: end.kind === "unknown" ? "unknown" : "failed", error: { ...end.error, retryable: false } };
}

/** Make the entry of a step; of a loop without its elements, which have their own. */
function toEntry({ id, ...step }: Step, outcome: Outcome, mostBytes: number): KeptStep | null {
  if (outcome.status === "skipped") {
    const { status, error, because } = outcome;
    return { id, outcomeJson: JSON.stringify({ status, error, because, meta: {} }) };
  }
  return keepStep(id, isLoop(step) ? withoutElements(outcome) : outcome, { mostBytes, isShown: true });
}

function withoutElements(outcome: Outcome): Outcome {
  const { status, meta } = outcome;
  if (status === "success") return { status, data: [], json: "[]", meta };
  return status === "error" || status === "unknown" ? { status, error: outcome.error, meta } : outcome;
}
