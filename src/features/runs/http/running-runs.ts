import type { JobQuery } from "../../../core/contract/gate/job.ts";
import { walkJobs } from "../../../core/contract/gate/job-query.ts";
import { takeWalked } from "../../../core/kit/take-rows.ts";
import * as LIMITS from "../limits.ts";
import { visibleJobs } from "../../../cloudflare/endpoints/jobs.ts";
import type { JobRuns } from "../../../feature/gives.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { fitsLive, toLiveRun } from "../live-run.ts";
import type { RunPage, RunQuery } from "../run.ts";

/**
 * List the runs that go on and have a job, newest first: those of flows by a webhook or a clock, and batches in the background. A batch whose
 * caller waits is known where it runs and nowhere else, until it is over.
 */
export async function listRunning(
  query: RunQuery,
  { gate, ports, ...context }: RequestContext,
  all: readonly JobRuns[],
): Promise<RunPage> {
  const { limit, after, since, until } = query;
  const asked: JobQuery = {
    status: null,
    ...visibleJobs({ gate, ports, ...context }),
    liveOf: all.map(({ kind }) => kind),
    since,
    until,
    limit: LIMITS.runJobsLooked,
    after: after && { createdAt: after.at, id: after.id },
  };
  const { rows, hasMore } = await takeWalked(walkJobs(gate, asked), LIMITS.runJobsLooked);
  const nowMs = ports.clock.now();
  const fitting = rows
    .map((job) => ({ job, run: toLiveRun(job, nowMs) }))
    .filter(({ run }) => fitsLive(query, run));
  const page = fitting.slice(0, limit);
  const last = fitting.length > limit ? page.at(-1)?.job : hasMore ? rows.at(-1) : undefined;
  return {
    runs: page.map(({ run }) => run),
    places: page.map(({ job }) => ({ at: job.createdAt, id: job.id })),
    next: last === undefined ? null : { at: last.createdAt, id: last.id },
    asks: false,
  };
}
