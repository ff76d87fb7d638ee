import type { IdempotencyRequest } from "../contract/gate/idempotency.ts";
import type { JobSpec } from "../contract/gate/job.ts";
import { ok, type Result } from "../kit/result.ts";
import type { Plan } from "../plan/step.ts";
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
  readonly ids: StepIds;
  readonly makeJob: MakeJob;
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
  const plan = bindCallbacks(refuseMisconfigured(planned, ports), execution);
  const idempotency = keysOf === undefined ? null : await keysOf(plan);
  const ids = new StepIds(ports, idempotency);
  const { headerSlots } = options;
  const makeJob = createMakeJob(plan, { ids, headerSlots });
  const jobs = makeJobs(plan, makeJob);
  const admitted = await admitPlan(plan, caller, { jobs, idempotency }, gate);
  if (!admitted.ok) {
    if (idempotency !== null && admitted.error.refusal.code === "UNAVAILABLE")
      defer(gate.complete(abandonKeys(idempotency)).catch(() => {}));
    return admitted;
  }
  const { quota, replay, claimed } = admitted.value;
  if (replay === null) onAdmitted?.(quota);
  if (idempotency === null || claimed === null)
    return ok({ startedAt, admitted: admitted.value, jobs, ids, makeJob, keys: null });
  const claimedIds = new StepIds(ports, idempotency, claimed);
  return ok({
    startedAt,
    admitted: admitted.value,
    jobs,
    ids: claimedIds,
    makeJob: createMakeJob(plan, { ids: claimedIds, headerSlots }),
    keys: new ClaimedKeys(plan, idempotency, claimed),
  });
}
