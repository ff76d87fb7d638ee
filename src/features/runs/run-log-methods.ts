import type { Aftermath } from "../../core/contract/gate/part-call.ts";
import type { Remote } from "../../feature/tool.ts";
import type { Written } from "../../feature/schema.ts";
import type { listedRunSchema, runFilterSchema } from "./http/run-schemas.ts";
import type { TurnedJob } from "./turned-job.ts";
import type { ExportedRun, RunHead, RunReport } from "./run.ts";

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

/** A look at runs: the key that looks and, once the gate was asked, the questions that are open and what goes on. */
export interface Look {
  readonly sight: Sight;
  readonly open?: readonly string[] | undefined;
  /** The questions with a yes of which the log may not have the run yet: whether it goes on, or broke off. */
  readonly answering?: Readonly<Record<string, boolean>> | undefined;
  readonly jobs?: readonly Pick<TurnedJob, "job" | "run" | "request">[] | undefined;
}

/** All runs that share an action with one: the batch, the runs of the yeses to its questions, and the reruns of any of them. */
export interface Reruns {
  /** The run that all of them go back to. */
  readonly root: string;
  /** The body of the first run that this one repeats, which may be this one; null where that is gone. */
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

/** A rerun as an export has it: the writes that it set out to send, which the next rerun goes by. */
export interface ExportedRerun extends Omit<RerunClaim, "after"> {
  /** When it was written down. */
  readonly at: number;
}

/** The methods of the object that keeps the runs of a tenant. */
export interface RunLogMethods {
  report(report: RunReport): void;
  /** Hear what became of jobs of runs, whether those are reported yet or not. */
  hear(jobs: readonly TurnedJob[], aftermaths?: readonly Aftermath[]): void;
  list(query: RunQuery, look: Look): RunPage;
  find(id: string, look: Look): FoundRun | null;
  /** Forget a run. It is false where who looks may see none of that id. */
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
