import * as z from "zod/mini";
import { pageSchema } from "../../../core/contract/list-query.ts";

import { summarySchema } from "../../../core/answer/result-schema.ts";
import { lazySchema, looseSchema, strictSchema } from "../../../feature/schema.ts";
import { trySchema } from "../../../core/contract/outcome.ts";
import { ENDS, RUN_SOURCES, RUN_STATUSES } from "../run.ts";

const count = z.int().check(z.minimum(0));

export const runFilterSchema = strictSchema(() => ({
  source: z.optional(z.enum(RUN_SOURCES)),
  status: z.optional(z.enum(RUN_STATUSES)),
  tool: z.optional(z.string()),
  flow: z.optional(z.string()),
  key: z.optional(z.string()).check(z.describe("The name of the key that asked")),
  tag: z.optional(z.string()),
  subject: z.optional(z.string()).check(z.describe("Whose connections its tools used")),
  request_id: z.optional(z.string()),
  since: z
    .optional(z.iso.datetime({ offset: true }))
    .check(z.describe("Started at or after this time (RFC 3339)")),
  until: z
    .optional(z.iso.datetime({ offset: true }))
    .check(z.describe("Started before this time (RFC 3339)")),
}));

export const listedRunSchema = strictSchema("ListedRun", () => ({
  run_id: z.string().check(z.describe("The batch's id; of a request to a model that request's")),
  source: z.enum(RUN_SOURCES).check(z.describe("The door that it came by")),
  key: z.string(),
  flow: z.optional(z.string()),
  parent: z.optional(z.string().check(z.describe("The run, or the job of a run, that caused it"))),
  job_id: z.optional(z.string().check(z.describe("The job that it is an attempt of"))),
  request_id: z.string(),
  started_at: z.string(),
  duration_ms: z.number(),
  status: z
    .enum(RUN_STATUSES)
    .check(z.describe("`waiting` until every question of it is decided; `initiated` counts as success")),
  in_doubt: z
    .optional(z.literal(true))
    .check(z.describe("A write of it was sent, and whether that took effect is not known")),
  actions: count,
  summary: summarySchema(),
  tools: z.array(z.string()).check(z.describe("Ten at most")),
  unknown_tools: z
    .optional(z.array(z.string()))
    .check(z.describe("The names that were sent for `(unknown)`, ten at most")),
  tags: z.optional(z.array(z.string())),
  subject: z.optional(z.string()).check(z.describe("Whose connections its tools used")),
  connections: z
    .optional(z.record(z.string(), z.string()))
    .check(z.describe("Which of them were chosen, by connector")),
  error: z.optional(
    z
      .strictObject({ action: z.optional(z.string()), code: z.string() })
      .check(z.describe("The first action that failed")),
  ),
  imported: z
    .optional(z.literal(true))
    .check(z.describe("It was taken back from an export: it can be looked at, and not run again")),
}));

export const runPageSchema = lazySchema(() => pageSchema("runs", listedRunSchema(), "RunPage"));

const actionSchema = looseSchema("RunAction", () => ({
  id: z.string(),
  tool: z.string(),
  status: z.enum(ENDS),
  in_doubt: z.optional(z.literal(true)).check(z.describe("It may have taken effect")),
  args: z.optional(z.unknown()),
  written: z
    .optional(z.unknown())
    .check(
      z.describe("Its arguments as they were written, where references were resolved or it was refused"),
    ),
  data: z.optional(z.unknown()),
  error: z.optional(z.looseObject({ code: z.string() })),
  job_id: z.optional(z.string()),
  confirmation: z.optional(z.looseObject({ id: z.string() })),
  started_ms: z
    .optional(z.number())
    .check(z.describe("When it left its queues, counted from the run's start")),
  queued_ms: z.optional(z.number()),
  duration_ms: z.optional(z.number()),
  attempts: z.optional(count),
  tries: z.optional(z.array(trySchema())).check(z.describe("Each attempt, where there was more than one")),
  log: z
    .optional(z.array(z.strictObject({ at_ms: z.number(), text: z.string() })))
    .check(z.describe("The first lines that its tool wrote, at most 20 and 8 KiB")),
  round: z.optional(count).check(z.describe("Of a request to a model: the batch of it that asked for this")),
  batch_id: z.optional(z.string()).check(z.describe("The id of that batch")),
  private: z.optional(z.literal(true)).check(z.describe("Its tool is private: nothing is kept")),
  cut: z.optional(z.array(z.string())).check(z.describe("The fields that were too large to be kept")),
  redacted: z.optional(z.array(z.string())).check(z.describe("The fields that a secret was taken out of")),
}));

/** A run with all that is kept of it. */
export const runSchema = lazySchema("Run", () =>
  z.extend(listedRunSchema(), {
    plan: z.looseObject({
      edges: z.array(z.strictObject({ from: z.string(), to: z.string(), reason: z.string() })),
      on_error: z.optional(z.string()).check(z.describe("As its batch said it")),
    }),
    actions: z.array(actionSchema()),
    model: z.optional(
      z.array(
        z.strictObject({
          round: count,
          started_ms: z.number(),
          model_ms: z.number(),
          usage: z.optional(z.looseObject({})),
        }),
      ),
    ),
    children: z.array(listedRunSchema()).check(z.describe("The runs that it caused")),
    deliveries: z
      .optional(z.string())
      .check(z.describe("Where the deliveries of the events are that it published")),
  }),
);
