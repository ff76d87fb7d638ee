import type { Passage } from "../../../test/chaos/find-excess.ts";
import type { RunEvidence } from "../../../test/chaos/find-run-violations.ts";
import type { JobEvidence } from "../../../test/chaos/find-violations.ts";
import type { UpstreamAttempt } from "../../../test/chaos/chaos-upstream.ts";

/** One write of a batch: what its callers were told, and what the provider saw. */
export interface WriteEvidence {
  readonly n: number;
  /** The status of its result in every answer; empty where none came. */
  readonly told: readonly string[];
  /** Attempts under one key may be repeated; without one there is one. */
  readonly keyed: boolean;
  readonly attempts: readonly UpstreamAttempt[];
}

/** The webhooks about a job's end. */
export interface CallbackEvidence {
  readonly jobId: string;
  readonly status: string;
  /** The id and the status of every delivery that was answered well. */
  readonly delivered: readonly { readonly id: string; readonly status: string }[];
}

/** A question to a person: what was decided, and how often what it was about happened. */
export interface QuestionEvidence {
  readonly n: number;
  readonly decided: "approve" | "reject" | "expire";
  /** Decisions that were answered with an envelope. */
  readonly accepted: number;
  /** A decision broke off, so it is not known whether it was accepted. */
  readonly inDoubt: boolean;
  readonly happened: number;
}

/** A limit that many callers pass, and all that passed it. */
export interface LimitEvidence {
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
  readonly passages: readonly Passage[];
  /** Calls that were turned away: proof that it was reached. */
  readonly denied: number;
}

/** A cap on what may be under way at once. */
export interface CapEvidence {
  readonly name: string;
  readonly cap: number;
  readonly peak: number;
  readonly calls: number;
}

/** The work of a clock: runs that wrote, and its times while it was there. */
export interface ClockEvidence {
  readonly times: number;
  readonly runs: number;
}

/** A request that got no whole answer, in milliseconds since the epoch. */
export interface BrokenRequest {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** Requests that go to the provider without Volley. */
export const MACHINE = "(without Volley)";

/** How long a request of a kind took that was answered well. */
export interface Latency {
  readonly kind: string;
  /** Since the epoch. */
  readonly at: number;
  readonly ms: number;
}

/** All that the load knows in the end. */
export interface Evidence {
  /** Callers that stayed away because too many waited for their answer. */
  readonly leftOut: number;
  /** Requests by kind and what they were answered with. */
  readonly answers: Readonly<Record<string, number>>;
  /** The faults of single answers, as they came. */
  readonly problems: readonly string[];
  readonly broken: readonly BrokenRequest[];
  /** Answers that the service is not there just now. */
  readonly unavailable: readonly BrokenRequest[];
  /** Statuses of the results of all batches, and codes of the failed ones. */
  readonly results: Readonly<Record<string, number>>;
  readonly writes: readonly WriteEvidence[];
  readonly jobs: readonly JobEvidence[];
  /** Reads that were not done in time and became jobs, and how they ended; "nothing" where that is not known. */
  readonly late: readonly { readonly jobId: string; readonly status: string }[];
  readonly runs: readonly RunEvidence[];
  readonly callbacks: readonly CallbackEvidence[];
  readonly questions: readonly QuestionEvidence[];
  readonly limits: readonly LimitEvidence[];
  readonly caps: readonly CapEvidence[];
  readonly clock: ClockEvidence;
  /** Requests that reached a host which no tool declares. */
  readonly strayed: number;
  /** Requests of the model that were not as its API says. */
  readonly modelProblems: readonly string[];
  /** Keys that were made while it ran, which stand nowhere but in the answer that gave each. */
  readonly madeKeys: readonly string[];
}

/** The messages between the load and its parent process. */
export type ToLoad = { readonly kind: "start"; readonly url: string } | { readonly kind: "stop" };
export type FromLoad =
  | { readonly kind: "ready"; readonly upstreamUrl: string; readonly modelUrl: string }
  /** The load begins: when, in milliseconds since the epoch. */
  | { readonly kind: "began"; readonly at: number }
  | { readonly kind: "latencies"; readonly latencies: readonly Latency[] }
  | { readonly kind: "end"; readonly evidence: Evidence };
