import * as z from "zod/mini";

import { executionSchema } from "../core/answer/result-schema.ts";
import { actionSchema } from "../core/contract/action.ts";
import { batchForm } from "../core/contract/batch.ts";
import { jobSchema } from "../core/contract/gate/job-json.ts";
import { JOB_STATUSES } from "../core/contract/gate/job.ts";
import { strictSchema } from "../core/contract/lazy-schema.ts";
import * as LIMITS from "../core/contract/limits.ts";
import { pageFields, pageSchema, waitField } from "../core/contract/list-query.ts";
import { routersOf } from "./app.ts";
import { CORE_ROUTES } from "./routes/execute-actions.ts";
import { redriveSchema } from "./routes/jobs.ts";
import type { Declared } from "./configured.ts";
import type { Feature } from "./feature.ts";
import { descriptionsOf } from "./openapi/route.ts";
import type { Described, DescribedRoute } from "./openapi/operation.ts";

/** A batch as it is documented: its actions are parsed one by one, so that one bad action stays one bad action. */
function documentedBatch({ features, withFields }: Declared): z.core.$ZodType {
  const action = actionSchema().check(z.meta({ id: "Action" }));
  const actions = z.array(action).check(z.minLength(1), z.maxLength(LIMITS.actions));
  const plain = z.extend(batchForm.schema(), { actions });
  const whole = withFields(plain);
  const batch = features.includes(BACKGROUND) ? whole : z.omit(whole, { background: true });
  return batch.register(z.globalRegistry, { id: "Batch" });
}

const recordedSchema = strictSchema("RecordedBatch", () => ({ run_id: z.string(), job_id: z.string() }));

/** Calls of tools that every key may call, because every key may read the document. */
const DISCOVERY_EXAMPLE = {
  actions: [
    { id: "first", tool: "discover_tools", args: { limit: 1 } },
    { id: "schema", tool: "get_tool_schema", args: { tool_name: { $template: "{{first#/tools/0/name}}" } } },
    { tool: "discover_tools", args: { query: "weather in Phoenix, AZ" }, select: ["/tools/0", "/total"] },
  ],
  on_error: "partial-success",
  deadline_ms: 15_000,
};

/** The feature that runs batches without a waiting caller. */
const BACKGROUND = "background";

/** No tool that every key may call is known here, so the name stands for one of the caller's own. */
const EXAMPLE = {
  actions: [{ id: "first", tool: "your_tool", args: {} }],
  on_error: "partial-success",
  deadline_ms: 15_000,
};

const ofOneJob = () => ({ tag: "Jobs", answer: { description: "The job", schema: jobSchema() } });

const redrivenSchema = strictSchema("RedrivenJobs", () => ({
  redriven: z.int().check(z.minimum(0)),
  not_redriven: z
    .int()
    .check(
      z.minimum(0),
      z.describe("The jobs that were left as they are: their tool is not there, or they changed meanwhile"),
    ),
  tools_gone: z
    .array(z.string())
    .check(z.describe("Tools that are not deployed any more: their jobs stay dead")),
  backlog_full: z
    .boolean()
    .check(z.describe("The backlog had no room for some; redrive them when others have ended")),
  more: z.boolean().check(z.describe("There are more than one request redrives")),
}));

const waitQuery = strictSchema(() => ({ wait_s: waitField() }));

/** The words of the document for each path of core. One without the other does not compile. */
const CORE_OPERATIONS: Readonly<Record<(typeof CORE_ROUTES)[number]["route"], Described["describe"]>> = {
  "POST /v1/execute_actions": (declared) => ({
    id: "executeActions",
    summary: "Run a batch of actions and answer each of them",
    tag: "Batches",
    keyed: true,
    body: {
      schema: documentedBatch(declared),
      example: declared.features.includes("discovery") ? DISCOVERY_EXAMPLE : EXAMPLE,
    },
    answer: {
      description: "One result for every action, in the order asked; with dry_run, the plan",
      schema: executionSchema(),
      events: true,
    },
    ...(declared.features.includes(BACKGROUND) && {
      recorded: {
        description:
          'With `"background": true` or `Prefer: respond-async`: it is recorded, and runs as a job',
        schema: recordedSchema(),
      },
    }),
    refusals: [
      "INVALID_QUERY",
      "PLAN_CHANGED",
      ...(declared.features.includes(BACKGROUND) ? (["BACKLOG_FULL"] as const) : []),
    ],
    counted: true,
  }),
  "GET /v1/jobs": () => ({
    id: "listJobs",
    summary: "List background jobs, newest first",
    tag: "Jobs",
    query: z.strictObject({
      status: z.optional(z.enum(JOB_STATUSES)),
      tool: z.optional(z.string()),
      batch_id: z.optional(z.string()).check(z.describe("The batch that asked for them")),
      since: z.optional(z.iso.datetime({ offset: true })).check(z.describe("Created at or after this time")),
      until: z.optional(z.iso.datetime({ offset: true })).check(z.describe("Created before this time")),
      ...pageFields(),
    }),
    answer: {
      description: "One page of jobs, without their data",
      schema: pageSchema("jobs", jobSchema(), "JobPage"),
    },
  }),
  "GET /v1/jobs/:id": ({ features }) => ({
    id: "getJob",
    ...ofOneJob(),
    summary: "Show what became of background work",
    ...(features.includes("background") && { query: waitQuery() }),
    refusals: ["NOT_FOUND"],
  }),
  "POST /v1/jobs/:id/cancel": () => ({
    id: "cancelJob",
    ...ofOneJob(),
    summary: "Cancel a job that is not over",
    refusals: ["NOT_FOUND", "JOB_NOT_CANCELLABLE"],
  }),
  "POST /v1/jobs/:id/redrive": () => ({
    id: "redriveJob",
    ...ofOneJob(),
    summary: "Give a dead job new attempts",
    refusals: ["NOT_FOUND", "JOB_NOT_REDRIVABLE", "BACKLOG_FULL"],
  }),
  "POST /v1/jobs/redrive": () => ({
    id: "redriveJobs",
    summary: "Give dead jobs new attempts",
    tag: "Jobs",
    body: { schema: redriveSchema(), example: { status: "dead" } },
    answer: { description: "How many were redriven", schema: redrivenSchema() },
    refusals: ["INVALID_REQUEST"],
  }),
};

/** Collect what a Worker of some features answers, in the order of the document. */
export function describedRoutesOf(features: readonly Feature[]): readonly (Described | DescribedRoute)[] {
  const core = CORE_ROUTES.map((route) => ({ ...route, describe: CORE_OPERATIONS[route.route] }));
  const { keyed, open } = routersOf(features);
  return [...core, ...[...keyed, ...open].flatMap(descriptionsOf)];
}
