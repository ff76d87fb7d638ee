import type { IdempotencyRequest } from "../contract/gate/idempotency.ts";
import type { JobSpec } from "../contract/gate/job.ts";
import { attempt, ok, type Result } from "../kit/result.ts";
import type { Plan, Step } from "../plan/step.ts";
import { admitPlan, type Admitted, type Refused } from "./admit-plan.ts";
import { bindCallbacks } from "./bind-callbacks.ts";
import { abandonKeys, ClaimedKeys } from "./claimed-keys.ts";
import type { Execution } from "./execution.ts";
import { createMakeJob, type MakeJob, makeJobs } from "./make-job.ts";
import { refuseMisconfigured } from "./refuse-unrunnable.ts";
import { StepIds } from "./step-ids.ts";

/** A plan that may run, and what running it goes by. */
export interface Admission {
  readonly startedAt: number;
  readonly admitted: Admitted;
  readonly jobs: ReadonlyMap<number, JobSpec>;
  /** Made when something needs a name outside: a job, an upstream's idempotency key. */
  readonly ids: () => StepIds;
  readonly makeJob: () => MakeJob;
  readonly keys: ClaimedKeys | null;
}

/**
 * Admit a plan in one round trip: bind what it needs of the deployment, give its jobs their ids, claim its keys.
 *
 * @param keysOf the idempotency keys of what can run; none where there are none to read
 */
export async function admit(
  planned: Plan,
  execution: Execution,
  keysOf?: (plan: Plan) => Promise<IdempotencyRequest | null>,
): Promise<Result<Admission, Refused>> {
  const { caller, ports, gate, options, defer, onAdmitted } = execution;
  const startedAt = ports.clock.now();
  const plan = bindToDeployment(planned, execution);
  const idempotency = keysOf === undefined ? null : await keysOf(plan);
  const { headerSlots } = options;
  const ids = once(() => new StepIds(ports, idempotency));
  const makeJob = once(() => createMakeJob(plan, { ids: ids(), headerSlots }));
  const jobs = plan.steps.some(isBackground) ? makeJobs(plan, makeJob()) : NO_JOBS;
  const admitted = await admitPlan(plan, caller, { jobs, idempotency }, gate);
  if (!admitted.ok) {
    if (idempotency !== null && admitted.error.refusal.code === "UNAVAILABLE")
      defer(attempt(() => gate.complete(abandonKeys(idempotency))));
    return admitted;
  }
  const { quota, replay, claimed } = admitted.value;
  if (replay === null) onAdmitted?.(quota);
  if (idempotency === null || claimed === null)
    return ok({ startedAt, admitted: admitted.value, jobs, ids, makeJob, keys: null });
  const claimedIds = once(() => new StepIds(ports, idempotency, claimed));
  return ok({
    startedAt,
    admitted: admitted.value,
    jobs,
    ids: claimedIds,
    makeJob: once(() => createMakeJob(plan, { ids: claimedIds(), headerSlots })),
    keys: new ClaimedKeys(plan, idempotency, claimed),
  });
}

const NO_JOBS: ReadonlyMap<number, JobSpec> = new Map();

function isBackground({ task }: Step): boolean {
  return task.ok && task.value.tool.execution === "fire-and-forget";
}

/** Make it when it is first asked for, and only then. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Turn away what this deployment cannot run, before it costs anyone's quota. Most plans ask for nothing of it. */
export function bindToDeployment(plan: Plan, execution: Execution): Plan {
  let bound = plan;
  if (plan.steps.some(({ task }) => task.ok && task.value.tool.secrets.length > 0))
    bound = refuseMisconfigured(bound, execution.ports);
  if (plan.steps.some(({ task }) => task.ok && task.value.callbackUrl !== undefined))
    bound = bindCallbacks(bound, execution);
  return bound;
}
