import { createPartCall } from "../../../feature/tenant.ts";
import type { JobCursor, JobRecord } from "../../../core/contract/gate/job.ts";
import { toPlace, walkJobs } from "../../../core/contract/gate/job-query.ts";
import type { AnsweredMethods } from "../../../turns/decide-reply.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { takeWalked, walkRows } from "../../../core/kit/take-rows.ts";
import { findJob, visibleJobs } from "../../../cloudflare/routes/jobs.ts";
import { givenBy, type JobRuns } from "../../../feature/gives.ts";
import { cancelJobsLooked as MOST, runAwaitedMs as RUN_AWAITED_MS } from "../limits.ts";
import { isLive, runIdOf } from "../live-run.ts";
import type { Questions } from "../rerun/decide-rerun.ts";
import type { FoundRun, Look, RunLog } from "../run-log-methods.ts";
import { sightOf, UNREADABLE } from "./open-log.ts";

/** A run as it is found: in the log, as a job, or both. */
export interface SeenRun {
  /** Null where the log has none, or not yet. */
  readonly found: FoundRun | null;
  /** The job that it is as a whole, alive or over. */
  readonly job: JobRecord | null;
  readonly jobRuns: JobRuns | null;
}

/**
 * Find a run: in the log, or by the job that it goes on as. The gate is not asked about a run of the log
 * that is no job's; one that is goes on while its job does, whatever earlier attempts have left.
 */
export async function findRun(id: string, log: RunLog, context: RequestContext): Promise<SeenRun | null> {
  const found = await look(context, (seen) => log.find(id, seen));
  if (found !== null && found.run.job_id === undefined) return { found, job: null, jobRuns: null };
  for (const jobRuns of jobRunsOf(context)) {
    const jobId = jobRuns.jobOf(id);
    const job = jobId === null ? null : await findJob(jobId, context);
    // An id of the form may be that of another job.
    if (job === null || job.batchId !== id) continue;
    if (found !== null || isLive(job) || job.envelopeJson !== undefined) return { found, job, jobRuns };
  }
  return found === null ? null : { found, job: null, jobRuns: null };
}

/** Whether a run goes on: its job does, or ended just now and the log is about to have it. */
export function goesOn({ found, job }: SeenRun, nowMs: number): boolean {
  if (job === null || isLive(job)) return job !== null;
  return found === null && nowMs < job.updatedAt + RUN_AWAITED_MS;
}

/** Refuse a change of a run that goes on, or ended just now: the log may have none of it, or what earlier attempts have left. */
export async function refuseGoing(
  id: string,
  { log, wish }: { readonly log: RunLog; readonly wish: string },
  context: RequestContext,
): Promise<Result<null, Refusal>> {
  const seen = await askGate(() => findRun(id, log, context), UNREADABLE);
  if (!seen.ok) return seen;
  const { job = null } = seen.value ?? {};
  if (job === null || (!isLive(job) && context.ports.clock.now() >= job.updatedAt + RUN_AWAITED_MS))
    return ok(null);
  const why = isLive(job)
    ? `The run goes on, so it is not ${wish}: cancel it first, with POST /v1/jobs/${job.id}/cancel, or wait for its end.`
    : `The run ended just now, and its last actions are not in the log yet, so it is not ${wish}: ask again in a moment.`;
  return err(makeRefusal("IDEMPOTENCY_IN_PROGRESS", why, { retryAfterMs: RUN_AWAITED_MS }));
}

const callQuestions = createPartCall<AnsweredMethods>("confirmations");
const callRuns = createPartCall<{ tell: () => void }>("runs");

/**
 * Look at runs. The log knows of a question who said yes and when it ends by itself, and of a job that it ended badly; where that does not
 * tell whether one is open, the tenant's gate is asked once for all that are, and the log again. A job that ends in between is said to go
 * on: of those that ended before, the log is told first, so that none is a success until its failure is heard of.
 */
export async function look<T extends { readonly asks: boolean } | null>(
  context: RequestContext,
  ask: (look: Look) => Promise<T>,
): Promise<T> {
  const sight = sightOf(context);
  const found = await ask({ sight });
  if (found?.asks !== true) return found;
  const [asked, jobs] = await Promise.all([
    context.hooks?.beforeStep && lookAtQuestions(context),
    jobsGoingOn(context),
  ]);
  await attempt(() => callRuns(context.gate, "tell"));
  return ask({ sight, ...asked, jobs });
}

export function jobRunsOf({ configured }: RequestContext): readonly JobRuns[] {
  return givenBy(configured.features, "jobRuns");
}

/** The jobs that go on and that runs are, or have made, as far as the key may see them. */
async function jobsGoingOn(context: RequestContext): Promise<Look["jobs"]> {
  const liveOf = [...jobRunsOf(context).map(({ kind }) => kind), ...OF_ACTIONS];
  const asked = { status: null, ...visibleJobs(context), liveOf, limit: MOST, after: null };
  const { rows } = await takeWalked(walkJobs(context.gate, asked), MOST);
  return rows.map((job) => ({ job: job.id, run: runIdOf(job), request: job.requestId ?? job.id }));
}

/** The kinds of jobs that an action makes. */
export const OF_ACTIONS = ["job", "webhook"];

/** Read some questions as they are by now; null of one that is not kept any more. */
export async function readQuestions(
  ids: readonly string[],
  { gate }: Pick<RequestContext, "gate">,
): Promise<Questions> {
  const asked = [...new Set(ids)].map(
    async (id) => [id, await callQuestions(gate, "confirmation", id)] as const,
  );
  return new Map(await Promise.all(asked));
}

/** The questions of the tenant that a person may still decide, and those with a yes that is being carried out. */
async function lookAtQuestions({ gate }: Pick<RequestContext, "gate">) {
  const asked = { status: "pending", limit: LIMITS.questionsPending } as const;
  const walk = walkRows<JobCursor>((last) =>
    callQuestions(gate, "confirmations", { ...asked, after: last && toPlace(last) }),
  );
  // In this order, so that one which is decided in between is in one of them.
  const { rows } = await takeWalked(walk);
  return {
    open: rows.map(({ id }) => id),
    answering: await callQuestions(gate, "answering", RUN_AWAITED_MS),
  };
}
