import { mayDo } from "../../../core/contract/gate/caller.ts";
import * as z from "zod/mini";

import { ENDPOINTS } from "../../../core/contract/gate/publishing.ts";
import { pageFields } from "../../../core/contract/list-query.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import type { JobRuns } from "../../../feature/gives.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { respondList } from "../../../cloudflare/http/respond-list.ts";
import { respondCounted } from "../../../cloudflare/http/respond-counted.ts";
import { wantsEvents } from "../../../cloudflare/http/event-stream.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";
import { err, ok } from "../../../core/kit/result.ts";
import { toAction, toLiveRun } from "../live-run.ts";
import { parseRunQuery, toRunCursor } from "../run-query.ts";
import { followRun } from "./follow-run.ts";
import { findRun, goesOn, look, refuseGoing } from "./look-at-run.ts";
import { NO_RUN, openLog, sightOf, UNREADABLE } from "./open-log.ts";
import { readKeptRun } from "./read-kept-run.ts";
import { runFilterSchema, runPageSchema, runSchema } from "./run-schemas.ts";
import { listRunning } from "./running-runs.ts";

/** `GET /v1/runs`: what ran of the tenant, newest first, as far as the key may see it. */
export const makeListRuns = (jobRuns: readonly JobRuns[]): Endpoint => ({
  route: "GET /v1/runs",
  runsNothing: true,
  async handle(request, context) {
    const log = openLog(context);
    if (!log.ok) return log;
    const query = parseRunQuery(new URL(request.url).searchParams);
    if (!query.ok) return query;
    const asked = query.value;
    const found = await askGate(
      () =>
        asked.status === "running"
          ? listRunning(asked, context, jobRuns)
          : look(context, (seen) => log.value.list(asked, seen)),
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
  describe: () => ({
    id: "listRuns",
    summary: "List what ran, newest first",
    tag: "Runs",
    query: z.extend(runFilterSchema(), {
      ...pageFields(),
    }),
    answer: {
      description:
        "One page; one that has looked far for few runs may be shorter than asked, and has a cursor",
      schema: runPageSchema(),
    },
    refusals: ["INVALID_QUERY", "MISCONFIGURED"],
  }),
});

/**
 * `GET /v1/runs/{id}`: one run whole, or its events for who asks for those. One of another tenant does not exist. A run that goes on
 * has the actions that will not run again.
 */
export const makeShowRun = (jobRuns: readonly JobRuns[]): Endpoint => ({
  route: "GET /v1/runs/:id",
  runsNothing: true,
  async handle(request, context, id) {
    const log = openLog(context);
    if (!log.ok) return log;
    if (wantsEvents(request.headers.get("accept")))
      return followRun({ id, log: log.value, jobRuns }, request, context);
    const seen = await askGate(async () => {
      const one = await findRun(id, log.value, context, jobRuns);
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
    const { run, children } = seen.value;
    const kept = readKeptRun(seen.value, context);
    const shown = { ...run, ...kept, children, ...deliveriesOf(id, kept.actions, context) };
    return respondCounted(JSON.stringify(shown), context);
  },
  describe: () => ({
    id: "getRun",
    summary: "Show a run: its plan, its actions, the runs that it caused",
    tag: "Runs",
    answer: {
      description: "The run, with the actions that the key may call",
      schema: runSchema(),
      events:
        "With `Accept: text/event-stream`: the events of the run from behind `Last-Event-ID`, then `event: done` with the envelope that its caller had",
    },
    refusals: ["NOT_FOUND", "MISCONFIGURED"],
  }),
});

/** Where the deliveries of the events are that a run published, for a key that may look at them. */
function deliveriesOf(
  id: string,
  actions: readonly { readonly tool: string }[],
  { catalog, caller }: RequestContext,
): { readonly deliveries?: string } {
  const publishes = actions.some(({ tool }) => catalog.get(tool)?.bindings.includes(ENDPOINTS) === true);
  return mayDo(caller, "manage_endpoints") && publishes ? { deliveries: `/v1/deliveries?run=${id}` } : {};
}

/** `DELETE /v1/runs/{id}`: forget a run. A key without the flag, such as a model's, cannot erase its trail. */
export const makeDeleteRun = (jobRuns: readonly JobRuns[]): Endpoint => ({
  route: "DELETE /v1/runs/:id",
  runsNothing: true,
  async handle(_, context, id) {
    const log = openLog(context);
    if (!log.ok) return log;
    const going = await refuseGoing(id, { log: log.value, jobRuns, wish: "deleted" }, context);
    if (!going.ok) return going;
    const hint = "Whether the run was deleted is not certain; send the same request again.";
    const deleted = await askGate(() => log.value.forget(id, sightOf(context)), hint);
    if (!deleted.ok) return deleted;
    return deleted.value ? ok(new Response(null, { status: 204 })) : err(NO_RUN);
  },
  describe: () => ({
    id: "deleteRun",
    summary: "Forget a run; its jobs and questions stay",
    tag: "Runs",
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["FORBIDDEN", "NOT_FOUND", "IDEMPOTENCY_IN_PROGRESS", "MISCONFIGURED"],
  }),
});
