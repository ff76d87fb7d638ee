import type { QuotaState } from "../contract/gate/admission.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import { Semaphore } from "../kit/semaphore.ts";
import type { Step } from "../plan/step.ts";
import type { Admission } from "../gate/admission.ts";
import { AttemptRunner } from "./attempt-runner.ts";
import { Background } from "./background.ts";
import { ByteBudget } from "../egress/byte-budget.ts";
import { markDegraded } from "../gate/degrade-plan.ts";
import type { CallScope } from "./call-scope.ts";
import { Demotion } from "./demotion.ts";
import type { BatchMeasures } from "../answer/envelope.ts";
import type { Execution } from "../gate/execution.ts";
import { Parallelism } from "../answer/parallelism.ts";
import { createIslandParking } from "../approve/park-islands.ts";
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
  const parallelism = new Parallelism();
  const outcomes = await run(admission, parallelism, execution);
  return {
    outcomes: admission.admitted.degraded ? outcomes.map(markDegraded) : outcomes,
    quota: admission.admitted.quota,
    durationMs: clock.now() - admission.startedAt,
    maxParallelism: parallelism.max,
  };
}

async function run(
  { admitted, jobs, ids, makeJob, keys }: Admission,
  parallelism: Parallelism,
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { plan, degraded, fences } = admitted;
  const { caller, catalog, ports, options, gate, defer, onOutcome } = execution;
  const { clock } = ports;
  const scope: CallScope = {
    ...execution,
    slots: new Semaphore(options.headerSlots),
    budget: new ByteBudget(options.requestResponseBytes),
    parallelism,
  };
  const turn = new Turn();
  let background: Background | undefined;
  let verifications: Verifications | undefined;
  const attemptsEndAt = clock.now() + LIMITS.firstAttemptMs;

  // Only a write has to be seen through when the caller goes away, and a permit to be given back. Without them the
  // platform ends everything by itself, and neither listening for that nor outliving it is worth its price. What is told
  // while it runs outlives the beginning of its response, so it has to be ended here. Under a key everything is seen through.
  const lasting = plan.steps.some(
    ({ task }) => task.ok && (task.value.tool.isWrite || task.value.tool.globalLimits !== null),
  );
  const listens = (lasting || onOutcome !== undefined) && keys === null;
  const signal = listens ? execution.signal : null;

  const createBackground = (): Background => {
    // Nobody waits for these attempts, so they count for nothing of the batch and tell nobody.
    const { parallelism: _, onReport: __, ...own } = scope;
    const attempts = new AttemptRunner(catalog, () => own);
    return new Background({ ids, makeJob, jobs, fences, gate, attempts, attemptsEndAt, defer, turn });
  };
  const tell = (step: Step, outcome: Outcome): void =>
    onOutcome?.(step, shapeAlone(degraded ? markDegraded(outcome) : outcome, plan.maxTokens));
  const running = runPlan(
    plan,
    createStepStarter({
      plan,
      scope,
      ids,
      gate,
      turn,
      endsAt: clock.now() + plan.deadlineMs,
      background: () => (background ??= createBackground()),
      verifications: () => (verifications ??= new Verifications({ verifierOf: catalog.verifierOf, scope })),
    }),
    {
      clock,
      signal,
      demotion: plan.demotes ? () => new Demotion({ ids, clock, gate, defer }) : undefined,
      recalled: plan.approved?.results ?? (await recallResults(plan.handles, gate)),
      park: createIslandParking(plan, { caller, ports, gate }),
      ...(keys !== null && {
        known: keys.known(),
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
