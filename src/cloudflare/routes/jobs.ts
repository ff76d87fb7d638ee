import * as z from "zod/mini";

import { BATCH_TOOL } from "../../core/catalog/alias.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Caller } from "../../core/contract/gate/caller.ts";
import { toJobJson } from "../../core/contract/gate/job-json.ts";
import { parseJobQuery, toCursor } from "../../core/contract/gate/job-query.ts";
import type {
  JobChange,
  JobQuery,
  JobRecord,
  RedriveOptions,
  Redriven,
} from "../../core/contract/gate/job.ts";
import { strictSchema } from "../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import { attempt, err, ok, type Result } from "../../core/kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../../core/kit/rfc3339.ts";
import { visibleText } from "../../core/kit/visible-text.ts";
import { askGate } from "../http/ask-gate.ts";
import { mayChangeWork, onlyWorkOf, OTHERS_WORK } from "../http/own-work.ts";
import { readRequest } from "../http/read-request-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson } from "../http/respond.ts";
import { respondList } from "../http/respond-list.ts";
import type { CoreRoute } from "../openapi/route.ts";

export const UNREADABLE = "The tenant's jobs could not be read; ask again.";

/**
 * The tools whose jobs a key may see; undefined for all. One that is granted by its name is still that key's when it is not
 * deployed any more.
 */
export function visibleTools({ caller, catalog }: RequestContext): readonly string[] | undefined {
  return caller.tools.includes("*") ? undefined : [...catalog.names, ...caller.tools, batchesOf(caller)];
}

/** Name the tool of the jobs that a key's batches are: no other key that may not call every tool sees them. */
function batchesOf({ name }: Pick<Caller, "name">): string {
  return `${BATCH_TOOL}:${name}`;
}

/** The jobs that a key may see: of those tools that are asked for, and where it acts for one subject only that one's. */
export function visibleJobs(
  context: RequestContext,
  asked?: readonly string[],
): Pick<JobQuery, "tools" | "subject"> {
  const { subject } = context.caller;
  const visible = visibleTools(context);
  if (asked === undefined || visible === undefined) return { tools: asked ?? visible, subject };
  return { tools: asked.filter((tool) => visible.includes(tool)), subject };
}

/** `GET /v1/jobs?status=&limit=&cursor=`: the tenant's jobs, newest first, without their data. */
export const listJobs: CoreRoute<"GET /v1/jobs"> = {
  route: "GET /v1/jobs",
  async handle(request, context) {
    const { gate } = context;
    const query = parseJobQuery(new URL(request.url).searchParams);
    if (!query.ok) return query;
    const { limit } = query.value;
    const asked = { ...query.value, ...visibleJobs(context, query.value.tools) };
    const found = await askGate(() => gate.jobs(asked), UNREADABLE);
    if (!found.ok) return found;
    const { rows, hasMore } = found.value;
    return respondList("jobs", rows, { limit, hasMore, toJson: (job) => toJobJson(job), toCursor });
  },
};

/** Find a job; null when there is none, or none for this key: one of a tool that it may not call, or of another subject than its own, does not exist for it. */
export async function findJob(id: string, context: RequestContext): Promise<JobRecord | null> {
  const job = await context.gate.job(id);
  const { tools, subject } = visibleJobs(context);
  if (job === null || (subject !== undefined && subject !== job.subject)) return null;
  const isVisible = tools === undefined || tools.includes(job.tool);
  if (!isVisible || !(await mayReach(job, context))) return null;
  return (await context.hooks?.keepers?.since(job, context)) ?? job;
}

/** Whether a caller may reach a job that it sees: its own batches only where it could ask for as much itself. */
export async function mayReach(job: JobRecord, context: RequestContext): Promise<boolean> {
  return (await context.hooks?.later?.mayReach(job, context)) ?? true;
}

/** `GET /v1/jobs/{id}`: what became of background work. Another tenant's job does not exist. */
export const showJob: CoreRoute<"GET /v1/jobs/:id"> = {
  route: "GET /v1/jobs/:id",
  async handle(request, context, id) {
    const look = () => askGate(() => findJob(id, context), UNREADABLE);
    const job = await (context.hooks?.later?.awaitJob(look, request, context) ?? look());
    if (!job.ok) return job;
    return job.value === null ? err(NO_JOB) : ok(respondJob(job.value));
  },
};

/**
 * `POST /v1/jobs/{id}/cancel`: end a live job; what an attempt under way still answers is refused. Like everything about a
 * job it is for keys that may call the job's tool.
 */
export const cancelJob: CoreRoute<"POST /v1/jobs/:id/cancel"> = {
  route: "POST /v1/jobs/:id/cancel",
  async handle(_, context, id) {
    const cancelled = await cancelOwn(id, context);
    const job = cancelled.ok ? toChanged(cancelled.value, refuseCancel) : cancelled;
    return job.ok ? ok(respondJob(job.value)) : job;
  },
};

/** Cancel a job that the caller may see and change; null where there is none that it may see. */
export function cancelOwn(id: string, context: RequestContext): Promise<Result<JobChange | null, Refusal>> {
  return changeOwn(id, context, () => context.gate.cancel(id));
}

/**
 * `POST /v1/jobs/{id}/redrive`: give a dead job fresh attempts. Only a key that may call the job's tool may, because it
 * is called again.
 */
export const redriveJob: CoreRoute<"POST /v1/jobs/:id/redrive"> = {
  route: "POST /v1/jobs/:id/redrive",
  async handle(_, context, id) {
    const redriven = await redriveOwn(id, context);
    return redriven.ok ? ok(respondJob(redriven.value)) : redriven;
  },
};

/** Redrive a job that the caller may see and change. */
export async function redriveOwn(
  id: string,
  context: RequestContext,
  options?: RedriveOptions,
): Promise<Result<JobRecord, Refusal>> {
  const redriven = await changeOwn(id, context, (job) => redrive(job, context, options));
  return redriven.ok ? toChanged(redriven.value, (job) => refuseRedrive(job, context)) : redriven;
}

/**
 * `POST /v1/jobs/redrive`: redrive dead jobs, the newest first, as many as one request may. Those of tools that the key may
 * not call, and of others where it may change its own alone, stay what they are.
 */
export const redriveJobs: CoreRoute<"POST /v1/jobs/redrive"> = {
  route: "POST /v1/jobs/redrive",
  async handle(request, context) {
    const { gate } = context;
    const body = await readRequest(request, redriveSchema());
    if (!body.ok) return body;
    const { status, tool, since } = body.value.parsed;
    const limit = LIMITS.maxJobPage;
    const from = since === undefined ? undefined : parseInstant(since)!;
    const visible = visibleJobs(context, tool === undefined ? undefined : [tool]);
    const key = onlyWorkOf(context.caller);
    const query = { status, ...visible, key, since: from, after: null, limit };
    const found = await askGate(() => gate.jobs(query), UNREADABLE);
    if (!found.ok) return found;
    const { rows: looked, hasMore } = found.value;
    const reached = await askGate(() => Promise.all(looked.map((job) => mayReach(job, context))), UNREADABLE);
    if (!reached.ok) return reached;
    const redriven = await redriveAll(
      looked.filter((_, at) => reached.value[at]),
      context,
    );
    const answer: Redriven = { ...redriven, more: hasMore };
    return ok(respondJson(JSON.stringify(answer)));
  },
};

/** Redrive dead jobs, each by itself. */
export async function redriveAll(
  jobs: readonly JobRecord[],
  context: Redriving,
): Promise<Omit<Redriven, "more">> {
  const gone = new Set<string>();
  const changes = await Promise.all(
    jobs.map(async (listed) => {
      const changed = await attempt(() => redrive(listed, context));
      if (!changed.ok || changed.value === null) return "unreachable";
      const { change, job } = changed.value;
      if (change === "wrong-status" && isGone(job, context.catalog)) gone.add(job.tool);
      return change;
    }),
  );
  const count = (change: (typeof changes)[number]): number => changes.filter((one) => one === change).length;
  const redriven = count("done");
  return {
    redriven,
    not_redriven: changes.length - redriven,
    tools_gone: [...gone].sort(),
    backlog_full: count("backlog-full") > 0,
  };
}

/** The tenant's gate, and the tools that are deployed. */
type Redriving = Pick<RequestContext, "gate" | "catalog">;

/** The body of `POST /v1/jobs/redrive`. */
export const redriveSchema = strictSchema("RedriveJobs", () => ({
  status: z.literal("dead"),
  tool: z.optional(z.string()),
  since: z
    .optional(
      z.string().check(
        z.refine((text) => parseInstant(text) !== null, INSTANT_EXPECTED),
        z.meta({ format: "date-time" }),
      ),
    )
    .check(z.describe("Created at or after this time")),
}));

/** Give a dead job fresh attempts, unless its tool is not there any more. A list does not say whether a job keeps its tool. */
async function redrive(
  listed: JobRecord,
  { gate, catalog }: Redriving,
  options?: RedriveOptions,
): Promise<JobChange | null> {
  const job = isDeployed(listed, catalog) ? listed : await gate.job(listed.id);
  if (job === null) return null;
  return isGone(job, catalog) ? { change: "wrong-status", job } : gate.redrive(job.id, options);
}

function isDeployed({ tool }: JobRecord, catalog: Catalog): boolean {
  return catalog.get(tool) !== undefined;
}

/**
 * Whether a job cannot go on for want of its tool. A run of a stored batch and a job of a tool that the tenant added have their tool with
 * them, as it was when they were recorded.
 */
function isGone(job: JobRecord, catalog: Catalog): boolean {
  return job.keepsTool !== true && !isDeployed(job, catalog);
}

async function changeOwn(
  id: string,
  context: RequestContext,
  change: (job: JobRecord) => Promise<JobChange | null>,
): Promise<Result<JobChange | null, Refusal>> {
  const hint = "The tenant's jobs could not be reached. Look at the job before you ask again.";
  const changed = await askGate(async () => {
    const job = await findJob(id, context);
    if (job === null) return null;
    return mayChangeWork(context.caller, job.key) ? change(job) : "others";
  }, hint);
  if (!changed.ok) return changed;
  return changed.value === "others" ? err(OTHERS_WORK) : ok(changed.value);
}

function toChanged(
  changed: JobChange | null,
  refuse: (job: JobRecord) => Refusal,
): Result<JobRecord, Refusal> {
  switch (changed?.change) {
    case undefined:
      return err(NO_JOB);
    case "done":
      return ok(changed.job);
    case "wrong-status":
      return err(refuse(changed.job));
    case "backlog-full":
      return err(makeRefusal("BACKLOG_FULL", "Nothing was changed; redrive the job when others have ended."));
  }
}

/** Who may see a job may call its tool, and may know what it was called with. */
function respondJob(job: JobRecord): Response {
  return respondJson(toJobJson(job, { showsArgs: true }));
}

/** There is no such job in the caller's tenant. */
export const NO_JOB = makeRefusal(
  "NOT_FOUND",
  "There is no job of that id; finished jobs are kept for seven days.",
);

function refuseCancel({ status }: JobRecord): Refusal {
  return makeRefusal("JOB_NOT_CANCELLABLE", `The job is '${status}' already; nothing was changed.`);
}

function refuseRedrive(job: JobRecord, { catalog }: RequestContext): Refusal {
  const { status } = job;
  const why =
    status !== "dead"
      ? `The job is '${status}', and only a dead one can be redriven.`
      : isGone(job, catalog)
        ? `The job's tool '${visibleText(job.tool)}' is not deployed any more; it can be redriven once the tool is deployed again.`
        : "The job's record cannot be read by this version, so it is not known what it has sent.";
  return makeRefusal("JOB_NOT_REDRIVABLE", `${why} Nothing was changed.`);
}
