import * as z from "zod/mini";

import type { Failure } from "./failure.ts";
import { strictSchema, type Written } from "./lazy-schema.ts";

/** How a result was cut. */
export const truncationSchema = /* @__PURE__ */ strictSchema(() => {
  const count = z.int().check(z.minimum(0));
  return {
    tokens_before: count,
    tokens_after: count,
    elements_dropped: count,
    fields_dropped: count,
    characters_dropped: count,
    /** Up to five places where something is missing, as JSON Pointers; `""` is the whole. */
    at: z.array(z.string()),
  };
});

export type Truncation = Written<typeof truncationSchema>;

/** The verdicts of a look at a lost write's effect, as of that moment. */
export const VERDICTS = ["took_effect", "not_found", "inconclusive"] as const;

export type Verdict = (typeof VERDICTS)[number];

/** One attempt of a call, counted from the batch's start and without its queues; its code where it failed. */
export const trySchema = /* @__PURE__ */ strictSchema(() => {
  const milliseconds = z.number().check(z.minimum(0));
  return {
    started_ms: milliseconds,
    duration_ms: milliseconds,
    code: z.optional(z.string()),
  };
});

export type Try = Written<typeof trySchema>;

/** A line that a tool wrote into its log. */
export interface LogLine {
  /** By the clock, in milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
  /** The action that it is of, where it is told of a job of several. */
  readonly of?: string;
}

/** The measures of one action. Absent means it does not apply: an action that never ran has no duration. */
export interface OutcomeMeta {
  /** From dispatch to the end, without waiting for our own caps. */
  readonly durationMs?: number;
  /** Waiting for a cap or a header slot after its dependencies were met. */
  readonly queuedMs?: number;
  readonly attempts?: number;
  /** From where arguments were read that came as JSON text; absent where none did. */
  readonly readAs?: string;
  /** When its first attempt left its queues, in milliseconds from the batch's start. */
  readonly startedMs?: number;
  /** Its attempts, the last one included, where there was more than one. A loop has none: each of its elements is a call. */
  readonly tries?: readonly Try[];
  /** The first lines of its log. Not shown: its run keeps them. */
  readonly log?: readonly LogLine[];
  /** Size of `data` as JSON, in bytes. */
  readonly bytes?: number;
  /**
   * The time it would have taken with nothing else under way, where that is not its duration: a loop's elements added up, 0
   * for a call that was another's. Not shown, but the batch's `sequential_ms` counts it.
   */
  readonly workMs?: number;
  /** How a loop's elements ended. */
  readonly items?: { readonly total: number; readonly ok: number; readonly error: number };
  /** The action whose call this one shared; it made none itself. */
  readonly deduplicatedOf?: string;
  /** How long ago its answer was asked for, where that was remembered and nothing was called. */
  readonly ageMs?: number;
  /** Selected pointers to which nothing was there. */
  readonly selectMissing?: readonly string[];
  /** The keys that are there, where nothing was that was selected. */
  readonly selectHints?: readonly string[];
  /** A handle gives its data though nothing was cut: it is a write, which must not be repeated to see it. */
  readonly keepsWhole?: true;
  /** How much of `data` was cut to fit the batch's token budget. */
  readonly truncated?: Truncation;
  /** A part of `data` alone was kept of an earlier attempt, so nothing may be sent that is made of it. Not shown. */
  readonly isCut?: true;
  /** It was unfinished at the deadline and goes on as a job. */
  readonly demoted?: true;
  /** For a lost write: which tool was asked whether it took effect, and what that showed. */
  readonly verification?: { readonly tool?: string; readonly verdict: Verdict; readonly durationMs: number };
  /** Stands for the whole of `data` in a later batch's references, for a while. */
  readonly handle?: string;
  /**
   * A request of it that may change something was sent, and whether that took effect is not known. It says so of an `error`, and of a
   * loop or a flow in which that happened; of an `unknown` its status does. Read it by `isInDoubt`.
   */
  readonly inDoubt?: true;
  /**
   * It failed, and it is certain that none of its requests, reads included, reached a service. Absent where that is not known. Not
   * shown, nor kept: such a failure lets go of its idempotency key.
   */
  readonly sentNothing?: true;
  /** The facts that a feature adds, by the names of the wire. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Words of a feature that a model is told with it. Not shown to anybody else. */
  readonly note?: string;
  /** The accounts that it used, by connector. Not shown; kept with its run. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** It ran before, under the same idempotency key; this is what came of it then. */
  readonly replayed?: true;
  /** The limiter did not answer, so the call is not counted. */
  readonly limiter?: "degraded";
}

/** The shown part of some data. */
export interface Shown {
  readonly data: unknown;
  readonly json: string;
}

/** Where a person can say yes to an action, or no. */
export interface PendingConfirmation {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** One sentence for that person: which tool, with which arguments, and what else waits. */
  readonly message: string;
  /** The page that asks: an address, or its path alone where the name that serves it is unknown. */
  readonly url: string;
  /** Where the account is connected that it waits for; absent where it waits for a yes. */
  readonly connectUrl?: string | undefined;
}

/** The address of the page that asks a person. @param origin of the request that this is told to; its path alone without */
export function toConfirmationUrl(id: string, origin = ""): string {
  return `${origin}/console#/confirmations/${id}`;
}

/** A pending confirmation as it goes over the wire (`confirmation` of a result). */
export const pendingSchema = /* @__PURE__ */ strictSchema(() => ({
  id: z.string(),
  expires_at: z.string(),
  message: z.string(),
  url: z
    .string()
    .check(z.describe("The page that asks a person; its path alone where no request was answered")),
  connect_url: z
    .optional(z.string())
    .check(z.describe("Where the account is connected that it waits for: then it runs")),
}));

/** Translate a pending confirmation to the wire. */
export function toWirePending(pending: PendingConfirmation): Written<typeof pendingSchema> {
  const { id, expiresAt, message, url, connectUrl } = pending;
  const expires_at = new Date(expiresAt).toISOString();
  return { id, expires_at, message, url, ...(connectUrl !== undefined && { connect_url: connectUrl }) };
}

/** A pending confirmation as it is kept: without an address where a version before this one kept it. */
export interface StoredPending {
  readonly confirmation?: Omit<PendingConfirmation, "url"> & { readonly url?: string };
}

/** The confirmation that an outcome waits for, to be kept. */
export function storePending(outcome: Outcome): StoredPending {
  return outcome.status === "pending_confirmation" ? { confirmation: outcome.confirmation } : {};
}

/** The outcome that waits for it, read back. */
export function recallPending({ confirmation }: StoredPending, meta: OutcomeMeta): Outcome {
  const url = toConfirmationUrl(confirmation!.id);
  return { status: "pending_confirmation", confirmation: { url, ...confirmation! }, meta };
}

/** Write the fields of a result that waits for a person as JSON, each behind its comma. */
export function toPendingJson({ confirmation }: PendingOutcome): string {
  const fields = { connect_url: confirmation.connectUrl, confirmation: toWirePending(confirmation) };
  return `,${JSON.stringify(fields).slice(1, -1)}`;
}

interface PendingOutcome {
  readonly status: "pending_confirmation";
  readonly confirmation: PendingConfirmation;
}

/** The outcome of one action. Exactly one of these exists for every action of a batch. */
export type Outcome = { readonly meta: OutcomeMeta } & (
  | {
      readonly status: "success";
      readonly data: unknown;
      /** `data` as JSON: serialised once, when the tool returned, and never again. */
      readonly json: string;
      /** The part of it that the caller selected; references still see the whole. */
      readonly shown?: Shown;
    }
  | {
      readonly status: "error";
      readonly error: Failure;
      /** The elements of a loop that failed as a whole, where one of them did something or may have. */
      readonly partial?: Shown;
    }
  | { readonly status: "initiated"; readonly jobId: string }
  | PendingOutcome
  | { readonly status: "skipped"; readonly error: Failure; readonly because: string }
  | { readonly status: "unknown"; readonly error: Failure; readonly partial?: Shown }
);

export type OutcomeStatus = Outcome["status"];

/** The part that an outcome shows as `data`; undefined where it shows none. */
export function shownOf(outcome: Outcome): Shown | undefined {
  if (outcome.status === "success") return outcome.shown ?? outcome;
  return "partial" in outcome ? outcome.partial : undefined;
}

/** Whether actions that depend on this one may run. */
export function isMet(outcome: Outcome): boolean {
  return outcome.status === "success" || outcome.status === "initiated";
}

/** Whether a status leaves open what became of the request: a proxy that gave up waiting may have passed it on. */
export function leavesInDoubt(status: number): boolean {
  return status === 408 || status >= 500;
}

/**
 * Whether something of this action may have happened that is not known: nothing sends it again without a person's yes, unless its
 * declaration says that it may be repeated. Its status does not say so: a service that answered 504 may have done it.
 */
export function isInDoubt({ status, meta }: Pick<Outcome, "status" | "meta">): boolean {
  return status === "unknown" || meta.inDoubt === true;
}

/** Say of what may have taken effect before that it still may, unless it has now: the answer to a second request proves nothing of the first. */
export function keepDoubt(outcome: Outcome): Outcome {
  const { status, meta } = outcome;
  const isOpen = status === "error" || status === "skipped" || (meta.items?.error ?? 0) > 0;
  return isOpen ? { ...outcome, meta: { ...meta, inDoubt: true } } : outcome;
}

/** Whether this action failed, which under fail-fast stops the batch. Waiting for a person is no failure. */
export function isFailure(outcome: Outcome): boolean {
  return !isMet(outcome) && outcome.status !== "pending_confirmation";
}

/** Whether this action was not run, or was stopped, because another failed. */
export function isConsequence(outcome: Outcome): boolean {
  return outcome.status === "skipped" || ("error" in outcome && outcome.error.code === "ABORTED");
}

/** Where the first failure is: a consequence of another is one only where no other is there. -1 for none. */
export function findFirstFailure(outcomes: readonly Outcome[]): number {
  const failed = outcomes.filter(isFailure);
  return outcomes.indexOf(failed.find((outcome) => !isConsequence(outcome)) ?? failed[0]!);
}

/** A result, as an outcome or on the wire, as far as its counting depends on it. */
type Counted = Pick<Outcome, "status"> & {
  readonly data?: unknown;
  readonly meta: Pick<OutcomeMeta, "items">;
};

/** The ends of actions, in the order in which they are counted. */
export const OUTCOME_STATUSES = [
  "success",
  "error",
  "initiated",
  "skipped",
  "pending_confirmation",
  "unknown",
] as const satisfies readonly OutcomeStatus[];

/** Count outcomes by what became of them. */
export function countStatuses(outcomes: readonly Counted[]): Counts {
  const counts = { ...NO_ENDS };
  for (const outcome of outcomes) counts[countedAs(outcome)] += 1;
  return counts;
}

type Counts = Record<OutcomeStatus, number>;

const NO_ENDS = Object.fromEntries(OUTCOME_STATUSES.map((status) => [status, 0])) as Counts;

/** The status that a result is counted by: a loop whose elements all go on in the background is going on, as they are. */
export function countedAs({ status, data, meta }: Counted): OutcomeStatus {
  if (status !== "success" || meta.items === undefined || !Array.isArray(data)) return status;
  const ends = data.map((entry: Pick<Outcome, "status"> | null) => entry?.status);
  return ends.includes("initiated") && !ends.includes("success") ? "initiated" : status;
}
