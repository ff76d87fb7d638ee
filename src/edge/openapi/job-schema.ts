import * as z from "zod";

import { CALLBACK_STATUSES, JOB_STATUSES } from "../../contract/gate/job.ts";
import { LIMITS } from "../../contract/limits.ts";
import { failureSchema } from "./problem-schema.ts";

const time = z.string().describe("ISO 8601, UTC");

/** Background work. */
export const jobSchema = z
  .strictObject({
    job_id: z.string(),
    tool: z.string(),
    status: z.enum(JOB_STATUSES),
    attempts: z.int().min(0),
    created_at: time,
    updated_at: time,
    next_attempt_at: time.nullable(),
    note: z.string().optional(),
    callback: z
      .strictObject({
        status: z.enum(CALLBACK_STATUSES),
        attempts: z.int().min(0),
        last_status: z.int().nullable(),
        next_attempt_at: time.nullable(),
      })
      .optional()
      .describe("How the event for `callback_url` fares"),
    data: z.unknown().optional(),
    error: failureSchema.optional(),
  })
  .meta({ id: "Job" });

export const jobPageSchema = z
  .strictObject({
    jobs: z.array(jobSchema),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "JobPage" });

export const jobQuerySchema = z.strictObject({
  status: z.enum(JOB_STATUSES).optional(),
  limit: z.int().min(1).max(LIMITS.maxJobPage).optional(),
  cursor: z.string().optional().describe("The next_cursor of an earlier page"),
});
