import * as z from "zod/mini";

import type { AnsweredMethods } from "../../../core/contract/gate/parked-group.ts";
import { ENDPOINTS } from "../../../core/contract/gate/publishing.ts";
import { createPartCall } from "../../../core/contract/gate/part-call.ts";
import type { Written } from "../../../core/contract/lazy-schema.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { err, ok } from "../../../core/kit/result.ts";
import { type Look, RUN_SOURCES, RUN_STATUSES } from "../run.ts";
import { parseRunQuery, toRunCursor } from "../run-query.ts";
import { sees } from "../see-run.ts";
import { NO_RUN, openLog, sightOf } from "./open-log.ts";
import { runPageSchema, runSchema } from "./run-schemas.ts";

/** `GET /v1/runs`: what ran of the tenant, newest first, as far as the key may see it. */
export const listRuns: Endpoint = {
  route: "GET /v1/runs",
  runsNothing: true,
  async handle(request, context) {
    const log = openLog(context);
    if (!log.ok) return log;
    const query = parseRunQuery(new URL(request.url).searchParams);
    if (!query.ok) return query;
    const found = await askGate(() => look(context, (seen) => log.value.list(query.value, seen)), UNREADABLE);
    if (!found.ok) return found;
    const { runs, next } = found.value;
    const answer = { runs, next_cursor: next === null ? null : toRunCursor(next) };
    return ok(respondJson(JSON.stringify(answer)));
  },
  describe: () => ({
    id: "listRuns",
    summary: "List what ran, newest first",
    tag: "Runs",
    query: z.strictObject({
      source: z.optional(z.enum(RUN_SOURCES)),
      status: z.optional(z.enum(RUN_STATUSES)),
      tool: z.optional(z.string()),
      flow: z.optional(z.string()),
      key: z.optional(z.string()).check(z.describe("The name of the key that asked")),
      tag: z.optional(z.string()),
      request_id: z.optional(z.string()),
      since: z
        .optional(z.iso.datetime({ offset: true }))
        .check(z.describe("Started at or after this time (RFC 3339)")),
      until: z
        .optional(z.iso.datetime({ offset: true }))
        .check(z.describe("Started before this time (RFC 3339)")),
      limit: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxJobPage))),
      cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
    }),
    answer: {
      description:
        "One page; one that has looked far for few runs may be shorter than asked, and has a cursor",
      schema: runPageSchema(),
    },
    refusals: ["INVALID_QUERY", "MISCONFIGURED"],
  }),
};

/** `GET /v1/runs/{id}`: one run whole. One of another tenant does not exist. */
export const showRun: Endpoint = {
  route: "GET /v1/runs/:id",
  runsNothing: true,
  async handle(_, context, id) {
    const log = openLog(context);
    if (!log.ok) return log;
    const found = await askGate(() => look(context, (seen) => log.value.find(id, seen)), UNREADABLE);
    if (!found.ok) return found;
    if (found.value === null) return err(NO_RUN);
    const { run, body, children } = found.value;
    const kept = parseExact(body) as Pick<Written<typeof runSchema>, "plan" | "actions" | "model">;
    const sight = { sight: sightOf(context) };
    const actions = kept.actions
      .filter(({ tool }) => sees(sight, tool))
      // They are for running it again.
      .map(({ call_key: _key, resolved: _resolved, ...action }) => action);
    const ids = new Set(actions.map((action) => action.id));
    const edges = kept.plan.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
    const shown = {
      ...run,
      ...kept,
      plan: { edges },
      actions,
      children,
      ...deliveriesOf(id, actions, context),
    };
    return ok(respondJson(JSON.stringify(shown)));
  },
  describe: () => ({
    id: "getRun",
    summary: "Show a run: its plan, its actions, the runs that it caused",
    tag: "Runs",
    answer: { description: "The run, with the actions that the key may call", schema: runSchema() },
    refusals: ["NOT_FOUND", "MISCONFIGURED"],
  }),
};

/** Where the deliveries of the events are that a run published, for a key that may look at them. */
function deliveriesOf(
  id: string,
  actions: readonly { readonly tool: string }[],
  { catalog, caller }: RequestContext,
): { readonly deliveries?: string } {
  const publishes = actions.some(({ tool }) => catalog.get(tool)?.bindings.includes(ENDPOINTS) === true);
  return caller.manageEndpoints === true && publishes ? { deliveries: `/v1/deliveries?run=${id}` } : {};
}

/** `DELETE /v1/runs/{id}`: forget a run. A key without the flag, such as a model's, cannot erase its trail. */
export const deleteRun: Endpoint = {
  route: "DELETE /v1/runs/:id",
  runsNothing: true,
  async handle(_, context, id) {
    const log = openLog(context);
    if (!log.ok) return log;
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
    refusals: ["FORBIDDEN", "NOT_FOUND", "MISCONFIGURED"],
  }),
};

const callQuestions = createPartCall<AnsweredMethods>("confirmations");

const UNREADABLE = "The tenant's runs could not be read; ask again.";

/**
 * Look at runs. The log knows of a question who said yes and when it ends by itself; where neither tells whether it is open, the
 * tenant's gate is asked once for all that are, and the log again.
 */
async function look<T extends { readonly asks: boolean } | null>(
  context: RequestContext,
  ask: (look: Look) => Promise<T>,
): Promise<T> {
  const sight = sightOf(context);
  const found = await ask({ sight });
  if (found?.asks !== true || context.brought?.asking === undefined) return found;
  const pending = await callQuestions(context.gate, "confirmations", {
    status: "pending",
    limit: LIMITS.confirmationsPending,
    after: null,
  });
  return ask({ sight, open: pending.map(({ id }) => id) });
}
