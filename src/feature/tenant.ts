/** The tenant's object: a feature's rows and methods in it, and its jobs. */

import type { JobKind } from "../cloudflare/durable/job-kind.ts";
import type { JobSpec } from "../core/contract/gate/job.ts";
import { jobAttempts, jobBackoffInitialMs, jobRedrives } from "../core/contract/limits.ts";
export type { ObjectPart, OpenPart, PartWorld } from "../cloudflare/durable/object-part.ts";
export { redriveAll, visibleTools } from "../cloudflare/routes/jobs.ts";
export { isCall } from "../core/gate/state/outbox.ts";
export { createPartCall, type PartMethods } from "../core/contract/gate/part-call.ts";
export type { Gate } from "../core/contract/gate/tenant-gate-methods.ts";

/** A kind of job that a feature declares. */
interface DeclaredKind extends Pick<JobKind, "name" | "attempt" | "attemptMs" | "mayMend"> {
  /** Attempts of a tenant that run at once. */
  readonly atOnce: number;
  /** Jobs of a tenant that are alive at once. */
  readonly most: number;
}

/** Make a kind of job, whose attempts are the alarm's: it has a lane and a backlog of its own. */
export function createKind({ atOnce, most, ...kind }: DeclaredKind): JobKind {
  const { name } = kind;
  return {
    ...kind,
    lane: { name, places: atOnce },
    placeOf: () => ({ lane: name, backlog: name }),
    isQueued: true,
    hasRoom: (backlog) => backlog.sizeOf(name) < most,
    hasRoomAgain: (backlog) => backlog.sizeOf(name) < most + jobRedrives,
    limitOf: () => null,
  };
}

/** Make a job of a declared kind, to record in a turn of the tenant's object. Its kind's name is what lists show as its tool. */
export function makeJob(job: { readonly id: string; readonly kind: string; readonly args: object }): JobSpec {
  const { id, kind, args } = job;
  return {
    id,
    kind,
    tool: kind,
    argsJson: JSON.stringify(args),
    idempotencyKey: id,
    maxAttempts: jobAttempts,
    backoffInitialMs: jobBackoffInitialMs,
    delivery: "at-least-once",
  };
}
