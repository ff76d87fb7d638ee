import type { Tool } from "../catalog/define-tool.ts";
import type { QuotaState } from "../contract/gate/admission.ts";
import type { JobSpec } from "../contract/gate/job.ts";
import * as LIMITS from "../contract/limits.ts";
import { keepDoubt, type Outcome } from "../contract/outcome.ts";
import { Semaphore } from "../kit/semaphore.ts";
import type { Prepared } from "../plan/prepare-task.ts";
import type { Call, Plan, Step } from "../plan/step.ts";
import type { Admission } from "../gate/admission.ts";
import { AttemptRunner } from "./attempt-runner.ts";
import { Background } from "./background.ts";
import { ByteBudget } from "../egress/byte-budget.ts";
import { markDegraded } from "../gate/degrade-plan.ts";
import type { CallScope, Parallelism } from "./call-scope.ts";
import { Demotion } from "./demotion.ts";
import { answerBudgetOf, type BatchMeasures } from "../answer/envelope.ts";
import type { Execution, KeptBatch, RunnableBatch } from "../gate/execution.ts";
import { refuseParked, LateOutcomes } from "./fail-parked.ts";
import type { Park } from "../plan/parked-step.ts";
import { keepWhole, recallResults } from "../answer/recall-results.ts";
import { runPlan } from "./run-plan.ts";
import { shapeAlone } from "../answer/shape-outcomes.ts";
import { createStepStarter } from "./start-step.ts";
import { Turn } from "./turn.ts";
import { Verifications } from "./verifications.ts";

/** A plan that ran: one outcome for every step, in its order. */
export interface Executed extends BatchMeasures {
  readonly outcomes: readonly Outcome[];
  readonly quota: QuotaState | null;
  /** The answer is written: what was read for it is held no more. */
  readonly release: () => void;
}

/** The ways in which a run may differ from that of a batch. */
export interface RunWays {
  /** Takes what is parked; unless given the hook records it. */
  readonly park?: Park;
  /** Aborts when another run has taken its keys over; absent where it holds none. */
  readonly lost?: AbortSignal | undefined;
  /** Aborts when nothing more is to begin; what is under way ends as it would. */
  readonly closing?: AbortSignal | undefined;
  /** Whether a later attempt goes on with what ended so. */
  readonly goesOn?: (outcomes: readonly Outcome[]) => boolean;
  /** It has keys, and stops all the same when its caller goes away: they say what was done. */
  readonly listens?: boolean;
}

/** Run what was admitted: one outcome for every step. */
export async function runAdmitted(
  admission: Admission,
  given: Execution,
  ways: RunWays = {},
): Promise<Executed> {
  const execution = heldToAccounts(given, admission.keys?.doubtedSince);
  const { clock } = execution.ports;
  const parallelism: Parallelism = { active: 0, max: 0 };
  const { options, upstreams, within } = execution;
  const { inside } = within ?? {};
  const { share } = upstreams;
  // To weigh and cut data costs as much again as to read it.
  const bytes = options.requestResponseBytes / (admission.admitted.plan.maxTokens === null ? 1 : 2);
  const budget = inside?.budget ?? new ByteBudget(bytes, LIMITS.responseReserveBytes, { share });
  const prepared = (execution.watch?.listeners.length ?? 0) === 0 ? undefined : new Map<number, Call>();
  const { plan, degraded, quota } = admission.admitted;
  const endsAt = clock.now() + plan.deadlineMs;
  const batchId = admission.batchId();
  const kept = execution.hooks?.keeper?.open(plan, { ...admission, execution, batchId, endsAt });
  const ran = await run(admission, { parallelism, budget, ways, prepared, kept }, execution);
  const ended = degraded ? ran.map(markDegraded) : ran;
  const measures = { durationMs: clock.now() - admission.startedAt, maxParallelism: parallelism.max };
  const { outcomes, members } =
    kept === undefined ? { outcomes: ended, members: "" } : await kept.close(ended);
  execution.watch?.sawBatch({
    kind: "run",
    plan,
    outcomes,
    batchId,
    ...measures,
    degraded,
    origin: execution.origin,
    tool: within?.runOf?.tool,
    ...(prepared !== undefined && {
      ran: {
        startedAt: admission.startedAt,
        prepared,
        callKey: (step) => admission.ids().callKey(step, null),
        outer: within?.outer,
        at: within?.at,
        again: within?.again,
        runOf: within?.runOf,
        goesOn: ways.goesOn?.(outcomes),
      },
    }),
    isTool: (name) => execution.catalog.get(name) !== undefined,
  });
  // Inside of another batch the outer batch releases the bytes, when its answer is written.
  const release = (): void => void (inside === undefined && budget.release());
  return { outcomes, quota, release, ...measures, ...(members !== "" && { members }) };
}

/** Have writes use no account that was connected since an earlier run began of which nothing was heard: it may have used another. */
function heldToAccounts(execution: Execution, usedAt: number | undefined): Execution {
  const { account } = execution.origin;
  if (usedAt === undefined || account === undefined) return execution;
  return { ...execution, origin: { ...execution.origin, account: { usedAt, ...account } } };
}

/** Give back the bytes of an answer when it has been read; at once where its reader is not waited for. */
export function untilRead(release: () => void, { listener }: Pick<Execution, "listener">): void {
  if (listener?.onWritten === undefined) release();
  else listener.onWritten(release);
}

interface RunParts {
  readonly parallelism: Parallelism;
  readonly budget: ByteBudget;
  readonly ways: RunWays;
  readonly prepared: Map<number, Call> | undefined;
  readonly kept: KeptBatch | undefined;
}

async function run(
  { admitted, startedAt, jobs, ids, batchId, jobOrigin, makeJob, keys }: Admission,
  { parallelism, budget, ways, prepared, kept }: RunParts,
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { plan, degraded, fences } = admitted;
  const { caller, origin, catalog, ports, options, gate, defer, hooks } = execution;
  const { verifierOf, hidden } = catalog;
  const { inside, resumed, runOf } = execution.within ?? {};
  const { onOutcome, onStarted, onReport } = execution.listener ?? {};
  const { park, closing } = ways;
  const { clock } = ports;
  // Only a write has to be seen through when the caller goes away, and a permit to be given back. Without them the platform ends
  // everything by itself, and neither listening for that nor outliving it is worth its price. A run that is told while it runs
  // outlives the beginning of its response, so it has to be ended here. An answer that is kept for later, under a key or with a
  // person's yes, is seen through.
  const lasting = plan.steps.some(
    ({ task }) => task.ok && (task.value.tool.isWrite || task.value.tool.globalLimits !== null),
  );
  const isKept = (keys !== null && ways.listens !== true) || plan.approved !== undefined;
  const listens = (lasting || onOutcome !== undefined) && !isKept;
  const signal = signalOf(execution, ways.lost, listens);

  /** The run that tells of this batch: a conversation's is one for all of its rounds. */
  const runId = (): string => (execution.within?.outer === undefined && execution.watch?.joined) || batchId();
  const scope: CallScope = {
    ...execution.upstreams,
    origin,
    ports,
    options,
    startedAt,
    slots: inside?.slots ?? new Semaphore(options.headerSlots),
    idle: [],
    budget,
    parallelism,
    onReport,
    runId,
    resends: resumed !== undefined,
    beforeCall: hooks?.beforeCall,
    keepOfJob: hooks?.keepers?.keepOfJob,
    mayLinger: !lasting && signal === null && !isKept && isNarrow(plan, options.headerSlots),
  };
  const answer = execution.within?.answer ?? answerBudgetOf(plan);
  let turn: Turn | undefined;
  const turnOf = (): Turn => (turn ??= new Turn());
  let background: Background | undefined;
  let verifications: Verifications | undefined;
  let late: LateOutcomes | undefined;
  const attemptsEndAt = clock.now() + LIMITS.firstAttemptMs;

  const createBackground = (): Background => {
    // No request waits for these attempts, so they tell no listener; `Background` counts them.
    const { parallelism: _, onReport: __, mayLinger: ___, ...own } = scope;
    const toolOf = ({ tool }: JobSpec): Tool | undefined => catalog.get(tool);
    const attempts = new AttemptRunner(toolOf, () => own);
    const admitted = { ids: ids(), makeJob: makeJob(), jobs, fences };
    const within = { gate, answer, attemptsEndAt, defer, turn: turnOf(), parallelism };
    return new Background({ ...admitted, ...within, attempts });
  };
  const tell = (step: Step, outcome: Outcome): void => {
    resumed?.journal.end(step, outcome);
    kept?.saw(step, outcome);
    if (onOutcome === undefined) return;
    const marked = degraded ? markDegraded(outcome) : outcome;
    onOutcome(step, plan.maxTokens === null ? marked : shapeAlone(marked, plan.maxTokens));
  };
  /** Find out the rest of an outcome before it is told; null where there is nothing to find. */
  const completing = ({ index, toolName }: Step, outcome: Outcome): Promise<Outcome> | null =>
    outcome.status === "success" && outcome.meta.keepsWhole === true && toolName !== null
      ? keepWhole(outcome, toolName, { ports, gate })
      : (verifications?.find(index, outcome) ?? null);
  const maySee = (tool: string | undefined): boolean =>
    caller.tools.includes("*") || (tool !== undefined && catalog.callable(tool) !== undefined);
  const running = runPlan(
    plan,
    createStepStarter({
      plan,
      scope,
      ids,
      gate,
      answer,
      turn: turnOf,
      endsAt: clock.now() + plan.deadlineMs,
      runInner: (call, inside, at) =>
        (call.tool.inner as RunnableBatch).run(call, {
          execution:
            kept === undefined ? execution : { ...execution, hooks: { ...hooks, keeper: kept.inside(at) } },
          inside,
          isApproved: plan.approved !== undefined || catalog.vouchFor(call) !== undefined,
          batchId: batchId(),
          at: { id: at.step.id, element: at.element },
        }),
      prepared,
      journal: resumed?.journal,
      kept,
      isAfterWrite: inside?.isAfterWrite,
      onStarted: plan.tellsStarts && onStarted,
      background: () => (background ??= createBackground()),
      verifications: () => (verifications ??= new Verifications({ verifierOf, hidden, scope })),
    }),
    {
      clock,
      signal,
      closing,
      demotion: plan.demotes
        ? () => new Demotion({ ids: ids(), origin: jobOrigin(), clock, gate, defer })
        : undefined,
      given: plan.given,
      ...(plan.handles.length > 0 && {
        recalling: recallResults(plan.handles, gate, { budget: scope.budget, maySee }),
      }),
      hold: (bytes) => scope.budget.hold(bytes),
      admit: (step, outcome) => answer.admit(step, outcome),
      asks: (call) => catalog.asks(call.tool, call) === true,
      vouchFor: (call) => catalog.vouchFor(call),
      park: (parked, dataOf) => {
        if (park !== undefined) return park(parked, dataOf);
        if (hooks?.beforeStep === undefined) return Promise.resolve(refuseParked(parked));
        return hooks.beforeStep.record(parked, {
          plan,
          dataOf,
          execution,
          runId: runOf?.runId ?? runId(),
          keptAs: kept?.later,
          ...(keys !== null && {
            named: {
              nameOf: (step) => ids().callKey(step, null),
              mayBeParked: ({ index }) => ids().seedOf(index).retaken,
            },
            holder: resumed?.attempt ?? keys.lease ?? undefined,
          }),
        });
      },
      ...(keys !== null && {
        known: keys.known(scope.budget),
        undecided: {
          has: (step: Step) => keys.waits(step.index),
          decide: (step: Step, prepared: Prepared) => keys.decide(step, prepared, scope.budget),
        },
      }),
      ...((keys !== null || plan.steps.some(({ doubted }) => doubted)) && {
        amend: (step: Step, came: Outcome) => {
          const outcome = keys === null ? came : keys.amend(step, came);
          // A loop says it of its elements.
          return step.doubted && outcome.meta.items === undefined ? keepDoubt(outcome) : outcome;
        },
      }),
      onOutcome: (step, outcome) => {
        const known = completing(step, outcome);
        if (known === null) tell(step, outcome);
        else (late ??= new LateOutcomes()).tell(step.index, known, (complete) => tell(step, complete));
      },
    },
  );
  if (lasting) defer(running.then((result) => result.drain()));
  const { outcomes } = await running;
  return late === undefined ? outcomes : late.applyTo(outcomes);
}

/** The signal that stops a batch: its caller going away, where it listens for that, and the loss of its keys, where it holds any. */
function signalOf(
  { signal }: Execution,
  lost: AbortSignal | undefined,
  listens: boolean,
): AbortSignal | null {
  if (lost === undefined) return listens ? signal : null;
  return listens ? AbortSignal.any([signal, lost]) : lost;
}

/** Whether every step is one sync call that is made once, and all of them have a header slot at the same time. */
function isNarrow({ steps }: Plan, headerSlots: number): boolean {
  return (
    steps.length <= headerSlots &&
    steps.every(({ task }) => {
      if (!task.ok) return true;
      const { tool, forEach } = task.value;
      return forEach === undefined && tool.execution === "sync" && tool.orchestration.backoff === undefined;
    })
  );
}
