import type { Account, Caller } from "../../core/contract/gate/caller.ts";
import { nameOf, type OrderedWrite } from "./undo-machine.ts";
import type { Compensation } from "./compensation.ts";
import type { WireFailure } from "../../core/contract/failure.ts";
import type { toWirePending } from "../../core/contract/outcome.ts";
import type { CallbackTarget, Delivery, JobTry } from "../../core/contract/gate/job.ts";

/** The name of the kind of job that takes one write back. */
export const UNDO = "undo";

/** A run whose writes are looked after, as it says itself with each of them. */
export interface RunFacts {
  /** Whose rights the calls that take them back have. */
  readonly caller: Caller;
  readonly account?: Account | undefined;
  readonly requestId: string;
  /** Where the events about its questions go. */
  readonly callback?: CallbackTarget | undefined;
  /** The job that the run is: its end decides, and its lease is the run's. Absent where a request waits. */
  readonly jobId?: string | undefined;
  /** An action of the run has failed, as its last attempt told. */
  readonly isFailed?: boolean;
  /** The questions to people that it waits for, or waited for until it was undone, and those about its undo that are decided. */
  readonly questions?: readonly string[];
  /** The runs that share its writes, as lists have them; it alone unless said. */
  readonly runs?: readonly string[] | undefined;
  /** An earlier run of the same request that was lost, and is undone: this one tells of its writes. */
  readonly before?: string;
  /** The tools of the writes that stay, because they were not asked for. */
  readonly left?: readonly string[];
  /** The actions that those which wait for them depend on, by the name of each. */
  readonly needs?: Readonly<Record<string, readonly string[]>>;
  /** The question about calls that take its writes back, while one is open or is being asked, and the job that asks it. */
  readonly asks?: { readonly jobId: string; readonly confirmation?: Pending } | undefined;
}

/** A question as a result has it. */
export type Pending = ReturnType<typeof toWirePending>;

/** How an attempt of a run has ended. */
export interface ClosedRun extends Required<Pick<RunFacts, "isFailed" | "questions" | "needs">> {
  /** The question with whose yes it went on. */
  readonly answered?: string | undefined;
}

/** The place of a write in its run. */
export interface WritePlace {
  /** That of its action; in a run of several rounds with the number of its round before it: `2:a0`. */
  readonly id: string;
  /** The run that it is in, where another's writes are kept with it. */
  readonly run?: string | undefined;
  /** The action of the flow that it is of, where its action is one. */
  readonly action?: string | undefined;
  /** The number of the element, where its action is a loop; else null. */
  readonly element: number | null;
}

/** A write of a run. One with neither a way back nor a look, and that is no job, is in doubt. */
export interface KeptWrite extends WritePlace, OrderedWrite {
  readonly tool: string;
  /** Its idempotency key upstream, where its batch or its action has one. */
  readonly key?: string | undefined;
  /**
   * How it is looked up should its end not be known, and how long its effect may take to be seen; absent where its tool does not say how. The
   * arguments of a job are in its row.
   */
  readonly look?: { readonly argsJson: string; readonly timeoutMs: number } | undefined;
  /** The job that it is, as long as that is not over, with the call that takes it back as the attempt said with which it ended. */
  readonly job?: { readonly by: Way; readonly found?: Back } | undefined;
  readonly jobId?: string | undefined;
  /** The code of its failure, where it is in doubt and that was told. */
  readonly code?: string | undefined;
  /** How it is taken back. Absent where it is not known that it was done, and once all is done about it. */
  readonly by?: Back | undefined;
  /** When it was sent, as far as is known. */
  readonly sentAt: number;
  /** The accounts in which it may have been done, where that is not known. */
  readonly accounts?: Reversal["accounts"];
  /** It was looked for, and was not done: nothing is told of it. */
  readonly isNone?: true;
  readonly entry?:
    | Pick<UndoneEntry, "tool" | "status" | "dataJson" | "error" | "startedAt" | "endedAt" | "tries">
    | undefined;
  /** The question about the call that takes it back. */
  readonly question?: string | undefined;
  /** A person said yes to that. */
  readonly isApproved?: true;
}

/** A write that is about to be sent, or a job that was recorded: its place in the order is known when that has ended. */
export type BegunWrite = Omit<KeptWrite, "seq" | "state" | "sentAt"> & Partial<Pick<KeptWrite, "seq">>;

/** How a write ended. Without a way back it may have been done; without a number it did nothing that could be taken back. */
export type WriteEnd = Partial<Pick<KeptWrite, "seq" | "by" | "accounts" | "code">>;

/** The place of a write that is over. */
export interface AskedPlace extends WritePlace {
  readonly run: string;
  /** The run that its action was as a batch of its own. */
  readonly batch?: string;
  /** The run that asked a person about it. */
  readonly asker?: string | undefined;
}

/** A write of a run that is over. */
export type AskedWrite = AskedPlace & BegunWrite & Pick<KeptWrite, "sentAt">;

/** The writes of runs that are over which are to be taken back. */
export interface AskedWrites {
  readonly writes: readonly AskedWrite[];
  /** Those that were not asked for: they stand. */
  readonly left: readonly (AskedPlace & { readonly tool: string })[];
  /** The questions that those runs waited for: open ones get a no. */
  readonly questions: readonly string[];
}

/** The entries of all that was ever asked, and, where that is only asked, what would be taken back now, in that order. */
export interface ClaimedState extends UndoState {
  readonly planned: readonly AskedWrite[];
}

/** How a write is taken back, or that there is no way. */
export type Way =
  | {
      readonly compensation: Compensation;
      readonly delivery: Delivery;
      readonly why?: undefined;
      readonly asks?: Asks;
    }
  | NoWayBack;

/** There is no way to take a write back. */
export interface NoWayBack {
  readonly compensation?: undefined;
  /** The rest of a sentence that begins with the tool of the write. */
  readonly why: string;
}

/** Whether its contract has a person asked about a call: always, or where its arguments fit a condition, which is looked at before it is sent. */
type Asks = true | "maybe" | undefined;

/** The call that takes a write back. Where there is none, it says why. */
export type Back = Reversal | Irreversible;

export interface Reversal {
  readonly tool: string;
  readonly argsJson: string;
  readonly error?: undefined;
  readonly delivery: Delivery;
  /** A person is asked first. */
  readonly asks?: Asks;
  /** The accounts that the write used, by connector: it is taken back in those, or not at all. */
  readonly accounts?: Account["ids"];
  /** The arguments, where those that may be shown lack a secret. */
  readonly sealed?: string | undefined;
  /** The name that they are sealed for: the key of the write's undo where absent. */
  readonly sealedFor?: string;
}

/** A call whose arguments may not be kept as they are; those that may be shown stand in their place. */
export interface SecretReversal extends Reversal {
  readonly secretJson: string;
}

/** Seals such arguments, for one write of a tenant; where that cannot be done, it stands. */
export type Seal = (
  found: Back | SecretReversal,
  write: { readonly tool: string; readonly tenant: string; readonly sealedFor: string },
) => Promise<Back>;

/** The tool is that of the call, or else the write's. */
export interface Irreversible {
  readonly tool: string;
  readonly argsJson?: undefined;
  readonly asks?: undefined;
  readonly error: WireFailure;
}

export const UNDONE_STATUSES = [
  "success",
  "initiated",
  "pending_confirmation",
  "cancelled",
  "unknown",
  "error",
] as const;

/** One write, and what became of it. */
export interface UndoneEntry {
  readonly id: string;
  readonly action?: string | undefined;
  readonly element?: number | undefined;
  readonly tool: string;
  readonly status: (typeof UNDONE_STATUSES)[number];
  /** JSON text. */
  readonly dataJson?: string | undefined;
  readonly error?: WireFailure;
  readonly confirmation?: Pending;
  readonly jobId?: string | undefined;
  /** When the first attempt was made, and the end or the last word, in milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly tries?: readonly JobTry[];
  /** The run that the write is in, and the one that it is kept with; absent until its rows say it. */
  readonly run?: string | undefined;
  readonly root?: string;
}

/** The writes of a run, in the order in which they are taken back. */
export interface UndoState {
  readonly entries: readonly UndoneEntry[];
  /** Nothing more becomes of it by itself. */
  readonly isSettled: boolean;
  /** The questions of the run that have a no now, where it has just ended; an earlier version did not say. */
  readonly withdrawn?: readonly string[];
}

/** The idempotency key of the call that takes a write back: one however often that is asked. */
export function undoKeyOf(runId: string, name: string): string {
  return `undo-${runId}-${name}`;
}

/** Name a write among those of its run. */
export function keyOf({ element, run, ...place }: WritePlace): string {
  const name = nameOf(place);
  return `${run === undefined ? "" : `${run}/`}${name}${element === null ? "" : `.${element}`}`;
}

/** Write the member of an envelope that has the entries of its batch, with a comma before it. */
export function toMember(entries: readonly UndoneEntry[]): string {
  return `,"undone":[${entries.map(toEntryJson).join(",")}]`;
}

/** Write an entry as it goes over the wire. */
export function toEntryJson({ dataJson, ...entry }: UndoneEntry): string {
  const { id, action, element, tool, status, error, confirmation } = entry;
  const json = JSON.stringify({ ...toWirePlace(id), action, element, tool, status, error, confirmation });
  return dataJson === undefined ? json : `${json.slice(0, -1)},"data":${dataJson}}`;
}

/** Say the round beside the id of an action that has one. */
export function toWirePlace(id: string): { readonly id: string; readonly round?: number } {
  const [round, own] = id.split(":");
  return own === undefined ? { id } : { id: own, round: Number(round) };
}

/** Whether nothing of a write stands any more. */
export function isGone({ status }: Pick<UndoneEntry, "status">): boolean {
  return status === "success" || status === "cancelled";
}

/** Whether all that an action did is taken back, by its entries; undefined without one. */
export function undoneIn(own: readonly UndoneEntry[]): true | false | "unknown" | undefined {
  if (own.length === 0) return undefined;
  return own.some(({ status }) => status === "unknown") ? "unknown" : own.every(isGone);
}
