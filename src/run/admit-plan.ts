import type { Tool } from "../catalog/define-tool.ts";
import type { AdmissionAnswer, AdmissionRequest, QuotaState, RateLimit } from "../contract/admission.ts";
import type { Caller } from "../contract/caller.ts";
import { type Claim, refuseClaim } from "../contract/confirmation.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JobSpec } from "../contract/job.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { findTwins } from "../plan/find-twins.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { Gate } from "./ports.ts";

/** A plan that may run. */
export interface Admitted {
  /** The plan with every action that the gate turned away as a failure in its place. */
  readonly plan: Plan;
  readonly quota: QuotaState | null;
  /** For every job that is durably recorded, by step, the fence of its first attempt; null when it is the alarm's. */
  readonly fences: ReadonlyMap<number, number | null>;
}

/** A batch of which nothing ran. */
export interface Refused {
  readonly refusal: Refusal;
  readonly quota: QuotaState | null;
}

/**
 * Ask the tenant's gate for everything a plan needs, in one round trip: the caller's quota, every tool's rate limit,
 * the recording of its jobs.
 *
 * Fails closed: when the gate cannot be reached, nothing runs.
 */
export async function admitPlan(
  plan: Plan,
  caller: Caller,
  jobs: ReadonlyMap<number, JobSpec>,
  gate: Gate,
): Promise<Result<Admitted, Refused>> {
  // What another's call answers draws nothing, and is denied with it.
  const twins = findTwins(plan, (tool) => toLimit(tool) !== null);
  const { approved } = plan;
  const answer = await ask(toRequest(plan, { caller, jobs, twins }), caller, (request) =>
    approved === undefined ? admit(request, gate) : approve(approved.claim, request, gate),
  );
  if (!answer.ok) return answer;
  const { quota, recorded } = answer.value;
  const fences = new Map(recorded.map(({ index, fence }) => [index, fence]));
  return ok({ plan: withDenials(plan, answer.value, twins), quota, fences });
}

/** Count a request that runs nothing against the caller's quota. */
export async function countRequest(caller: Caller, gate: Gate): Promise<Result<QuotaState | null, Refused>> {
  const answer = await ask(
    { quota: toQuota(caller), draws: [], jobs: [], allOrNothing: false },
    caller,
    (request) => admit(request, gate),
  );
  return answer.ok ? ok(answer.value.quota) : answer;
}

type Admit = (request: AdmissionRequest) => Promise<Result<AdmissionAnswer, Refusal>>;

async function admit(request: AdmissionRequest, gate: Gate): Promise<Result<AdmissionAnswer, Refusal>> {
  try {
    return ok(await gate.admit(request));
  } catch {
    return err(unreachable(request.jobs.length > 0));
  }
}

/** The same in one turn with the claim on the confirmation that allows it. */
async function approve(
  claim: Claim,
  request: AdmissionRequest,
  gate: Gate,
): Promise<Result<AdmissionAnswer, Refusal>> {
  try {
    const answer = await gate.approve(claim, request);
    return answer.refused === null ? ok(answer.admission) : err(refuseClaim(answer.refused));
  } catch {
    const hint =
      "The confirmation could not be claimed in time, and nothing was run now. Look at it before deciding again: what was claimed all the same is over, or may run in the background where it is background work.";
    return err(makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 }));
  }
}

async function ask(
  request: AdmissionRequest,
  caller: Caller,
  admit: Admit,
): Promise<Result<AdmissionAnswer, Refused>> {
  const admitted = await admit(request);
  if (!admitted.ok) return err({ refusal: admitted.error, quota: null });
  const answer = admitted.value;
  const { quota } = answer;
  if (quota !== null && !quota.allowed) {
    const hint = `The key may send ${caller.quota.limit} requests every ${caller.quota.windowS} s; wait before the next one.`;
    return err({ refusal: makeRefusal("QUOTA_EXCEEDED", hint, { retryAfterMs: quota.retryAfterMs }), quota });
  }
  return ok(answer);
}

/** A gate that did not answer may still have recorded what it was sent; only without jobs is it certain that nothing ran. */
function unreachable(withJobs: boolean): Refusal {
  const hint = withJobs
    ? "The limiter did not answer in time. Nothing was run now, but the background actions may have been recorded: look before sending them again."
    : "The limiter could not be reached; nothing ran. Send the same request again.";
  return makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 });
}

interface Asked {
  readonly caller: Caller;
  readonly jobs: ReadonlyMap<number, JobSpec>;
  readonly twins: ReadonlyMap<number, number>;
}

function toRequest(plan: Plan, { caller, jobs, twins }: Asked): AdmissionRequest {
  const failFast = plan.onError === "fail-fast";
  const doomed = failFast && plan.steps.some(({ task }) => !task.ok);
  const draws = plan.steps.flatMap((step) => (twins.has(step.index) ? [] : toDraw(step)));
  const recordable = doomed ? [] : [...jobs];
  return {
    quota: toQuota(caller),
    draws: doomed ? [] : draws,
    jobs: recordable.map(([index, spec]) => ({ index, spec })),
    allOrNothing: failFast,
  };
}

function toQuota({ name, quota }: Caller): RateLimit {
  return { bucket: `key:${name}`, limit: quota.limit, windowS: quota.windowS };
}

function toDraw({ index, parking, task }: Step): { index: number; limit: RateLimit }[] {
  // What waits for a person draws when it runs, and a loop for each of its elements, once it is known how many there are.
  if (!task.ok || parking !== null || task.value.forEach !== undefined) return [];
  const limit = toLimit(task.value.tool);
  return limit === null ? [] : [{ index, limit }];
}

/** The tenant's bucket that a tool's calls draw from; null when they draw from none here. */
export function toLimit({ name, orchestration }: Tool): RateLimit | null {
  const { rate_limit: limit } = orchestration;
  // A global rate is drawn by each call at the tool's own gate, when it is dispatched.
  if (limit?.scope !== "tenant") return null;
  return { bucket: `tool:${name}`, limit: limit.limit, windowS: limit.window_s };
}

function withDenials(
  plan: Plan,
  { denied, refusedJobs }: AdmissionAnswer,
  twins: ReadonlyMap<number, number>,
): Plan {
  if (denied.length === 0 && refusedJobs.length === 0) return plan;
  const failures = new Map([
    ...refusedJobs.map(
      ({ index, code }) =>
        [index, makeFailure(code, { hint: "Nothing was started; try this action again later." })] as const,
    ),
    ...denied.map(({ index, retryAfterMs }) => [index, rateLimited(retryAfterMs)] as const),
  ]);
  const steps = plan.steps.map((step) => {
    const failure = failures.get(twins.get(step.index) ?? step.index);
    return failure === undefined ? step : { ...step, task: err(failure) };
  });
  return { ...plan, steps };
}

/** The failure of an action that its tool's limit turned away. */
export function rateLimited(retryAfterMs: number): Failure {
  const hint = `This tool's rate limit is used up; try this action again in ${Math.ceil(retryAfterMs)} ms.`;
  return makeFailure("RATE_LIMITED", { retryAfterMs, hint });
}
