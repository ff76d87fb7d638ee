import { toJobJson } from "../../contract/gate/job-json.ts";
import type { JobChange, JobRecord } from "../../contract/gate/job.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson, respondProblem } from "../http/respond.ts";
import { respondNoJob } from "./show-job.ts";

/** `POST /v1/jobs/{id}/cancel`: end a live job; what an attempt under way still answers is refused. */
export function cancelJob(jobId: string, context: RequestContext): Promise<Response> {
  return changeJob(context, () => context.gate.cancel(jobId), makeNotCancellable);
}

/**
 * `POST /v1/jobs/{id}/redrive`: give a dead job fresh attempts. Only a key that may call the job's tool may, because it
 * is called again.
 */
export async function redriveJob(jobId: string, context: RequestContext): Promise<Response> {
  const { gate, catalog } = context;
  const redrive = async (): Promise<JobChange | null> => {
    const job = await gate.job(jobId);
    if (job === null || catalog.get(job.tool) !== undefined) return gate.redrive(jobId);
    return { change: "wrong-status", job };
  };
  return changeJob(context, redrive, (job) => makeNotRedrivable(job, context));
}

async function changeJob(
  { requestId }: RequestContext,
  change: () => Promise<JobChange | null>,
  refuse: (job: JobRecord) => Refusal,
): Promise<Response> {
  let changed: JobChange | null;
  try {
    changed = await change();
  } catch {
    const hint = "The tenant's jobs could not be reached. Look at the job before you ask again.";
    return respondProblem(makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 }), requestId);
  }
  if (changed === null) return respondNoJob(requestId);
  switch (changed.change) {
    case "done":
      return respondJson(toJobJson(changed.job), requestId);
    case "wrong-status":
      return respondProblem(refuse(changed.job), requestId);
    case "backlog-full":
      return respondProblem(
        makeRefusal("BACKLOG_FULL", "Nothing was changed; redrive the job when others have ended."),
        requestId,
      );
  }
}

function makeNotCancellable({ status }: JobRecord): Refusal {
  return makeRefusal("JOB_NOT_CANCELLABLE", `The job is '${status}' already; nothing was changed.`);
}

function makeNotRedrivable({ status, tool }: JobRecord, { catalog }: RequestContext): Refusal {
  const why =
    status !== "dead"
      ? `The job is '${status}', and only a dead one can be redriven.`
      : catalog.get(tool) === undefined
        ? "The job's tool is not deployed any more, or this key may not call it."
        : "The job's record cannot be read by this version, so nobody knows what it has sent.";
  return makeRefusal("JOB_NOT_REDRIVABLE", `${why} Nothing was changed.`);
}
