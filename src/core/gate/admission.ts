import type { IdempotencyAnswer, IdempotencyRequest } from "../contract/gate/idempotency.ts";
import type { Origin } from "../contract/gate/caller.ts";
import { reseedJob } from "../contract/gate/job-shard.ts";
import type { JobOrigin, JobSpec } from "../contract/gate/job.ts";
import type { Refusal } from "../contract/refusal.ts";
import { attempt, err, ok, type Result } from "../kit/result.ts";
import type { Plan, Step } from "../plan/step.ts";
import { admitPlan, type Admitted, beganBefore, type Refused } from "./admit-plan.ts";
import { bindPlan } from "./bind-plan.ts";
import { abandonKeys, ClaimedKeys, type FingerprintOf } from "./claimed-keys.ts";
import type { InSpan, Ports } from "../egress/ports.ts";
import type { Execution, Resumed } from "./execution.ts";
import { createMakeJob, type MakeJob, makeJobs } from "./make-job.ts";
import { fingerprintResolved } from "./read-keys.ts";
import { StepIds } from "./step-ids.ts";

/** A plan that may run, and what running it goes by. */
export interface Admission {
  readonly startedAt: number;
  readonly admitted: Admitted;
  readonly jobs: ReadonlyMap<number, JobSpec>;
  /** Made when something needs a name outside: a job, an upstream's idempotency key. */
  readonly ids: () => StepIds;
  readonly batchId: () => string;
  readonly jobOrigin: () => JobOrigin;
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
  const { caller, origin, ports, gate, countAlone, options, defer, listener, within, callback } = execution;
  const { resumed, isCounted = false } = within ?? {};
  const startedAt = ports.clock.now();
  const plan = planned.steps.some(asksDeployment) ? bindPlan(planned, execution) : planned;
  const idempotency = keysOf === undefined ? null : await keysOf(plan);
  // Jobs that something looks after are with it.
  const { keeper } = execution.hooks ?? {};
  const headerSlots = keeper ? Number.POSITIVE_INFINITY : options.headerSlots;
  const ids = once(() => (resumed === undefined ? new StepIds(ports, idempotency) : idsOf(resumed, ports)));
  const batchId = once(() => within?.batchId ?? ports.newId());
  const jobOrigin = (): JobOrigin => ({
    ...origin,
    batchId: batchId(),
    askedAt: startedAt,
    ...(callback !== undefined && { callback }),
  });
  const makeJob = once(() =>
    createMakeJob(plan, {
      ids: ids(),
      headerSlots,
      origin: jobOrigin,
      facts: keeper?.facts(plan, { execution, batchId: batchId() }),
    }),
  );
  const own = { startedAt, ids, batchId, jobOrigin, makeJob };
  const { refused } = plan;
  if (refused !== undefined) {
    const kept = await findKept({ ...plan, refused }, idempotency, execution);
    return kept.ok ? ok({ ...own, admitted: kept.value, jobs: NO_JOBS, keys: null }) : kept;
  }
  const jobs = plan.steps.some(isBackground) ? makeJobs(plan, makeJob()) : NO_JOBS;
  const retaken = resumed?.retaken;
  const asked = { jobs, idempotency, countAlone, isCounted, retaken };
  const { inSpan } = ports;
  const asking = () => admitPlan(plan, asked, { caller, gate });
  const admitted = await (inSpan === undefined ? asking() : traceAdmission(asking, inSpan, { plan, origin }));
  if (!admitted.ok) {
    if (idempotency !== null && admitted.error.refusal.code === "UNAVAILABLE")
      defer(attempt(() => gate.complete(abandonKeys(idempotency))));
    return admitted;
  }
  const { quota, replay, claimed } = admitted.value;
  if (replay === null) listener?.onAdmitted?.(quota);
  const admission = { ...own, admitted: admitted.value };
  const fingerprintOf: FingerprintOf = (step, prepared) =>
    fingerprintResolved(step, prepared, { caller, ports });
  const keysFor = (asked: IdempotencyRequest, answer: IdempotencyAnswer): ClaimedKeys =>
    new ClaimedKeys(plan, asked, { answer, fingerprintOf });
  if (resumed !== undefined) return ok({ ...admission, jobs, keys: keysFor(resumed.asked, resumed.claimed) });
  if (idempotency === null || claimed === null) return ok({ ...admission, jobs, keys: null });
  ids().take(claimed);
  return ok({ ...admission, jobs: reseed(jobs, ids()), keys: keysFor(idempotency, claimed) });
}

/**
 * Find the answer that the key of a batch has, where nothing of the batch may run: its plan is not the one that was agreed to. Refused
 * where there is none.
 */
export async function findKept(
  { refused: refusal, ...plan }: Plan & { readonly refused: Refusal },
  idempotency: IdempotencyRequest | null,
  { caller, gate }: Pick<Execution, "caller" | "gate">,
): Promise<Result<Admitted, Refused>> {
  if (idempotency === null) return err({ refusal, quota: null });
  const looking = { jobs: NO_JOBS, idempotency, countAlone: () => false, isCounted: true };
  const found = await admitPlan({ ...plan, steps: [] }, looking, { caller, gate });
  if (!found.ok || found.value.replay !== null) return found;
  // An earlier run may have recorded jobs under its seed.
  const mayHaveBegun = beganBefore(idempotency, found.value.claimed);
  await attempt(() => gate.complete(abandonKeys(idempotency, mayHaveBegun ? "release" : "free")));
  return err({ refusal, quota: null, mayHaveBegun });
}

/** Put an admission into a span of the platform's trace: the tenant, how many actions, and whether it was refused. */
function traceAdmission(
  asking: () => ReturnType<typeof admitPlan>,
  inSpan: InSpan,
  { plan, origin }: { readonly plan: Plan; readonly origin: Origin },
): ReturnType<typeof admitPlan> {
  const { tenant, key, requestId, traceId = "" } = origin;
  const attributes = {
    "volley.request_id": requestId,
    "volley.trace_id": traceId,
    "volley.tenant": tenant,
    "volley.key": key,
    "volley.actions": plan.steps.length,
  };
  return inSpan("volley.admission", attributes, async (add) => {
    const admitted = await asking();
    add({ "volley.admitted": admitted.ok ? "yes" : admitted.error.refusal.code });
    return admitted;
  });
}

function idsOf({ asked, claimed }: Resumed, ports: Ports): StepIds {
  const ids = new StepIds(ports, asked);
  ids.take(claimed);
  return ids;
}

/** Give the jobs of keys that an earlier run began the ids under which the gate has recorded them. */
function reseed(jobs: ReadonlyMap<number, JobSpec>, ids: StepIds): ReadonlyMap<number, JobSpec> {
  const reseeded = new Map(jobs);
  for (const [index, spec] of jobs) {
    const { value, retaken } = ids.seedOf(index);
    if (retaken) reseeded.set(index, reseedJob(spec, value));
  }
  return reseeded;
}

const NO_JOBS: ReadonlyMap<number, JobSpec> = new Map();

function asksDeployment({ task }: Step): boolean {
  if (!task.ok) return false;
  const { tool, callbackUrl, runAt } = task.value;
  const asks = tool.secrets.length > 0 || tool.bindings.length > 0;
  return asks || callbackUrl !== undefined || runAt !== undefined;
}

function isBackground({ task }: Step): boolean {
  return task.ok && task.value.tool.execution === "fire-and-forget";
}

/** Make it when it is first asked for, and only then. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
