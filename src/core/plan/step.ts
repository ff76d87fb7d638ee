import type { Tool } from "../catalog/define-tool.ts";
import type { KeyedAction } from "../contract/action.ts";
import type { Batch, KeptAs } from "../contract/batch.ts";
import type { PartClaim } from "../contract/gate/admission.ts";
import type { Failure } from "../contract/failure.ts";
import type { Refusal } from "../contract/refusal.ts";
import type { ReadAs } from "../contract/other-names.ts";
import type { CallbackTarget, RunOf } from "../contract/gate/job.ts";
import type { JsonObject } from "../contract/json.ts";
import { deadlineMs } from "../contract/limits.ts";
import { err, type Result } from "../kit/result.ts";

/** A call that may be made: its tool exists and its arguments fit. */
export interface Call {
  readonly tool: Tool;
  /** The input as it was sent: a background job keeps this and is checked again when it runs. */
  readonly input: JsonObject;
  /** The arguments that the tool's schema made of it. */
  readonly args: unknown;
  /** From where arguments were read that came as JSON text; absent where none did. */
  readonly readAs?: string;
  readonly timeoutMs: number;
  /** Who is told when its job is over; background calls only. */
  readonly callback?: CallbackTarget | undefined;
  /** When its job's first attempt begins, in milliseconds since the epoch; at once when it does not say. */
  readonly runAt?: number | undefined;
  /** The work that it had begun when a person was asked: it goes on from there. */
  readonly begun?: BegunElement;
}

/** The work that a batch inside of another had done when it asked a person; what else is in it is its own affair. */
export interface BegunBatch {
  readonly kind: string;
  readonly actions: readonly unknown[];
}

/** An element of a loop that is over, as outcomes are kept, while another one asks. */
interface EndedElement {
  readonly kind: "over";
  readonly outcomeJson: string;
}

/** A loop over such a batch, with what each of its elements had done. */
export interface BegunLoop<Own extends BegunBatch = BegunBatch> {
  readonly kind: "loop";
  readonly elements: readonly BegunElement<Own>[];
}

/** An element of it that a yes is for: it may have been sent in an earlier run. */
export const ASKED_ELEMENT = { kind: "asked", actions: [] } as const satisfies BegunBatch;

export type BegunElement<Own extends BegunBatch = BegunBatch> = Own | EndedElement;
export type Begun = BegunBatch | BegunLoop;

/** The work of a step when its turn comes. */
export interface Task extends Pick<Call, "tool" | "timeoutMs" | "callback" | "runAt"> {
  /** The arguments as they were sent, references included, with what the contract fills in. */
  readonly input: JsonObject;
  /** The call itself when nothing about it has to be looked up first, so that bad arguments fail before anything runs. */
  readonly call: Call | null;
  /** An array or a reference to one; undefined when the step runs once. */
  readonly forEach: unknown;
  /** Its loop may have the elements of one that no caller waits for. */
  readonly isLong?: boolean | undefined;
  /** The calls of a loop whose elements were resolved before. */
  readonly calls?: readonly Result<Call, Failure>[];
  readonly select: readonly (readonly string[])[] | null;
  /** The caller's `callback_url`; nothing is sent there until it is checked and becomes `callback`. */
  readonly callbackUrl?: string | undefined;
}

/** Why a step does not run in this batch: it is held itself, or needs one that is. */
export type Parking = "gated" | "waits";

/** Why a step waits for another. A hazard is order only; everything else needs the other to have succeeded. */
export type EdgeReason = "reference" | "depends_on" | "contract" | `hazard: ${string}`;

export interface Edge {
  readonly from: number;
  readonly reason: EdgeReason;
}

/** One place of the batch, planned: what to do, or why not, and what must have happened before. */
export interface Step {
  readonly index: number;
  readonly id: string;
  readonly toolName: string | null;
  /** Steps that must have succeeded. */
  readonly needs: readonly number[];
  /** Steps that must be over, however they ended. */
  readonly after: readonly number[];
  /** The same as `needs` and `after`, with their reasons. */
  readonly edges: readonly Edge[];
  /** Whether it waits for a person's yes, its own or another's, instead of running; null when it runs. */
  readonly parking: Parking | null;
  /** Whether a person is asked is only known with its arguments. */
  readonly mayAsk?: true;
  /** A person is asked because it may have taken effect in an earlier run. */
  readonly doubted?: true;
  /** The key that its upstream knows it by, where its job takes the place of an earlier one. */
  readonly jobKey?: string;
  /** Steps on the longest path that starts here, itself included: under a cap the longest goes first. */
  readonly remaining: number;
  readonly task: Result<Task, Failure>;
  /** Its task, where that was turned away for a reason that passes or is mended elsewhere: it fails in its place, and may be asked for again. */
  readonly turnedAway?: Task;
  /** The tool, where there is one, and the arguments that its sender wrote, where it fails before anything runs. */
  readonly refused?: { readonly tool: Tool | undefined; readonly args: JsonObject };
  /** Which of its fields stood under other names. */
  readonly readAs?: ReadAs | undefined;
  /** The fault of the first of some elements of its loop, which fail in their places when it runs. */
  readonly partly?: Failure;
  /** Warnings for its sender about a step that runs all the same, in sentences. */
  readonly warnings?: readonly string[] | undefined;
  /** Whether it refers to results of earlier batches, which have to be fetched first. */
  readonly recalls?: true;
  /** Its idempotency key, when it was sent with one. */
  readonly keyed?: KeyedAction | undefined;
}

/** Turn a step away that could have run. */
export function turnAway(step: Step, failure: Failure): Step {
  return step.task.ok ? { ...step, task: err(failure), turnedAway: step.task.value } : step;
}

export interface Asker {
  /** The name of the key; absent where a trigger started the run. */
  readonly key?: string | undefined;
  /** The tool that the batch is; absent if it is not one. */
  readonly tool?: string | undefined;
  /** The trigger that started the run, where no key did. */
  readonly trigger?: RunOf["trigger"] | undefined;
  /** The batch, or the job that a run of a trigger is. */
  readonly runId: string;
}

/** The plan of a request that calls nothing. */
export const NO_PLAN: Plan = {
  steps: [],
  onError: "partial-success",
  deadlineMs,
  demotes: false,
  maxTokens: null,
  handles: [],
  sharesReads: false,
};

/** The order of a batch. Acyclic: running it always comes to an end. */
export interface Plan extends Pick<
  Batch,
  "sent" | "onError" | "deadlineMs" | "maxTokens" | "tellsStarts" | "tags"
> {
  readonly steps: readonly Step[];
  /** Whether safe actions that are unfinished at the deadline go on as jobs. */
  readonly demotes: boolean;
  /** Results of earlier batches that references name, by handle. */
  readonly handles: readonly string[];
  /** Whether identical reads may be one call; false where every call was asked for on its own account. */
  readonly sharesReads: boolean;
  /** The caller asked to skip approval and may not. */
  readonly skipDenied?: boolean;
  /** Data that references may name besides the steps' own, by id: known before anything runs. */
  readonly given?: ReadonlyMap<string, unknown> | undefined;
  /** These steps were parked and a person said yes: the question, the claim on it, and the key that had asked. */
  readonly approved?: {
    readonly question: string;
    readonly claim: PartClaim;
    readonly requestedBy: string;
    readonly asker?: Asker;
  };
  /** Steps that were held whatever their tools say, by id, each with the reason, which is an affair of what holds them. */
  readonly held?: ReadonlyMap<string, unknown> | undefined;
  /** The fields by which its batch asks a feature to look after its writes. */
  readonly keptAs?: KeptAs;
  /** It is not the plan that was agreed to: nothing of it runs, but the answer that its key has is given. */
  readonly refused?: Refusal;
  /** The version of the catalog that it was made from; only where another version might have made another plan. */
  readonly toolsVersion?: number;
}
