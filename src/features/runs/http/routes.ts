import * as z from "zod/mini";
import { askGate, type RequestContext, respondCounted, respondList } from "../../../feature/answer.ts";
import { visibleJobs } from "../../../cloudflare/routes/jobs.ts";
import { wantsEvents } from "../../../cloudflare/http/event-stream.ts";
import { mayDo } from "../../../feature/caller.ts";
import { walkJobs } from "../../../feature/tool.ts";
import type { JobQuery } from "../../../core/contract/gate/job.ts";
import { pageFields } from "../../../feature/schema.ts";
import { err, ok } from "../../../feature/refuse.ts";
import { takeWalked } from "../../../core/kit/take-rows.ts";
import { givenBy } from "../../../feature/gives.ts";
import { followRun } from "./follow-run.ts";
import { findRun, goesOn, jobRunsOf, look, refuseGoing } from "./look-at-run.ts";
import { NO_RUN, routeOf, sightOf, UNREADABLE } from "./open-log.ts";
import { readKeptRun } from "./read-kept-run.ts";
import { runFilterSchema, runPageSchema, runSchema } from "./run-schemas.ts";
import * as LIMITS from "../limits.ts";
import { toAction, toLiveRun, fitsLive } from "../live-run.ts";
import { parseRunQuery, toRunCursor } from "../run-query.ts";
import type { RunLog, RunPage, RunPlace, RunQuery } from "../run-log-methods.ts";

/** `GET /v1/runs`: what ran of the tenant, newest first, as far as the key may see it. */
export const listRuns = routeOf(
  "GET /v1/runs",
  async (log, { query, context }) => {
    const parsed = parseRunQuery(query);
    if (!parsed.ok) return parsed;
    const asked = parsed.value;
    const found = await askGate(
      () =>
        asked.status === "running"
          ? listRunning(asked, log, context)
          : look(context, (seen) => log.list(asked, seen)),
      UNREADABLE,
    );
    if (!found.ok) return found;
    const { runs, places, next } = found.value;
    return respondList("runs", runs, {
      limit: asked.limit,
      toJson: (run) => JSON.stringify(run),
      toCursor: (run) => toRunCursor(places[runs.indexOf(run)]!),
      next: next === null ? null : toRunCursor(next),
    });
  },
  () => ({
    id: "listRuns",
    summary: "List what ran, newest first",
    query: z.extend(runFilterSchema(), pageFields()),
    answer: {
      description:
        "One page; one that has looked far for few runs may be shorter than asked, and has a cursor",
      schema: runPageSchema(),
    },
    refusals: ["INVALID_QUERY"],
  }),
);

/**
 * `GET /v1/runs/{id}`: one run whole, or its events for who asks for those. One of another tenant does not exist. A run that goes on
 * has the actions that will not run again.
 */
export const showRun = routeOf(
  "GET /v1/runs/:id",
  async (log, { request, context, id }) => {
    if (wantsEvents(request.headers.get("accept"))) return followRun({ id, log }, request, context);
    const seen = await askGate(async () => {
      const one = await findRun(id, log, context);
      const nowMs = context.ports.clock.now();
      if (one === null || one.job === null || !goesOn(one, nowMs)) return one === null ? null : one.found;
      const actions = (await one.jobRuns?.results(one.job, context)) ?? [];
      return { live: toLiveRun(one.job, nowMs), actions: actions.map(toAction) };
    }, UNREADABLE);
    if (!seen.ok) return seen;
    if (seen.value === null) return err(NO_RUN);
    if ("live" in seen.value) {
      const { live, actions } = seen.value;
      return respondCounted(JSON.stringify({ ...live, plan: { edges: [] }, actions, children: [] }), context);
    }
    const { run, children, after: names = [] } = seen.value;
    const { after, ...kept } = readKeptRun(seen.value, context);
    const startedAt = Date.parse(run.started_at);
    const asked = { names, startedAt, actions: kept.actions, kept: after };
    const [since] = givenBy(context.configured.features, "afterRuns");
    const became = await askGate(
      async () => (names.length === 0 ? {} : since?.show(asked, context)),
      UNREADABLE,
    );
    if (!became.ok) return became;
    const shown = {
      ...run,
      ...kept,
      children,
      ...deliveriesOf(id, kept.actions, context),
      ...became.value,
    };
    return respondCounted(JSON.stringify(shown), context);
  },
  () => ({
    id: "getRun",
    summary: "Show a run: its plan, its actions, the runs that it caused",
    answer: {
      description: "The run, with the actions that the key may call",
      schema: runSchema(),
      events:
        "With `Accept: text/event-stream`: the events of the run from behind `Last-Event-ID`, then `event: done` with the envelope that its caller had",
    },
    refusals: ["NOT_FOUND"],
  }),
);

/** Where the deliveries of the events are that a run published, for a key that may look at them. */
function deliveriesOf(
  id: string,
  actions: readonly { readonly tool: string }[],
  { catalog, caller }: RequestContext,
): { readonly deliveries?: string } {
  const publishes = actions.some(({ tool }) => catalog.get(tool)?.bindings.includes("ENDPOINTS") === true);
  return mayDo(caller, "manage_endpoints") && publishes ? { deliveries: `/v1/deliveries?run=${id}` } : {};
}

/** `DELETE /v1/runs/{id}`: forget a run. A key without the flag, such as a model's, cannot erase its trail. */
export const deleteRun = routeOf(
  "DELETE /v1/runs/:id",
  async (log, { context, id }) => {
    const going = await refuseGoing(id, { log, wish: "deleted" }, context);
    if (!going.ok) return going;
    const hint = "Whether the run was deleted is not certain; send the same request again.";
    const deleted = await askGate(() => log.forget(id, sightOf(context)), hint);
    if (!deleted.ok) return deleted;
    return deleted.value ? ok(new Response(null, { status: 204 })) : err(NO_RUN);
  },
  () => ({
    id: "deleteRun",
    summary: "Forget a run; its jobs and questions stay",
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["FORBIDDEN", "NOT_FOUND", "IDEMPOTENCY_IN_PROGRESS"],
  }),
);

/** List the runs that go on, newest first: those that have a job, and those of the log of which something is under way again. */
async function listRunning(query: RunQuery, log: RunLog, context: RequestContext): Promise<RunPage> {
  const [live, again] = await Promise.all([
    listJobRuns(query, context),
    look(context, (seen) => log.list(query, seen)),
  ]);
  // Neither list is known beyond its page.
  const end = [live, again]
    .flatMap(({ next }) => next ?? [])
    .reduce<RunPlace | null>((first, next) => (first === null || next.at > first.at ? next : first), null);
  const rows = [live, again]
    .flatMap(({ runs, places }) => runs.map((run, at) => ({ run, place: places[at]! })))
    .filter(({ place }) => end === null || place.at >= end.at)
    .sort((a, b) => b.place.at - a.place.at);
  const page = rows.slice(0, query.limit);
  return {
    runs: page.map(({ run }) => run),
    places: page.map(({ place }) => place),
    next: rows.length > page.length ? page.at(-1)!.place : end,
    asks: false,
  };
}

/**
 * List the runs that go on and have a job, newest first: those of flows by a webhook or a clock, and batches in the background. A batch whose
 * caller waits is known where it runs and nowhere else, until it is over.
 */
async function listJobRuns(query: RunQuery, context: RequestContext): Promise<RunPage> {
  const { gate, ports } = context;
  const { limit, after, since, until } = query;
  const asked: JobQuery = {
    status: null,
    ...visibleJobs(context),
    liveOf: jobRunsOf(context).map(({ kind }) => kind),
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
