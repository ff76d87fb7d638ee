import { askGate, type RequestContext, respondJson } from "../../../feature/answer.ts";
import { redriveOwn } from "../../../cloudflare/routes/jobs.ts";
import { type JobRecord, parseBatch } from "../../../feature/tool.ts";
import { parseExact } from "../../../feature/schema.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { countRequest, type Refused } from "../../../core/gate/admit-plan.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { givenBy } from "../../../feature/gives.ts";
import { isLive, runIdOf } from "../live-run.ts";
import { runAwaitedMs } from "../limits.ts";
import type { LoopRows } from "../rerun/decide-rerun.ts";
import type { ListedRun, Reruns } from "../run-log-methods.ts";
import { IN_CHANGE } from "./refuse-rerun.ts";

/** The jobs that runs which share actions are, by those runs; null of one that is forgotten. None of them goes on. */
export interface RerunJobs {
  readonly of: ReadonlyMap<string, JobRecord | null>;
  /** The last one, where it can begin again: what is left of the run is its to do, and no other's. */
  readonly again: JobRecord | null;
}

/** Read the jobs of a root and of its reruns. While one goes on nothing begins, because both would send the same writes. */
export async function readJobs(
  { run_id: root, job_id: jobId }: Pick<ListedRun, "run_id" | "job_id">,
  { earlier }: Pick<Reruns, "earlier">,
  { gate, ports, configured }: RequestContext,
): Promise<Result<RerunJobs, Refusal>> {
  if (jobId === undefined) return ok({ of: new Map(), again: null });
  const batches = givenBy(configured.features, "jobRuns");
  const ids = earlier.flatMap(({ rerun }) =>
    batches.flatMap((batch) => {
      const job = batch.jobOf(rerun);
      return job === null || job === rerun ? [] : [[rerun, job] as const];
    }),
  );
  const read = await askGate(
    () =>
      Promise.all(
        [[root, jobId] as const, ...ids].map(async ([run, job]) => [run, await gate.job(job)] as const),
      ),
    "The tenant's jobs could not be read; nothing ran, so ask again.",
  );
  if (!read.ok) return read;
  const jobs = read.value.flatMap(([, job]) => job ?? []);
  if (jobs.some(isLive)) return err(IN_CHANGE);
  const of = new Map(read.value);
  const last = read.value.at(-1)![1];
  // A delivery that comes again begins a failed one again.
  if (last?.status === "dead" || (last?.status === "failed" && last.trigger === "webhook"))
    return ok({ of, again: last });
  // The log is about to have its end.
  if (jobs.some((job) => ports.clock.now() < job.updatedAt + runAwaitedMs)) return err(IN_CHANGE);
  return ok({ of, again: null });
}

/** Have a job do the rest of its run, as a rerun that was recorded is answered: what it has written down is not sent again. */
export async function beginAgain(
  job: JobRecord,
  isCounted: boolean,
  { context, execution }: { readonly context: RequestContext; readonly execution: Execution },
): Promise<Result<Answer, Refused>> {
  const counted = isCounted ? ok({ quota: null }) : await countRequest(execution);
  if (!counted.ok) return counted;
  const { quota } = counted.value;
  const begun = await redriveOwn(job.id, context, { failedToo: job.trigger === "webhook" });
  if (!begun.ok) return err({ refusal: begun.error, quota });
  const json = JSON.stringify({ run_id: runIdOf(job), job_id: job.id });
  const location = `/v1/jobs/${job.id}`;
  return ok({
    json,
    quota,
    replayed: false,
    respond: (_, headers) => respondJson(json, { status: 202, headers: { ...headers, location } }),
  });
}

/** Find the place of a loop in a batch that was a job: it has a row there of each element. */
export function findLoop(record: JobRecord | null | undefined, action: string): LoopRows | undefined {
  const { id: job, trigger, argsJson = "{}" }: Partial<JobRecord> = record ?? {};
  if (job === undefined || trigger !== undefined) return undefined;
  const batch = parseBatch(parseExact(argsJson), argsJson.length);
  const step = batch.ok ? batch.value.entries.findIndex(({ id }) => id === action) : -1;
  return step === -1 ? undefined : { job, step };
}
