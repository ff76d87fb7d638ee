import type { Tool } from "../catalog/define-tool.ts";
import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type Allowance,
  type KeyQuota,
  type PartClaim,
  type QuotaState,
  type RateLimit,
} from "../contract/gate/admission.ts";
import type { Caller, MakerKey } from "../contract/gate/caller.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type {
  IdempotencyAnswer,
  IdempotencyRequest,
  KeptAnswer,
  KeyState,
} from "../contract/gate/idempotency.ts";
import type { JobSpec } from "../contract/gate/job.ts";
import * as LIMITS from "../contract/limits.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { attempt, err, ok, type Result } from "../kit/result.ts";
import { findSameReads } from "../plan/same-reads.ts";
import { type Plan, type Step, turnAway } from "../plan/step.ts";
import { degradePlan } from "./degrade-plan.ts";
import type { Execution } from "./execution.ts";
import { KEY_CONFLICT } from "./kept-answer.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { limitsOf } from "./state/lease.ts";

/** A plan that may run. */
export interface Admitted {
  /** The plan with every action that the gate turned away as a failure in its place. */
  readonly plan: Plan;
  readonly quota: QuotaState | null;
  /** The gate did not answer: nothing of this was counted. */
  readonly degraded: boolean;
  /** For every job that is durably recorded, by step, the fence of its first attempt; null when it is the alarm's. */
  readonly fences: ReadonlyMap<number, number | null>;
  /** The answer about the idempotency keys; null without any. */
  readonly claimed: IdempotencyAnswer | null;
  /** The answer that the batch's key has already; then nothing was admitted, and nothing may run. */
  readonly replay: KeptAnswer | null;
}

/** The question of a batch to its gate besides its plan. */
export interface Asked {
  readonly jobs: ReadonlyMap<number, JobSpec>;
  readonly idempotency: IdempotencyRequest | null;
  /** Whether one more that the gate did not answer for is within what this isolate alone may let through. */
  readonly countAlone: (quota: KeyQuota) => boolean;
  /** It is part of a request that is counted already, planned with the same tools. */
  readonly isCounted?: boolean;
  /** An earlier run of the same plan may have recorded the jobs. */
  readonly retaken?: boolean | undefined;
}

/** A batch of which nothing ran. */
export interface Refused {
  readonly refusal: Refusal;
  readonly quota: QuotaState | null;
  /** It was planned with other tools than there are: planned anew it may be admitted. */
  readonly stale?: true;
  /** An earlier run of it, under the same key, may have sent something; or nothing is heard of its key, or of its jobs. */
  readonly mayHaveBegun?: boolean | undefined;
}

/**
 * Ask the tenant's gate for everything a plan needs, in one round trip: the caller's quota, every tool's rate limit,
 * the recording of its jobs, the idempotency keys.
 *
 * Without an answer nothing can be counted or recorded. Then writes are refused and reads run as their tools declare
 * (`degradePlan`); the batch is refused whole when that leaves nothing to run, or when this isolate alone has seen as
 * many requests as the quota allows: flooding the gate until it is late must not be a way around it.
 */
export async function admitPlan(
  plan: Plan,
  asked: Asked,
  { caller, gate }: { readonly caller: Caller; readonly gate: Gate },
): Promise<Result<Admitted, Refused>> {
  // A step that another's call answers draws nothing, and is denied with it.
  const isLimited = (tool: Tool): boolean => toLimit(tool) !== null;
  const same = plan.steps.some(({ task }) => task.ok && isLimited(task.value.tool))
    ? findSameReads(plan, isLimited)
    : NONE_THE_SAME;
  const request = toRequest(plan, asked, { caller, same });
  if (isNothing(request)) return ok(uncounted(plan, false));
  const toAdmitted = (answer: AdmissionAnswer): Result<Admitted, Refused> => {
    if (answer.stale === true) return err({ ...STALE_PLAN, mayHaveBegun: request.idempotency !== undefined });
    const { quota, recorded, idempotency: claimed = null } = answer;
    const batchState = claimed?.batch;
    const refusal = refuseKey(batchState);
    const refused = isOver(quota) ? overQuota(quota, caller) : refusal && { refusal, quota: null };
    if (refused !== null) return err({ ...refused, mayHaveBegun: beganBefore(asked.idempotency, claimed) });
    return ok({
      plan: withDenials(plan, answer, same),
      quota,
      degraded: false,
      fences: new Map(recorded.map(({ index, fence }) => [index, fence])),
      claimed,
      replay: batchState?.kind === "done" ? batchState.answer : null,
    });
  };
  if (plan.approved !== undefined) {
    const approved = await admitApproved(plan.approved.claim, request, gate);
    return approved.ok ? toAdmitted(approved.value) : err({ refusal: approved.error, quota: null });
  }
  const answer = await ask(request, gate);
  if (answer !== null) return toAdmitted(answer);
  // The gate alone knows which steps ran before under a key, so none of them may run unasked.
  const mayRun =
    request.idempotency === undefined && (asked.isCounted === true || asked.countAlone(toQuota(caller)));
  const sent = new Map(request.jobs.map(({ index, spec }) => [index, spec]));
  const degraded = mayRun ? degradePlan(plan, sent) : null;
  return degraded === null ? err(unreachable(request)) : ok(uncounted(degraded, true));
}

const STALE_PLAN: Refused = {
  refusal: makeRefusal(
    "UNAVAILABLE",
    "The tenant's tools have changed, and nothing ran; send the same request again.",
    { retryAfterMs: 1_000 },
  ),
  quota: null,
  stale: true,
};

const NONE_THE_SAME: ReadonlyMap<number, number> = new Map();

/**
 * Count a request that runs nothing, against an allowance of its own: looking never costs a batch its place, nor a batch a
 * look. Leased like any quota. Without an answer it goes on as a read does, as long as this isolate alone has not seen as
 * many as are allowed.
 */
export async function countList(
  execution: Pick<Execution, "caller" | "catalog" | "gate" | "countAlone">,
): Promise<Result<QuotaState | null, Refused>> {
  const toolsVersion = execution.catalog.version;
  const counted = await countRequest(execution, { allowance: "lists", toolsVersion });
  return counted.ok ? ok(counted.value.quota) : counted;
}

interface Counting extends Pick<AdmissionRequest, "idempotency" | "toolsVersion"> {
  readonly units?: number;
  readonly allowance?: Allowance;
}

/** A request that was counted, and what is known of it. */
export interface CountedRequest {
  readonly quota: QuotaState | null;
  /** The gate's answer to its claim; null where it made none. */
  readonly claimed: IdempotencyAnswer | null;
}

/**
 * Count a request that is none of a batch's: what it runs is counted by itself. One that stands for several draws as many units, all of them
 * or none. Without an answer as `countList`; but what came before is only known there, so with a claim it does not go on.
 */
export async function countRequest(
  { caller, gate, countAlone }: Pick<Execution, "caller" | "gate" | "countAlone">,
  { units = 1, allowance, ...more }: Counting = {},
): Promise<Result<CountedRequest, Refused>> {
  const asked = drawing(units, toQuota(caller, allowance));
  const request = { quota: asked, draws: [], jobs: [], allOrNothing: false, ...more };
  const answer = await ask(request, gate);
  if (answer === null)
    return more.idempotency === undefined && countAlone(asked)
      ? ok({ quota: null, claimed: null })
      : err(unreachable(request));
  if (answer.stale === true) return err(STALE_PLAN);
  const { idempotency: claimed = null } = answer;
  const quota = answer.quota && { ...answer.quota, ...(allowance !== undefined && { allowance }) };
  return isOver(quota) ? err(overQuota(quota, caller, units)) : ok({ quota, claimed });
}

/** Have a request draw several units of a quota, and of those above it. */
function drawing(count: number, { makers, ...own }: KeyQuota): KeyQuota {
  const many = count === 1 ? {} : { count };
  const above = makers?.map((maker) => ({ ...maker, ...many }));
  return { ...own, ...many, ...(above !== undefined && { makers: above }) };
}

async function ask(request: AdmissionRequest, gate: Gate): Promise<AdmissionAnswer | null> {
  const asked = await attempt(() => gate.admit(request));
  return asked.ok ? asked.value : null;
}

/**
 * The same in one turn with the claim on the yes that allows it. Without the gate nothing is claimed for certain, so
 * nothing runs, reads included.
 */
async function admitApproved(
  claim: PartClaim,
  request: AdmissionRequest,
  gate: Gate,
): Promise<Result<AdmissionAnswer, Refusal>> {
  const asked = await attempt(() => gate.admitClaimed(claim, request));
  if (!asked.ok) {
    const hint =
      "It could not be claimed in time; nothing was run now. Look at its status before deciding again: 'running' says that it was claimed all the same, and only background work of it may happen.";
    return err(makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 }));
  }
  const { refused } = asked.value;
  return refused === null ? ok(asked.value.admission) : err(refused);
}

function isOver(quota: QuotaState | null): quota is QuotaState {
  return quota !== null && !quota.allowed;
}

function overQuota(quota: QuotaState, caller: Caller, units = 1): Refused {
  const own = toQuota(caller, quota.allowance);
  const what = quota.allowance === "lists" ? "requests that run nothing" : "requests";
  const used = limitsOf(own).find(({ bucket }) => bucket === quota.usedUp) ?? own;
  const wait =
    units > used.limit
      ? `it draws ${units}, which is more than ever; send fewer at once`
      : units > 1
        ? `it draws ${units}, so wait or send fewer at once`
        : "wait before the next one";
  const hint =
    used === own
      ? `The key may send ${own.limit} ${what} every ${own.windowS} s; ${wait}.`
      : `A key above this one and all keys that it made may send ${used.limit} ${what} every ${used.windowS} s together; ${wait}.`;
  return { refusal: makeRefusal("QUOTA_EXCEEDED", hint, { retryAfterMs: quota.retryAfterMs }), quota };
}

/** A gate that did not answer may still have recorded what it was sent; only without jobs is it certain that nothing ran. */
function unreachable({ jobs, idempotency }: AdmissionRequest): Refused {
  const withJobs = jobs.length > 0;
  const withKey = (idempotency?.batch ?? null) !== null;
  const hint = withKey
    ? "The limiter did not answer in time; nothing was run now. Send the same request with the same key again: what was recorded all the same is found, not repeated."
    : withJobs
      ? "The limiter did not answer in time; nothing was run now, but background actions may have been recorded: look before sending them again."
      : "The limiter could not be reached; nothing ran. Send the same request again.";
  const isOld = idempotency?.actions.some(({ inherited }) => inherited !== false);
  const refusal = makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 });
  return { refusal, quota: null, mayHaveBegun: withJobs || withKey || isOld };
}

/** Whether an earlier run may have begun under one of the keys: one that is claimed first has the seed that it was sent with. */
export function beganBefore(asked: IdempotencyRequest | null, claimed: IdempotencyAnswer | null): boolean {
  if (asked === null || claimed === null) return false;
  const sent = new Set([asked.batch, ...asked.actions].map((content) => content?.seed));
  const isOld = (state: KeyState | null): boolean =>
    state?.kind === "claimed" ? !sent.has(state.seed) : (state?.kind ?? "conflict") !== "conflict";
  return isOld(claimed.batch) || claimed.actions.some(({ state }) => isOld(state));
}

/** Why a batch's key does not let it run; null when it does, or when it has its answer already. */
function refuseKey(state: KeyState | null | undefined): Refusal | null {
  if (state?.kind === "conflict") return KEY_CONFLICT;
  if (state?.kind !== "running") return null;
  const { retryAfterMs } = state;
  const hint = `The batch of this Idempotency-Key is still running, or was lost: send it again in ${Math.ceil(retryAfterMs / 1_000)} s to get its answer.`;
  return makeRefusal("IDEMPOTENCY_IN_PROGRESS", hint, { retryAfterMs });
}

function toRequest(
  plan: Plan,
  { jobs, idempotency, isCounted = false, retaken }: Asked,
  { caller, same }: { readonly caller: Caller; readonly same: ReadonlyMap<number, number> },
): AdmissionRequest {
  const failFast = plan.onError === "fail-fast";
  const doomed = failFast && plan.steps.some(({ task }) => !task.ok);
  const draws = plan.steps.flatMap((step) => (same.has(step.index) ? [] : toDraw(step)));
  const recordable = doomed ? [] : [...jobs];
  return {
    quota: isCounted ? null : toQuota(caller),
    draws: doomed ? [] : draws,
    jobs: recordable.map(([index, spec]) => ({ index, spec, ...(retaken === true && { retaken }) })),
    allOrNothing: failFast,
    ...(idempotency !== null && { idempotency }),
    ...(plan.toolsVersion !== undefined && !isCounted && { toolsVersion: plan.toolsVersion }),
  };
}

/** Whether there is nothing to ask: all of it is counted, and nothing is limited or recorded. */
function isNothing({ quota, draws, jobs, idempotency }: AdmissionRequest): boolean {
  return quota === null && draws.length === 0 && jobs.length === 0 && idempotency === undefined;
}

function uncounted(plan: Plan, degraded: boolean): Admitted {
  return { plan, quota: null, degraded, fences: new Map(), claimed: null, replay: null };
}

/** The tenant's bucket that is one of a key's allowances, with those of the keys above it. */
export function toQuota(
  caller: MakerKey & Pick<Caller, "makers">,
  allowance: Allowance = "requests",
): KeyQuota {
  const makers = caller.makers?.map((maker) => toAllowance(maker, allowance));
  return { ...toAllowance(caller, allowance), ...(makers && { makers }) };
}

function toAllowance({ name, quota: { limit, windowS } }: MakerKey, allowance: Allowance): RateLimit {
  return allowance === "requests"
    ? { bucket: `key:${name}`, limit, windowS }
    : { bucket: `lists:${name}`, limit: limit * LIMITS.listsPerQuota, windowS };
}

/** The tenant's bucket that its runs without a caller draw from: as many as the runner may send requests. */
export function toRunLimit({ quota: { limit, windowS } }: Caller): RateLimit {
  return { bucket: "runs", limit, windowS };
}

function toDraw({ index, parking, task }: Step): { index: number; limit: RateLimit }[] {
  // A step that waits for a person draws when it runs, and a loop for each of its elements, once it is known how many there are.
  if (!task.ok || parking !== null || task.value.forEach !== undefined) return [];
  const limit = toLimit(task.value.tool);
  return limit === null ? [] : [{ index, limit }];
}

/** The tenant's bucket that a tool's calls draw from; null when they draw from none here. */
export function toLimit({ name, orchestration }: Pick<Tool, "name" | "orchestration">): RateLimit | null {
  const { rate_limit: limit } = orchestration;
  // A global rate is drawn by each call at the tool's own gate, when it is dispatched.
  if (limit?.scope !== "tenant") return null;
  return { bucket: `tool:${name}`, limit: limit.limit, windowS: limit.window_s };
}

function withDenials(
  plan: Plan,
  { denied, refusedJobs }: AdmissionAnswer,
  same: ReadonlyMap<number, number>,
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
    const failure = failures.get(same.get(step.index) ?? step.index);
    return failure === undefined ? step : turnAway(step, failure);
  });
  return { ...plan, steps };
}

/** The failure of an action that its tool's limit turned away. */
export function rateLimited(retryAfterMs: number): Failure {
  const hint = `This tool's rate limit is used up; try this action again in ${Math.ceil(retryAfterMs)} ms.`;
  return makeFailure("RATE_LIMITED", { retryAfterMs, hint });
}
