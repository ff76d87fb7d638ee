import type { AttemptEnd, CallbackTarget, JobSpec } from "../../core/contract/gate/job.ts";
import type { KeptAs } from "../../core/contract/batch.ts";
import type { DoneLoop, KeptAgain } from "../../core/gate/execution.ts";
import type { Caller } from "../../feature/caller.ts";
import { createPartCall } from "../../core/contract/gate/part-call.ts";
import { deriveId } from "../../core/kit/derive-id.ts";

/** The name of the kind of job that a batch in the background is. */
export const BATCH = "batch";

/** The facts of a batch in the background besides its actions; kept as JSON. */
export interface KeptBatch {
  /** Whose rights it runs with: those that its key had. */
  readonly caller: Caller;
  /** How long all of it may take. */
  readonly deadlineMs: number;
  /** Who is told of its end, of its jobs and of its questions. */
  readonly callback?: CallbackTarget | undefined;
  /** A feature looks after its writes. */
  readonly keptAs?: KeptAs | undefined;
  /** It runs again what an earlier run did. */
  readonly again?: KeptAgain | undefined;
}

/** The fields of a kept caller, each in place of a flag; a flag that has none is kept by its name. */
const FIELD_OF_FLAG: Readonly<Record<string, string>> = {
  approve: "approves",
  skip_approval: "skipApproval",
  manage_tools: "manageTools",
  manage_keys: "manageKeys",
  manage_endpoints: "manageEndpoints",
  manage_connections: "manageConnections",
  operator: "operates",
};

/** Write what is kept of a batch, in the form that it had before callers had flags. */
export function writeKeptBatch({ caller, ...rest }: KeptBatch): string {
  const { name, tenant, tools, quota, flags, ...more } = caller;
  const fields = flags.flatMap((flag) => FIELD_OF_FLAG[flag] ?? []);
  const others = flags.filter((flag) => FIELD_OF_FLAG[flag] === undefined);
  const rights = {
    skipApproval: false,
    ...Object.fromEntries(fields.map((field) => [field, true])),
    ...(others.length > 0 && { flags: others }),
  };
  return JSON.stringify({ caller: { name, tenant, tools, quota, ...rights, ...more }, ...rest });
}

export function readKeptBatch(json: string): KeptBatch {
  const { caller: kept, ...rest } = JSON.parse(json) as KeptBatch & {
    readonly caller: { readonly [field: string]: unknown; readonly flags?: readonly string[] };
  };
  const flags = Object.keys(FIELD_OF_FLAG).filter((flag) => kept[FIELD_OF_FLAG[flag]!] === true);
  return { caller: { ...kept, flags: [...flags, ...(kept.flags ?? [])] }, ...rest };
}

/** The place of a result: that of its action and, for an element of a loop, its number; -1 for any other. */
export interface Place {
  readonly step: number;
  readonly element: number;
}

export interface KeptResult extends Place {
  /** Null for a write of which only is known that it was about to be sent. */
  readonly outcomeJson: string | null;
  /** A write whose effect is unknown, whatever its outcome says. */
  readonly inDoubt: boolean;
}

export interface OpenOptions {
  readonly deadlineMs: number;
  /** The loops of which another batch has done elements, and their places in this one; an earlier version says none. */
  readonly done?: readonly (Omit<DoneLoop, "id"> & { readonly to: number })[];
}

/** How a batch begins an attempt. */
export interface OpenedBatch {
  /** When all of it ends, in milliseconds since the epoch. */
  readonly endsAt: number;
  readonly kept: readonly KeptResult[];
}

/** The entries that an attempt writes in one turn. */
export interface BatchEntry {
  readonly results: readonly KeptResult[];
  /** How many calls there are, as far as that is known; absent where it is not. */
  readonly total?: number;
}

/** The part of a batch's results that one answer has. */
export interface ResultQuery {
  /** The place before the first of them; null for those at the beginning. */
  readonly after: Place | null;
  readonly limit: number;
  readonly bytes: number;
}

export interface ResultPage {
  readonly results: readonly KeptResult[];
  /** The loop that the page begins in the middle of, as far as it is over. */
  readonly loop: KeptResult | null;
  readonly hasMore: boolean;
}

/** The methods of the part of a tenant's object that keeps batches in the background. */
export interface BatchMethods {
  /** Begin an attempt; null when it may not. The time of the whole begins with the first one. */
  open(jobId: string, fence: number, options: OpenOptions): OpenedBatch | null;
  /** Write down what happened, or is about to; false when the attempt may send nothing any more. */
  write(jobId: string, fence: number, entry: BatchEntry): boolean;
  /** Take the report of an attempt; false when its fence is not the row's any more. */
  settle(jobId: string, fence: number, report: BatchReport): boolean;
  results(jobId: string, query: ResultQuery): ResultPage;
  /** Everything that is kept of a batch that is over and of which some of its actions have no result; null where there is nothing to add. */
  left(jobId: string, actions: number): readonly KeptResult[] | null;
  /** Add results of what a batch that is over has not done. */
  complete(jobId: string, results: readonly KeptResult[]): void;
  /** The caller whose rights a batch runs with; null where there is no such batch. */
  asker(jobId: string): Caller | null;
  /** The ids of all actions of a rerun's answer, in its order; null where it has its own alone. */
  order(jobId: string): readonly string[] | null;
}

/** The last word of an attempt. */
export interface BatchReport extends BatchEntry {
  readonly end: AttemptEnd;
  readonly envelopeJson?: string | undefined;
}

/** Call a method of the part of a tenant's object that keeps batches in the background. */
export const callBackground = createPartCall<BatchMethods>("background");

/** The id of the run that a job is. */
export function runIdOf({ id }: Pick<JobSpec, "id">): string {
  return deriveId(id, 1);
}

/** The job that a run goes on as; null where the id is no such run's. */
export function jobIdOf(runId: string): string | null {
  return RUN_ID.test(runId) ? deriveId(runId, 0) : null;
}

const RUN_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{8}0001$/;

const FORM = /^(\d{1,2})\.(-1|\d{1,4})$/;

/** Name a place among results. */
export function toCursor({ step, element }: Place): string {
  return `${step}.${element}`;
}

/** Read a cursor; null if it is not one. */
export function parseCursor(text: string): Place | null {
  const [, step, element] = FORM.exec(text) ?? [];
  return step === undefined ? null : { step: Number(step), element: Number(element) };
}
