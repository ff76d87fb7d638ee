import type { QuotaState } from "../contract/gate/admission.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import { Semaphore } from "../kit/semaphore.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { Admission } from "../gate/admission.ts";
import { AttemptRunner } from "./attempt-runner.ts";
import { Background } from "./background.ts";
import { ByteBudget } from "../egress/read-body.ts";
import { markDegraded } from "../gate/degrade-plan.ts";
import type { CallScope, Parallelism } from "./call-scope.ts";
import { Demotion } from "./demotion.ts";
import { answerBudgetOf, type BatchMeasures } from "../answer/envelope.ts";
import type { Execution } from "../gate/execution.ts";
import { createGroupParking } from "../approve/park-groups.ts";
import { recallResults } from "../answer/recall-results.ts";
import { runPlan } from "./run-plan.ts";
import { shapeAlone } from "../answer/shape-outcomes.ts";
import { createStepStarter } from "./start-step.ts";
import { Turn } from "./turn.ts";
import { Verifications } from "./verifications.ts";

/** A plan that ran: one outcome for every step, in its order. */
export interface Executed extends BatchMeasures {
  readonly outcomes: readonly Outcome[];
  readonly quota: QuotaState | null;
}

/** Run what was admitted: one outcome for every step. */
export async function runAdmitted(admission: Admission, execution: Execution): Promise<Executed> {
  const { clock } = execution.ports;
  const parallelism: Parallelism = { active: 0, max: 0 };
  const ran = await run(admission, parallelism, execution);
  const { plan, degraded, quota } = admission.admitted;
  const outcomes = degraded ? ran.map(markDegraded) : ran;
  const measures = { durationMs: clock.now() - admission.startedAt, maxParallelism: parallelism.max };
  execution.watch?.sawBatch({
    kind: "run",
    plan,
    outcomes,
    batchId: admission.batchId(),
    ...measures,
    degraded,
    origin: execution.origin,
    isTool: (name) => execution.catalog.get(name) !== undefined,
  });
  return { outcomes, quota, ...measures };
}

async function run(
  { admitted, jobs, ids, jobOrigin, makeJob, keys }: Admission,
  parallelism: Parallelism,
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { plan, degraded, fences } = admitted;
  const { caller, origin, requestUrl, catalog, ports, options, gate, defer } = execution;
  const { onOutcome, inside, runFlow, resumed } = execution;
  const { clock } = ports;
  // Only a write has to be seen through when the caller goes away, and a permit to be given back. Without them the
  // platform ends everything by itself, and neither listening for that nor outliving it is worth its price. What is told
  // while it runs outlives the beginning of its response, so it has to be ended here. What is kept for whoever asks later,
  // under a key or with a confirmation, is seen through.
  const lasting = plan.steps.some(
    ({ task }) => task.ok && (task.value.tool.isWrite || task.value.tool.globalLimits !== null),
  );
  const isKept = keys !== null || plan.approved !== undefined;
  const listens = (lasting || onOutcome !== undefined) && !isKept;
  const signal = listens ? execution.signal : null;

  const { health, onOpened, cache, toolGates, onReport } = execution;
  const scope: CallScope = {
    origin,
    ports,
    options,
    slots: inside?.slots ?? new Semaphore(options.headerSlots),
    budget:
      inside?.budget ??
      new ByteBudget(
        // To weigh and cut data costs as much again as to read it.
        options.requestResponseBytes / (plan.maxTokens === null ? 1 : 2),
        LIMITS.responseReserveBytes,
      ),
    toolGates,
    health,
    onOpened,
    cache,
    parallelism,
    onReport,
    resends: resumed !== undefined,
    mayLinger: !lasting && signal === null && !isKept && isNarrow(plan, options.headerSlots),
  };
  const answer = execution.answer ?? answerBudgetOf(plan);
  let turn: Turn | undefined;
  const turnOf = (): Turn => (turn ??= new Turn());
  let background: Background | undefined;
  let verifications: Verifications | undefined;
  const attemptsEndAt = clock.now() + LIMITS.firstAttemptMs;

  const createBackground = (): Background => {
    // Nobody waits for these attempts, so they count for nothing of the batch and tell nobody.
    const { parallelism: _, onReport: __, mayLinger: ___, ...own } = scope;
    const attempts = new AttemptRunner(
      ({ tool }) => catalog.get(tool),
      () => own,
    );
    return new Background({
      ids: ids(),
      makeJob: makeJob(),
      jobs,
      fences,
      gate,
      answer,
      attempts,
      attemptsEndAt,
      defer,
      turn: turnOf(),
    });
  };
  const tell = (step: Step, outcome: Outcome): void => {
    resumed?.journal.end(step, outcome);
    if (onOutcome === undefined) return;
    const marked = degraded ? markDegraded(outcome) : outcome;
    onOutcome(step, plan.maxTokens === null ? marked : shapeAlone(marked, plan.maxTokens));
  };
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
      runFlow,
      journal: resumed?.journal,
      background: () => (background ??= createBackground()),
      verifications: () =>
        (verifications ??= new Verifications({
          verifierOf: catalog.verifierOf,
          hidden: catalog.hidden,
          scope,
        })),
    }),
    {
      clock,
      signal,
      demotion: plan.demotes
        ? () => new Demotion({ ids: ids(), origin: jobOrigin(), clock, gate, defer })
        : undefined,
      given: plan.given,
      ...(plan.handles.length > 0 && { recalling: recallResults(plan.handles, gate, scope.budget) }),
      admit: (step, outcome) => answer.admit(step, outcome),
      park: (parked, dataOf) => createGroupParking(plan, { caller, ports, gate, requestUrl })(parked, dataOf),
      ...(keys !== null && {
        known: keys.known(scope.budget),
        amend: (step: Step, outcome: Outcome) => keys.amend(step, outcome),
      }),
      onOutcome: (step, outcome) => {
        if (verifications === undefined) tell(step, outcome);
        else verifications.tell(step.index, outcome, (known) => tell(step, known));
      },
    },
  );
  if (lasting) defer(running.then((result) => result.drain()));
  const { outcomes } = await running;
  return verifications === undefined ? outcomes : verifications.applyTo(outcomes);
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
