import type { Aftermath } from "../../core/contract/gate/part-call.ts";
import type { Remote } from "../../core/contract/gate/tenant-gate-methods.ts";
import type { Written } from "../../core/contract/lazy-schema.ts";
import type { listedRunSchema, runFilterSchema } from "./http/run-schemas.ts";
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
  /** The first of them that failed. */
  readonly failed?: { readonly at: number; readonly action: string; readonly code: string };
  /** The questions that some of them wait for. */
  readonly waits?: readonly Waiting[];
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

/** A rerun as an export has it: the writes that it set out to send, which the next rerun goes by. */
export interface ExportedRerun extends Omit<RerunClaim, "after"> {
  /** When it was written down. */
  readonly at: number;
}

/** The runs of one tenant that an isolate has seen since its last report. */
export interface RunReport {
  readonly id: string;
  /** It was sent before, and may have arrived. */
  readonly isRepeated: boolean;
  readonly runs: readonly ReportedRun[];
}

/** Who looks at runs: which actions there are for a key. */
export interface Sight {
  readonly key: string;
  /** The tools that the key may call; absent for all. */
  readonly tools?: readonly string[] | undefined;
  /** The key acts for this subject, and sees its runs alone; absent where it sees all. */
  readonly subject?: string | undefined;
}

/** A place in the list: runs come by their time, the newest first, and then by their id. */
export interface RunPlace {
  readonly at: number;
  readonly id: string;
}

/** The filters of a list, and which page of it is asked for. */
export type RunQuery = Omit<Written<typeof runFilterSchema>, "request_id" | "since" | "until"> & {
  readonly request?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
  /** List what comes after this place; null begins with the newest. */
  readonly after: RunPlace | null;
};

export type ListedRun = Written<typeof listedRunSchema>;

export interface RunPage {
  readonly runs: readonly ListedRun[];
  /** The place of each. */
  readonly places: readonly RunPlace[];
  readonly next: RunPlace | null;
  /** It depends on questions and jobs of which only the tenant's gate knows whether they are open. */
  readonly asks: boolean;
}

/** A run with its body and with the runs that it caused. */
export interface FoundRun {
  readonly run: ListedRun;
  readonly body: string;
  readonly children: readonly ListedRun[];
  /** Its jobs that are in trouble, of the tools that the key may call. */
  readonly jobs: readonly TurnedJob[];
  readonly asks: boolean;
  /** The names of what became of it since; absent where an object of an earlier version answers. */
  readonly after?: readonly string[];
}

/** A look at runs: the key that looks and, once the gate was asked, the questions that are open and the jobs that go on. */
export interface Look {
  readonly sight: Sight;
  readonly open?: readonly string[] | undefined;
  readonly jobs?: readonly Pick<TurnedJob, "job" | "run" | "request">[] | undefined;
}

/** All runs that share an action with one: the batch, the runs of the yeses to its questions, and the reruns of any of them. */
export interface Reruns {
  /** The run that all of them go back to. */
  readonly root: string;
  /** The body of the run that this one is a rerun of, however often; its own if it is not one, null where there is none any more. */
  readonly body: string | null;
  /** The bodies of the root and of the runs that answered its questions. */
  readonly answers: readonly string[];
  /** The ids of those runs; absent where an object of an earlier version answers. */
  readonly ids?: readonly string[];
  /** The first ones first; the body of one that has left no record is null. */
  readonly earlier: readonly (Omit<ExportedRerun, "root"> & Pick<Reruns, "body" | "answers" | "ids">)[];
  /** The jobs of all of them that are in trouble; absent where an object of an earlier version answers. */
  readonly jobs?: readonly TurnedJob[];
}

/** All runs that share actions with one, those that they share first, and the runs that actions of them were. */
export interface RelatedRuns {
  /** The run that all of them go back to. */
  readonly root: string;
  readonly runs: readonly { readonly head: RunHead; readonly body: string }[];
}

/** A rerun that is about to run. */
export interface RerunClaim {
  readonly root: string;
  readonly rerun: string;
  /** The ids of its writes. */
  readonly writes: readonly string[];
  /** How many there were before it. */
  readonly after: number;
}

/** The methods of the object that keeps the runs of a tenant. */
export interface RunLogMethods {
  report(report: RunReport): void;
  /** Hear what became of jobs of runs, whether those are reported yet or not. */
  hear(jobs: readonly TurnedJob[], aftermaths?: readonly Aftermath[]): void;
  list(query: RunQuery, look: Look): RunPage;
  find(id: string, look: Look): FoundRun | null;
  /** Forget a run; false where there is none for who looks. */
  forget(id: string, sight: Sight): boolean;
  /** The reruns of a run so far, or of the run that it is a rerun of. */
  reruns(id: string): Reruns;
  related(id: string): RelatedRuns;
  /** Write down, before it runs, which writes a rerun sets out to send; false where another has come in between. */
  claimRerun(claim: RerunClaim): boolean;
  /** Take back a rerun of which nothing ran. */
  dropRerun(rerun: string): void;
  /** The runs of one page of an export, the newest report first, from before a time; null begins with the newest. */
  read(
    before: number | null,
    bytes: number,
  ): { readonly runs: readonly ExportedRun[]; readonly next: number | null };
  /** The last reruns of an export. */
  readReruns(): readonly ExportedRerun[];
  /** Take runs and reruns of an export back, the newest first; how many runs were not there. */
  restore(runs: readonly ExportedRun[], reruns: readonly ExportedRerun[]): number;
  /** Forget everything; how many runs there were. */
  erase(): number;
}

/** The log of one tenant, an object of its own, from outside. */
export type RunLog = Remote<RunLogMethods>;
