import { parseExact } from "../../../feature/schema.ts";
import type { JobQuery } from "../../../core/contract/gate/job.ts";
import { type JobRecord, walkJobs } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { mayReach, visibleJobs } from "../../../cloudflare/routes/jobs.ts";
import { givenBy } from "../../../feature/gives.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { onlyWorkOf } from "../../../cloudflare/http/own-work.ts";
import { ok } from "../../../feature/refuse.ts";
import { type TakenRows, takeWalked } from "../../../core/kit/take-rows.ts";
import { fitsLive, runIdOf, toLiveRun } from "../live-run.ts";
import type { ListedRun, RunLog } from "../run-log-methods.ts";
import {
  type BulkEnd,
  type BulkQuery,
  bulkSchema,
  cancelSchema,
  listPage,
  readBulk,
  respondBulk,
} from "./bulk-request.ts";
import { jobRunsOf, OF_ACTIONS } from "./look-at-run.ts";
import { routeOf, sightOf } from "./open-log.ts";

/**
 * `POST /v1/runs/cancel`: end what goes on of all runs that fit: the run itself where it is a job, the jobs that it has made, and, for a key that
 * may decide, its open questions, which are answered with a no. A batch that a caller waits for at this moment ends with its connection, not by this.
 */
export const cancelRuns = routeOf(
  "POST /v1/runs/cancel",
  async (log, { request, context }) => {
    const read = await readBulk(request, cancelSchema, context);
    if (!read.ok) return read;
    const { query } = read.value;
    if (query === null) return ok(respondBulk({ runs: 0 }));
    const cancelled = await askGate(
      () => cancel(query, log, context),
      "Some of it may be cancelled, and some is not; send the same request again.",
    );
    return cancelled.ok ? ok(respondBulk(cancelled.value)) : cancelled;
  },
  () => ({
    id: "cancelRuns",
    summary:
      "End what goes on of the runs that fit, at most a thousand: themselves, their jobs, their questions",
    body: { schema: cancelSchema(), example: { tag: "nightly" } },
    answer: { description: "Of how many runs something was ended", schema: bulkSchema() },
    refusals: ["INVALID_QUERY", "INVALID_REQUEST", "UNAVAILABLE"],
  }),
);

async function cancel(query: BulkQuery, log: RunLog, context: RequestContext): Promise<BulkEnd> {
  const { gate, ports } = context;
  const [withdraw] = givenBy(context.configured.features, "withdraw");
  const done = new Set<string>();
  const isFull = (): boolean => done.size >= LIMITS.runsInBulk;
  const cancelJob = async (runId: string, job: JobRecord): Promise<void> => {
    if ((await mayReach(job, context)) && (await gate.cancel(job.id))?.change === "done") done.add(runId);
  };
  // There are older jobs, and fewer before them by now: otherwise the same request would look at the same ones for ever.
  const mayGoOn = ({ hasMore }: TakenRows<JobRecord>): boolean => hasMore && done.size > 0;
  const most = LIMITS.cancelJobsLooked;
  const findJobs = (of: Pick<JobQuery, "liveOf" | "since" | "until">): Promise<TakenRows<JobRecord>> =>
    takeWalked(walkJobs(gate, { ...asOf, ...of, limit: most }), most);
  const key = onlyWorkOf(context.caller);
  const asOf = { status: null, ...visibleJobs(context), key, after: null } as const;
  const { status, since, until } = query;
  let { after } = query;
  if (status === undefined || status === "running") {
    const nowMs = ports.clock.now();
    const liveOf = jobRunsOf(context).map(({ kind }) => kind);
    const going = await findJobs({ liveOf, since, until });
    const fitting = going.rows.filter((job) => fitsLive(query, toLiveRun(job, nowMs)));
    await inTurns(fitting.slice(0, LIMITS.runsInBulk), (job) => cancelJob(runIdOf(job), job));
    const isCut = fitting.length > LIMITS.runsInBulk || mayGoOn(going);
    if (isCut) return { runs: done.size, rest: after };
  }
  const jobs = await findJobs({ liveOf: OF_ACTIONS });
  const ofBatch = Map.groupBy(jobs.rows, ({ batchId }) => batchId);
  const ofRequest = Map.groupBy(jobs.rows, ({ requestId }) => requestId);
  for (let page = 0; page < LIMITS.runPagesInBulk; page += 1) {
    const { runs, next } = await listPage(query, after, { log, context });
    for (const run of runs) {
      if (isFull()) return { runs: done.size, rest: after };
      // The batches of a request to a model are one run, whose id is the request's.
      const made = run.source === "agent" ? ofRequest.get(run.request_id) : ofBatch.get(run.run_id);
      await inTurns(made ?? [], (job) => cancelJob(run.run_id, job));
      if (run.status !== "waiting" || withdraw === undefined) continue;
      for (const question of await questionsOf(run, log, context))
        if (await withdraw(question, context)) done.add(run.run_id);
    }
    if (next === null) return { runs: done.size, ...(mayGoOn(jobs) && { rest: query.after }) };
    after = next;
  }
  return { runs: done.size, rest: after };
}

async function inTurns<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += LIMITS.cancelsAtOnce)
    await Promise.all(all.slice(at, at + LIMITS.cancelsAtOnce).map(run));
}

async function questionsOf(
  { run_id: id }: ListedRun,
  log: RunLog,
  context: RequestContext,
): Promise<ReadonlySet<string>> {
  const found = await log.find(id, { sight: sightOf(context) });
  const { actions } = parseExact(found?.body ?? '{"actions":[]}') as {
    readonly actions: readonly { readonly confirmation?: { readonly id: string } }[];
  };
  return new Set(actions.flatMap(({ confirmation }) => confirmation?.id ?? []));
}
