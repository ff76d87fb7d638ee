import type { Aftermath } from "../../core/contract/gate/part-call.ts";
import type { TurnedJob } from "./turned-job.ts";

/** The binding of the objects that keep runs. */
export const RUN_LOGS = "RUNS";

/** The doors that a run comes by. */
export const RUN_SOURCES = [
  "http",
  "turn",
  "agent",
  "mcp",
  "flow",
  "webhook",
  "cron",
  "approval",
  "background",
  "orchestration",
] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

/** How a run ended as a whole. */
export const RUN_STATUSES = [
  "success",
  "partial",
  "error",
  "waiting",
  "running",
  "unknown",
  "undone",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export { OUTCOME_STATUSES as ENDS } from "../../core/contract/outcome.ts";

/** A run as lists and filters go by it; kept as JSON. */
export interface RunHead {
  readonly id: string;
  readonly source: RunSource;
  readonly key: string;
  readonly request: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly flow?: string;
  /** The run, or the job of a run, that caused it. */
  readonly parent?: string;
  /** The job that it is an attempt of. */
  readonly job?: string;
  /** The next attempt goes on with it. */
  readonly goesOn?: boolean;
  /** The question that it answers. */
  readonly answers?: string;
  /** It is this action of its parent; absent of any other run, and in runs that an earlier version recorded. */
  readonly of?: PlaceInRun;
  readonly tags?: readonly string[];
  /** The subject whose connections its tools used. */
  readonly subject?: string;
  /** The names of those that were chosen, by connector; absent without a subject, and in runs that an earlier version recorded. */
  readonly connections?: Readonly<Record<string, string>>;
  /** Why it broke off as a whole. */
  readonly code?: string;
  /** It was taken back from an export. */
  readonly imported?: true;
  /** Its jobs that were in trouble then; in an export alone, where there are any. */
  readonly jobs?: readonly TurnedJob[];
  /** The counts of what became of it since, there too. */
  readonly since?: readonly Aftermath[];
  /** Its tools, in the order of their first actions. */
  readonly tools: readonly ToolCount[];
}

/** An action of a run, or an element of its loop. */
export interface PlaceInRun {
  readonly id: string;
  readonly element?: number | undefined;
  readonly round?: number | undefined;
}

/** The actions of one tool in a run. */
export interface ToolCount {
  readonly tool: string;
  /** How many ended in each way, in the order of `ENDS`. */
  readonly ends: readonly number[];
  /** How many jobs they have made, where a loop has made some; absent in runs that an earlier version recorded. */
  readonly jobs?: number;
  /** Whether one of them may have happened is not known; absent in runs that an earlier version recorded. */
  readonly inDoubt?: true;
  /** The first of them that failed, and its place among all such. */
  readonly failed?: { readonly at: number; readonly action: string; readonly code: string };
  /** The questions that some of them wait for. */
  readonly waits?: readonly Waiting[];
  /** The first names that were sent where there is no such tool; absent where no content is kept. */
  readonly asked?: readonly string[];
}

/** Actions that wait for a person. */
export interface Waiting {
  readonly question: string;
  /** When the question ends by itself, in milliseconds since the epoch. */
  readonly until: number;
  readonly actions: number;
}

/** A run as it is reported: its head and its body, both as JSON text. */
export interface ReportedRun {
  readonly head: string;
  readonly body: string;
  /** When the request began that it is of; absent where an earlier version reports it. */
  readonly begunAt?: number | undefined;
}

/** A run as an export has it: with the time at which its report arrived. */
export interface ExportedRun extends Omit<ReportedRun, "begunAt"> {
  readonly at: number;
  /** The names of what became of it since. */
  readonly after?: readonly string[];
}

/** The runs of one tenant that an isolate has seen since its last report. */
export interface RunReport {
  readonly id: string;
  /** It was sent before, and may have arrived. */
  readonly isRepeated: boolean;
  readonly runs: readonly ReportedRun[];
}
