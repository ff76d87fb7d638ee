import type { WireFailure } from "../failure.ts";
import type { LogLine, OutcomeMeta } from "../outcome.ts";
import type { Account, Origin, TRIGGERS } from "./caller.ts";

/** The statuses of a job: `running` and `retrying` are alive, the rest is final. */
export const JOB_STATUSES = [
  "running",
  "retrying",
  "succeeded",
  "failed",
  "dead",
  "cancelled",
  "unknown",
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Whether a job has ended otherwise than well. To call one off is no failure. */
export function isTrouble(status: JobStatus): boolean {
  return status === "failed" || status === "dead" || status === "unknown";
}

/** How often a side effect may happen when an attempt is lost. */
export type Delivery = "at-least-once" | "at-most-once";

/**
 * When a job whose attempt failed has its next one: within minutes and a few times, or on the schedule that Standard Webhooks
 * publishes, ten times in three days.
 */
export type Retries = "backoff" | "standard-webhooks";

/** Where the event about a job's end goes. The secret that signs it is named, never stored. */
export interface CallbackTarget {
  readonly url: string;
  /** The configuration variable that holds it. */
  readonly secretName: string;
}

/** Who asked for a job, in which batch, and when. */
export interface JobOrigin extends Origin {
  readonly batchId: string;
  /** Milliseconds since the epoch; absent where a version recorded it that did not keep it. */
  readonly askedAt?: number;
  /** Where the batch's events go; absent where it names no address. */
  readonly callback?: CallbackTarget;
}

/** The facts of a run of a stored batch without a waiting caller, besides those of a job. */
export interface RunOf {
  readonly trigger: (typeof TRIGGERS)[number];
  /** How long an attempt may take: the batch's own. */
  readonly deadlineMs: number;
  /** Its input is too large for its row, and the feature keeps it. */
  readonly isInputApart?: true;
  /** The delivery that began it; absent where a clock did, and where a version recorded it that did not keep it. */
  readonly hook?: HookFacts;
}

/** The facts of a delivery, besides its body, that the run which it began can refer to. */
export interface HookFacts {
  readonly event: string | null;
  readonly id: string | null;
  readonly sender: string;
}

/** Background work as it is recorded: everything a later attempt needs, without the batch that asked for it. */
export interface JobSpec {
  readonly id: string;
  readonly tool: string;
  /** The action of its batch that it is; absent of other jobs, and where an earlier version recorded it. */
  readonly action?: string;
  /** The validated arguments, as JSON text: stored as it is, parsed only by the attempt that runs it. */
  readonly argsJson: string;
  /** Sent upstream on every attempt, so that a provider which honours it acts once. */
  readonly idempotencyKey: string;
  readonly maxAttempts: number;
  readonly backoffInitialMs: number;
  readonly delivery: Delivery;
  /** `backoff` where absent. */
  readonly retries?: Retries;
  /** The name of its kind, where that is a feature's. */
  readonly kind?: string;
  /** Absent when the caller asked for no callback. */
  readonly callback?: CallbackTarget;
  /** Who asked, and in which batch; absent where a version recorded it that did not keep it. */
  readonly origin?: JobOrigin;
  /** When the first attempt begins, in milliseconds since the epoch; absent when at once. */
  readonly runAt?: number;
  /** Its tool is a read, so whatever becomes of an attempt leaves nothing in doubt. */
  readonly isRead?: true;
  /** The declaration of its tool, where a tenant added it: the job goes on with that, whatever becomes of the tool. */
  readonly toolJson?: string;
  /** It is a run of a stored batch, which `toolJson` has. */
  readonly run?: RunOf;
  /** Facts for the part that looks after the writes of its batch, as text; absent where none does. */
  readonly kept?: string;
  /** The words by which the run that it is can be found. */
  readonly tags?: readonly string[];
}

/** The right to run one attempt. An answer that carries an older fence than the row's is refused. */
export interface JobClaim {
  readonly spec: JobSpec;
  readonly attempt: number;
  readonly fence: number;
}

/** An attempt, by which its object knows whether it still has its job. */
export interface Attempt {
  readonly jobId: string;
  readonly fence: number;
}

/**
 * How one attempt ended. `lost`: the request was sent and nothing certain came back. `unknown`: the same, and no other attempt
 * can do anything about it. `released`: nothing was sent at
 * all, for want of time; the attempt does not count and the job is due again at once. `deferred`: nothing was sent,
 * because the upstream is known to fail or the tool's global limits have no room; the attempt does not count and the job
 * is due when `error` says. `continued`: a part of it is done, for want of time, and the rest is due at once; that does not count either.
 */
export type AttemptEnd = (
  | {
      readonly kind: "succeeded";
      readonly dataJson: string;
      /** The object's parts hear it, and its row has none of it. */
      readonly keptJson?: string;
    }
  | { readonly kind: "failed" | "lost" | "unknown" | "deferred"; readonly error: WireFailure }
  | { readonly kind: "released" }
  | { readonly kind: "continued" }
) & {
  /** The lines that its tool wrote: the same is true of them. */
  readonly log?: readonly LogLine[];
  /** The accounts in which it did something, or may have, by connector: what comes after it uses no others. */
  readonly accounts?: OutcomeMeta["accounts"];
  /** It failed at one thing, and another may have taken effect. */
  readonly inDoubt?: boolean;
};

/** One attempt that has ended: without a code it succeeded. Times are milliseconds. */
export interface JobTry {
  /** When it was claimed, since the epoch. */
  readonly at: number;
  /** From its claim to its report, or to the end of its lease where none came. */
  readonly durationMs: number;
  readonly code?: string | undefined;
  readonly upstreamStatus?: number | undefined;
  /** It was sent, or may have been, and whether it took effect is not known. */
  readonly inDoubt?: true | undefined;
}

/** How many calls of a job are over, failed ones among them, and how many there are as far as that is known. */
export interface JobProgress {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

/** A job as `GET /v1/jobs/{id}` shows it; data and error as JSON text, so nothing is parsed on the way. */
export interface JobRecord {
  readonly id: string;
  readonly tool: string;
  readonly status: JobStatus;
  /** It has not succeeded, and one of its attempts may have taken effect. */
  readonly inDoubt?: true | undefined;
  readonly attempts: number;
  /** The last attempts that counted and have ended, the oldest first; those before a redrive too. */
  readonly tries: readonly JobTry[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextAttemptAt: number | null;
  /** From when it could begin to its end; absent while it is alive. */
  readonly durationMs?: number | undefined;
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly key?: string | undefined;
  /** Whose accounts it uses. */
  readonly subject?: string | undefined;
  /** The only ones, by connector, once it did something in them, or may have. */
  readonly accounts?: Account["ids"];
  /** How far it has come, where it is many calls. */
  readonly progress?: JobProgress | undefined;
  /** The trigger that started it, where it is a run. */
  readonly trigger?: RunOf["trigger"] | undefined;
  /** The words by which the run that it is can be found. */
  readonly tags?: readonly string[] | undefined;
  /** Its tool is kept with it, so it goes on whatever becomes of the one of that name. Absent in a list. */
  readonly keepsTool?: boolean | undefined;
  /** Absent in a list. */
  readonly argsJson?: string | undefined;
  readonly dataJson: string | null;
  readonly errorJson: string | null;
  /** For a run: the envelope of its last attempt that has ended. Absent in a list. */
  readonly envelopeJson?: string | undefined;
  /** One sentence when the status alone would mislead, e.g. that the output of a success was too large to keep. */
  readonly note: string | null;
  /** Null when the caller asked for no callback. */
  readonly callback: CallbackRecord | null;
}

/** How the event about a job's end fares. `pending` also while the job is still alive. */
export const CALLBACK_STATUSES = ["pending", "delivered", "disabled", "failed"] as const;

export type CallbackStatus = (typeof CALLBACK_STATUSES)[number];

/** The event's delivery as `GET /v1/jobs/{id}` shows it. Its address may hold secrets, so it is not shown. */
export interface CallbackRecord {
  readonly status: CallbackStatus;
  readonly attempts: number;
  /** HTTP status of the last answer; null before the first, and when an attempt got none. */
  readonly lastStatus: number | null;
  readonly nextAttemptAt: number | null;
}

/** One attempt to deliver the event about a job's end. */
export interface CallbackClaim {
  readonly jobId: string;
  /** `webhook-id`: the same on every attempt, another one when the job is redriven and ends again. */
  readonly eventId: string;
  readonly attempt: number;
  readonly target: CallbackTarget;
  /** The batch's own address, where its action has another. */
  readonly also?: CallbackTarget | undefined;
  /** The job as it ended. */
  readonly job: JobRecord;
}

/** How such an attempt ended. */
export type CallbackEnd =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: "unanswered" };

/** A place in the list of jobs, newest first. Ids break ties, so it names one place whatever comes or goes. */
export interface JobCursor {
  readonly createdAt: number;
  readonly id: string;
}

export interface JobQuery {
  /** Null for every status. */
  readonly status: JobStatus | null;
  /** Only jobs of these; every tool's where it is not said. */
  readonly tools?: readonly string[] | undefined;
  readonly batchId?: string | undefined;
  /** Only jobs that use the accounts of this subject; all where it is not said. */
  readonly subject?: string | undefined;
  /** Only jobs that this key asked for; all where it is not said. */
  readonly key?: string | undefined;
  /** Only live jobs of these kinds; all where it is not said. */
  readonly liveOf?: readonly string[] | undefined;
  /** Created at or after, and before, these times. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
  /** List what comes after this place; null begins with the newest. */
  readonly after: JobCursor | null;
}

/** Which jobs are given fresh attempts besides dead ones. */
export interface RedriveOptions {
  /** A job that failed for good is given them too: what asked for it asks once more. */
  readonly failedToo?: boolean;
}

/** The outcome of a request to cancel or redrive a job, and the job as it is now. */
export interface JobChange {
  readonly change: "done" | "wrong-status" | "backlog-full";
  readonly job: JobRecord;
}

/** The answer of `POST /v1/jobs/redrive`. */
export interface Redriven {
  readonly redriven: number;
  /** Jobs that were looked at and left, because their tool is not there or they changed meanwhile. */
  readonly not_redriven: number;
  /** Tools that are not deployed any more: their jobs stay dead. */
  readonly tools_gone: readonly string[];
  /** The backlog had no room for some. */
  readonly backlog_full: boolean;
  /** There are more than one request redrives. */
  readonly more: boolean;
}
