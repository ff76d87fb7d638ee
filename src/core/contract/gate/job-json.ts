import * as z from "zod/mini";

import { failureSchema } from "../failure.ts";
import { strictSchema, type Written } from "../lazy-schema.ts";
import * as LIMITS from "../limits.ts";
import { TRIGGERS } from "./caller.ts";
import { CALLBACK_STATUSES, type CallbackRecord, JOB_STATUSES, type JobRecord, type JobTry } from "./job.ts";
import { toIso } from "./outgoing-event.ts";

/** Background work as the wire shows it. */
export const jobSchema = /* @__PURE__ */ strictSchema("Job", () => {
  const time = z.string().check(z.describe("ISO 8601, UTC"));
  const count = z.int().check(z.minimum(0));
  const callback = z.strictObject({
    status: z.enum(CALLBACK_STATUSES),
    attempts: count,
    last_status: z.nullable(z.int()),
    next_attempt_at: z.nullable(time),
  });
  const oneTry = z.strictObject({
    at: time,
    duration_ms: count,
    code: z.optional(z.string()).check(z.describe("Absent where the attempt succeeded")),
    upstream_status: z.optional(z.int()),
    in_doubt: z.optional(z.literal(true)).check(z.describe("It may have taken effect")),
  });
  return {
    job_id: z.string(),
    tool: z.string(),
    batch_id: z.optional(z.string()).check(z.describe("The batch that asked for it")),
    key: z.optional(z.string()).check(z.describe("Name of the key that asked for it")),
    trigger: z.optional(z.enum(TRIGGERS)).check(z.describe("The trigger, where it is a run of a flow")),
    status: z.enum(JOB_STATUSES),
    in_doubt: z
      .optional(z.literal(true))
      .check(z.describe("It has not succeeded, and one of its attempts may have taken effect")),
    attempts: count,
    tries: z
      .array(oneTry)
      .check(
        z.maxLength(LIMITS.jobTries),
        z.describe("The last attempts that have ended, the oldest first; those before a redrive too"),
      ),
    created_at: time,
    updated_at: time,
    next_attempt_at: z.nullable(time),
    duration_ms: z
      .optional(count)
      .check(z.describe("From when the job could begin to its end; absent while it is not over")),
    progress: z
      .optional(z.strictObject({ done: count, failed: count, total: count }))
      .check(z.describe("Of a batch in the background: its calls, elements of loops each for itself")),
    note: z.optional(z.string()),
    callback: z.optional(callback).check(z.describe("How the event for `callback_url` fares")),
    args: z.optional(z.unknown()).check(z.describe("Shown with one job, to keys that may call its tool")),
    data: z.optional(z.unknown()),
    error: z.optional(failureSchema()),
    envelope: z
      .optional(z.unknown())
      .check(
        z.describe(
          "The envelope of a flow's run: that of its last attempt that has ended; shown with one job",
        ),
      ),
  };
});

type WireJob = Written<typeof jobSchema>;

/**
 * Write a job. Arguments, data and error are JSON text already, and are not parsed on the way.
 *
 * @param showsArgs whether its reader may know what it was called with, and what became of each action of a run
 */
export function toJobJson(job: JobRecord, { showsArgs = false } = {}): string {
  const head = JSON.stringify({
    job_id: job.id,
    tool: job.tool,
    batch_id: job.batchId,
    key: job.key,
    trigger: job.trigger,
    status: job.status,
    in_doubt: job.inDoubt,
    attempts: job.attempts,
    tries: job.tries.map(toWireTry),
    created_at: toIso(job.createdAt),
    updated_at: toIso(job.updatedAt),
    next_attempt_at: job.nextAttemptAt === null ? null : toIso(job.nextAttemptAt),
    duration_ms: job.durationMs,
    progress: job.progress,
    ...(job.note !== null && { note: job.note }),
    ...(job.callback !== null && { callback: toWireCallback(job.callback) }),
  } satisfies WireJob);
  const data = job.dataJson === null ? "" : `,"data":${job.dataJson}`;
  const error = job.errorJson === null ? "" : `,"error":${job.errorJson}`;
  const args = showsArgs && job.argsJson !== undefined ? `,"args":${job.argsJson}` : "";
  const envelope = showsArgs && job.envelopeJson !== undefined ? `,"envelope":${job.envelopeJson}` : "";
  return `${head.slice(0, -1)}${args}${data}${error}${envelope}}`;
}

/** Write the event about a job's end, as Standard Webhooks lays an event out. */
export function toEventJson(job: JobRecord): string {
  const head = JSON.stringify({ type: `job.${job.status}`, timestamp: toIso(job.updatedAt) });
  return `${head.slice(0, -1)},"data":${toJobJson(job)}}`;
}

function toWireTry({ at, durationMs, code, upstreamStatus, inDoubt }: JobTry): WireJob["tries"][number] {
  return { at: toIso(at), duration_ms: durationMs, code, upstream_status: upstreamStatus, in_doubt: inDoubt };
}

function toWireCallback(callback: CallbackRecord): WireJob["callback"] {
  const { status, attempts, lastStatus, nextAttemptAt: next } = callback;
  return { status, attempts, last_status: lastStatus, next_attempt_at: next === null ? null : toIso(next) };
}
