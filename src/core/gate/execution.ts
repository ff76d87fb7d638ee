import type { AnswerBudget } from "../answer/envelope.ts";
import type { Batch, KeptAs } from "../contract/batch.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { InnerBatch, ProgressReport, Tool, ToolAccount, ToolContext } from "../catalog/define-tool.ts";
import type { KeyQuota, QuotaState } from "../contract/gate/admission.ts";
import type { Caller, Origin } from "../contract/gate/caller.ts";
import type { Attempt, CallbackTarget, JobRecord, JobSpec } from "../contract/gate/job.ts";
import type {
  IdempotencyAnswer,
  IdempotencyRenewal,
  IdempotencyRequest,
} from "../contract/gate/idempotency.ts";
import type { Failure } from "../contract/failure.ts";
import type { Refusal } from "../contract/refusal.ts";
import type { RefusalCode } from "../contract/failure-codes.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { ByteBudget } from "../egress/byte-budget.ts";
import type { RequestBytes } from "../egress/isolate-bytes.ts";
import type { Result } from "../kit/result.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import type { Watch } from "../observe/watch.ts";
import type { ParkedStep } from "../plan/parked-step.ts";
import type { DataOf } from "../plan/references.ts";
import type { Asker, Begun, BegunBatch, Call, Plan, Step } from "../plan/step.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Ports, RunOptions, ToolGates } from "../egress/ports.ts";
import type { TenantReads } from "../egress/read-cache.ts";
import { type BatchKey } from "./read-keys.ts";
import type { StepIds } from "./step-ids.ts";
import type { OnOpened, UpstreamHealth } from "../egress/upstream-health.ts";

/** The parts that a batch inside of another shares with it. */
export interface Inside {
  /** Aborted when it is to stop. */
  readonly signal: AbortSignal;
  /** When its time is over, in milliseconds since the epoch. */
  readonly endsAt: number;
  readonly slots: Semaphore;
  readonly budget: ByteBudget;
  /** The caller ordered it after a write: no answer that is remembered tells the state after that. */
  readonly isAfterWrite?: boolean;
}

/** A journal of a plan while it runs, so that a later run does nothing twice. */
export interface Journal {
  /** Write down that a step is about to be sent, once, before it is; false when nothing of the plan may be sent any more. */
  begin(step: Step): Promise<boolean>;
  /** Write down how a step ended. */
  end(step: Step, outcome: Outcome): void;
  /** Run the elements of a step's loop, each of which has its own entry; absent where a loop is one entry. Never rejects. */
  runLoop?(step: Step, calls: readonly Result<Call, Failure>[], inside: Inside): Promise<LoopEnd>;
}

/** The outcome of a loop, or what it has done where a person has to be asked about some of its elements. */
export type LoopEnd = Outcome | { readonly asks: Begun };

/** A plan that may have run in part before. */
export interface Resumed {
  /** The keys of it and of its steps, as if each had one, and what is known of them. */
  readonly asked: IdempotencyRequest;
  readonly claimed: IdempotencyAnswer;
  /** Jobs of it may be recorded already. */
  readonly retaken: boolean;
  readonly attempt: Attempt;
  readonly journal: Journal;
}

/** The outcome of a batch inside, or the rest of it where a person has to be asked first. */
export type InnerEnd = Outcome | { readonly asks: BegunBatch };

/** The batch that a tool is, with what runs it. */
export interface RunnableBatch extends InnerBatch {
  /** Run it with a call's arguments as its input, or go on with it; never rejects. */
  run(call: Call, outer: OuterBatch): Promise<InnerEnd>;
  /** Put its answer beside the envelope of its run. */
  withAnswer(envelope: string, ran: { readonly plan: Plan; readonly outcomes: readonly Outcome[] }): string;
}

/** The batch that another is an action of. */
export interface OuterBatch {
  readonly execution: Execution;
  readonly inside: Inside;
  /** A person approved the call. */
  readonly isApproved: boolean;
  /** The outer batch's id, and the action of it that the call is of. */
  readonly batchId: string;
  readonly at: OuterPlace;
}

/** An action of a batch, or an element of its loop. */
export interface OuterPlace {
  readonly id: string;
  readonly element: number | null;
}

/** An isolate's knowledge of its upstreams, as far as a request uses it. */
export interface Upstreams {
  readonly toolGates: ToolGates;
  /** Which of them fail, shared by every request. */
  readonly health: UpstreamHealth;
  /** Called when a call opens a breaker; absent where no event is wanted. */
  readonly onOpened?: OnOpened | undefined;
  /** The isolate's memory of the tenant's reads; null when no tool of the deployment allows it. */
  readonly cache: TenantReads | null;
  /** Opens the batch's account of the isolate's bytes; absent where they are not counted. */
  readonly share?: () => RequestBytes;
}

/** The beginning of an attempt, as it goes over the wire. */
export interface CallStart {
  /** The element of a loop that it is of; absent where its step is no loop. */
  readonly element?: number | undefined;
  /** Counted from 1. */
  readonly try: number;
  /** Milliseconds from the batch's start. */
  readonly started_ms: number;
}

/** Hears of a batch while it runs. */
export interface BatchListener {
  /** Told once that the batch was admitted: from then on there will be an answer, not a refusal. */
  readonly onAdmitted?: (quota: QuotaState | null) => void;
  /**
   * Told when the answer is written, with what gives back the bytes that are held for it: a client that does not read keeps them.
   * Where it is absent they are given back at once.
   */
  readonly onWritten?: (release: () => void) => void;
  /** Told each step's outcome the moment it is known, once; the envelope still contains all of them. */
  readonly onOutcome?: (step: Step, outcome: Outcome) => void;
  /** Told whenever a call leaves its queues. */
  readonly onStarted?: (step: Step, started: CallStart) => void;
  /** Told what the tools report of their progress, without secrets; it may go on after the answer. */
  readonly onReport?: (report: ProgressReport) => void;
  /** Told of what a feature adds to its stream: the name of the event, and JSON. */
  readonly onEvent?: (name: string, json: string) => void;
}

/** The larger work that a batch is a part of: a turn, or a run of a tool that is one. */
export interface LargerWork {
  /** The budget of the answer's data, where an envelope is not all of it. */
  readonly answer: AnswerBudget;
  /** It is part of a request that is counted already. */
  readonly isCounted?: true;
  /** The tool that it is a run of, and what started it where no key did. */
  readonly runOf?: Pick<Asker, "tool" | "trigger"> & { readonly runId?: string };
  /** The door by which the run came that it runs again. */
  readonly again?: string;
  /** The steps of its earlier runs, and the journal that this one writes to. */
  readonly resumed?: Resumed;
  /** The parts that it shares with the batch that it is inside of. */
  readonly inside?: Inside;
  /** The id of that batch, or of the work that asked for this one. */
  readonly outer?: string;
  /** The action of that batch that it is. */
  readonly at?: OuterPlace;
  /** Its id, where that was told before it ran. */
  readonly batchId?: string;
}

/** Batches that run in the background. */
export interface Later {
  /** The batch of a request whose headers say that its client would rather not wait; undefined where they do not. */
  read(headers: Headers, sent: unknown): unknown;
  /** Record a batch: the answer says where it is found. One that is refused is recorded no more, and found if it was. */
  record(
    batch: Batch,
    execution: Execution,
    options?: { readonly refused?: Refusal | undefined; readonly again?: RunAgain },
  ): Promise<Result<LaterAnswer, NotRecorded>>;
  /** Look at a job, until its status is another one where its request asks to wait for that. */
  awaitJob(
    look: () => Promise<Result<JobRecord | null, Refusal>>,
    request: Request,
    execution: Pick<Execution, "caller" | "ports">,
  ): Promise<Result<JobRecord | null, Refusal>>;
  /** Whether a caller may look at a job of its key's name, or change it: a key that may call less than who asked for a batch may not. */
  mayReach(
    job: Pick<JobRecord, "id" | "tool">,
    execution: Pick<Execution, "caller" | "gate">,
  ): Promise<boolean>;
}

/** A batch that runs again what an earlier one did, in its place. */
export interface RunAgain extends KeptAgain {
  /** The request has drawn its unit. */
  readonly isCounted: boolean;
  /** Write down, before the batch is recorded, which run is to do it; a refusal where it may not. */
  readonly claim: (run: string) => Promise<Refusal | null>;
  /** Take that back: nothing of it runs. */
  readonly drop: (run: string) => Promise<unknown>;
}

/** The facts of it that are kept with its job. */
export interface KeptAgain {
  /** The data that its references may name besides its own, by id, as JSON. */
  readonly givenJson: string;
  /** The actions that ask a person first, by id. */
  readonly asksFirst: readonly (readonly [id: string, { readonly wasSent: boolean }])[];
  /** The keys by which upstreams know its writes, by id, and those of its jobs. */
  readonly keys: Readonly<Record<string, string>>;
  readonly jobKeys: Readonly<Record<string, string>>;
  /** All actions of its answer: those that run by their ids, the others as they are answered; absent of one that an earlier version recorded. */
  readonly order?: readonly (
    | string
    | (Pick<Step, "id" | "toolName" | "warnings"> & { readonly outcomeJson: string })
  )[];
  /** The loops of which another job has done elements. */
  readonly loops?: readonly DoneLoop[];
  readonly parent: string;
  readonly source: string;
  /** The tool that it is a run of. */
  readonly tool?: string | undefined;
}

/** A loop of which another job has done elements, and its place in that one. */
export interface DoneLoop {
  readonly id: string;
  readonly job: string;
  readonly step: number;
}

/** The answer to a batch that was recorded. */
export interface LaterAnswer {
  readonly quota: QuotaState | null;
  readonly json: string;
  readonly replayed: boolean;
  respond(request: Request, headers: Readonly<Record<string, string>>): Response;
}

/** A batch that was not recorded, and of which nothing runs. */
interface NotRecorded {
  readonly refusal: Refusal;
  readonly quota: QuotaState | null;
}

/** The accounts that one call may use. */
export interface Connected {
  /** Texts that stay out of what the call answers and logs. */
  readonly secrets: readonly string[];
  /** The ids of the accounts at their providers, by connector. */
  readonly accountIds: Readonly<Record<string, string>>;
  /** Open that of a connector which the tool declares. */
  open(connector: string, call: Pick<ToolContext, "fetch" | "conceal">): ToolAccount;
}

/** Find what a call needs besides its arguments, before it is made. Rejects with a `ToolFailure` where it cannot be made. */
export type BeforeCall = (call: {
  readonly tool: Pick<Tool, "name" | "accounts"> & Partial<Pick<Tool, "isWrite">>;
  readonly origin: Origin;
  readonly ports: Ports;
}) => Promise<Connected>;

export type AccountIds = (
  tools: readonly Tool[],
  execution: Pick<Execution, "origin" | "ports" | "catalog">,
) => Promise<Readonly<Record<string, string>>>;

/** Holds steps back before they begin. They are parked, and answered for when everything else of their batch is over. */
export interface BeforeStep {
  /** Find the actions that are held whatever their tools say, by id, each with its reason; undefined where there can be none. Never rejects. */
  hold(
    batch: Pick<Batch, "entries" | "dryRun" | "background">,
    execution: Pick<Execution, "origin" | "ports" | "catalog">,
  ): Promise<ReadonlyMap<string, unknown>> | undefined;
  /** The hash of what a tool declares, by which a yes to it is good. */
  readonly hashOf?: (tool: Tool, sha256: Ports["sha256"]) => Promise<string>;
  /**
   * Let calls through that a person said yes to for a while: the catalog that knows of them. Undefined where none of the actions
   * asks. Never rejects.
   */
  recall?(
    asked: readonly { readonly tool: string | null }[],
    execution: Execution,
  ): Promise<Catalog> | undefined;
  /** Record the steps that were parked: an outcome for each of them, by index. Never rejects. */
  record(parked: readonly ParkedStep[], of: ParkedBatch): Promise<ReadonlyMap<number, Outcome>>;
}

export interface ParkedBatch {
  readonly plan: Plan;
  readonly dataOf: DataOf;
  readonly execution: Execution;
  /** The run that tells of it. */
  readonly runId: string;
  /** Names each step as every run under its key does; absent where no other run parks the same. */
  readonly named?:
    | {
        readonly nameOf: (step: Step) => string;
        /** An earlier run may have parked it. */
        readonly mayBeParked: (step: Step) => boolean;
      }
    | undefined;
  /** Has the right to record: another run may have taken it over. Absent where there can be none. */
  readonly holder?: Attempt | IdempotencyRenewal | undefined;
  /** How what runs of it later is looked after together with it; absent where nothing looks after its writes. */
  readonly keptAs?: KeptLater | undefined;
  /** All of it is one question, also where the steps do not need each other. */
  readonly isOne?: true;
}

/** The parts that features have in running a batch. */
export interface Hooks {
  /** Absent in a Worker that runs no batches in the background. */
  readonly later?: Later | undefined;
  /** Absent in a Worker that parks nothing. */
  readonly beforeStep?: BeforeStep | undefined;
  /** The address that the request was sent to, of which they make others; absent for work that no request asked for. */
  readonly requestUrl?: string | undefined;
  /** Absent where no call needs more than its tool declares. */
  readonly beforeCall?: BeforeCall | undefined;
  /** Find the accounts that calls of some tools would use, by connector. Rejects where they cannot be looked up. */
  readonly accountIds?: AccountIds | undefined;
  readonly fields?: BatchFields | undefined;
  /** Absent in a Worker where nothing looks after what a batch has written. */
  readonly keepers?: Keepers | undefined;
  /** Looks after the writes of this batch; absent where it did not ask for that. */
  readonly keeper?: Keeper | undefined;
}

/** The part of a request that its fields may change. */
type Told = Pick<Execution, "caller" | "origin" | "gate"> & {
  /** The configuration, by which a feature finds what it has of its own. */
  readonly configured: object;
};

/** The fields that a feature adds to the bodies which have calls made: of a batch, a run of a tool, a model's request. */
export interface BatchFields {
  readonly names: readonly string[];
  /** Take what a request's headers, or its key, say instead of them. */
  enter<C extends Told>(request: Request, context: C): Result<C, Refusal>;
  /** Take the fields out of a body, and give the rest of that. */
  read<C extends Told>(
    sent: unknown,
    asked: {
      readonly request: Request;
      readonly context: C;
      /** The code of its refusal, and the path of what was sent: a batch's unless said. */
      readonly code?: RefusalCode;
      readonly path?: string;
    },
  ): Result<{ readonly rest: unknown; readonly context: C }, Refusal>;
}

/** A call that may change something: that of a step, or of one element of its loop. */
export interface KeptCall {
  readonly step: Step;
  readonly element: number | null;
  readonly call: Call;
  /** Names the elements of its loop. */
  readonly names?: (() => readonly string[]) | undefined;
}

export interface KeptOutput {
  /** With the secrets that its outcome leaves out. */
  readonly value: unknown;
  /** Takes the secrets of its call out of JSON text. */
  readonly redact: (json: string) => string;
}

/** Finds the batches whose writes a feature looks after. */
export interface Keepers {
  /** The fields of a body that `read` takes: a misspelt one may have meant them. */
  readonly fields: readonly string[];
  /** Take the fields that ask for it out of a body. The rest is a batch, or what stands for one. */
  read(sent: unknown): Result<{ readonly rest: unknown; readonly keptAs?: KeptAs }, Refusal>;
  keeperOf(keptAs: KeptAs | KeptLater): Keeper;
  readonly keepOfJob: KeepOfJob;
  /** Put into the answer of a job that is over what became of its writes since. */
  since(job: JobRecord, execution: Pick<Execution, "gate">): Promise<JobRecord>;
}

/** Hears what the write of a job returned, and says what the parts of its object are to hear besides its row; undefined for nothing. */
export type KeepOfJob = (
  job: Pick<JobSpec, "id" | "origin">,
  call: Pick<Call, "tool" | "input" | "args">,
  output: KeptOutput,
) => Promise<string | undefined>;

/** The fields by which a part of a batch that runs later is looked after together with it. */
export interface KeptLater {
  /** The run whose writes it adds to. */
  readonly run: string;
  /** It adds none to that, and leaves no run of its own. */
  readonly unseen?: true;
}

/** Looks after the writes of a batch that asked for it. */
export interface Keeper {
  /** The plan as it runs with it, or why it cannot: asked before anything runs. */
  take(plan: Plan, execution: Pick<Execution, "catalog">): Result<Plan, Refusal>;
  /** Begin with a plan that was admitted. */
  open(plan: Plan, run: KeptRun): KeptBatch;
  facts(plan: Plan, run: Omit<KeptRun, "endsAt">): FactsOfJob;
}

/** Make the facts of a job for the part that looks after its batch's writes: the Worker that records it may be killed before its next word. */
export type FactsOfJob = (at: KeptCall) => Pick<JobSpec, "kept">;

export interface KeptRun {
  readonly execution: Execution;
  readonly batchId: string;
  /** When the time of the plan is over, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** Makes the idempotency keys of its calls. */
  readonly ids?: () => StepIds;
  /** Null where neither the batch nor one of its actions has an idempotency key. */
  readonly keys?: object | null;
}

/** The writes of one run. */
export interface KeptBatch {
  /** How what runs of it later is looked after: `keeperOf` goes on with it. */
  readonly later: KeptLater;
  /** Write down that a call is about to be sent, before it is; false when nothing of the batch may be sent any more. */
  begin(at: KeptCall): Promise<boolean>;
  /**
   * Hear how a call ended, which may be after the batch has answered.
   *
   * @param output of its tool; undefined where it returned none
   */
  end(at: KeptCall, outcome: Outcome, output?: KeptOutput): void;
  /** Hear the outcome of a step, when it is told. */
  saw(step: Step, outcome: Outcome): void;
  /** Looks after the batch that a call of it is, together with its own. */
  inside(at: Pick<KeptCall, "step" | "element">): Keeper;
  /** Do what is to be done once every step has its outcome, and say what these and the envelope tell of it. */
  close(outcomes: readonly Outcome[]): Promise<Closed>;
}

/** A kept batch as it is told. */
export interface Closed {
  readonly outcomes: readonly Outcome[];
  /** More members of the envelope, as JSON with a comma before each; empty without any. */
  readonly members: string;
}

/** Everything one request brings with it. */
export interface Execution {
  readonly caller: Caller;
  /** The mark of its calls, their jobs and their lines of the log. */
  readonly origin: Origin;
  /** The caller's part of the catalog. */
  readonly catalog: Catalog;
  /**
   * The same with the tenant's own tools as they are, or were a moment ago. Rejects when the tenant's object does not answer.
   *
   * @param isSought a name was asked for that is not known here, so the object is asked at once
   */
  readonly currentCatalog: (isSought?: boolean) => Promise<Catalog>;
  readonly ports: Ports;
  readonly gate: Gate;
  /**
   * Count a request that the gate did not answer for, among those that this isolate alone has seen; false when they are
   * as many as the limit allows.
   */
  readonly countAlone: (quota: KeyQuota) => boolean;
  readonly options: RunOptions;
  readonly upstreams: Upstreams;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** The idempotency key that the batch came with. */
  readonly batchKey?: BatchKey;
  /** Where the events about jobs and questions of it go, besides those that its actions name; absent where it has no address. */
  readonly callback?: CallbackTarget | undefined;
  /** Absent for a batch that is a whole request. */
  readonly within?: LargerWork;
  /** The parts that features have in it; absent where none has any. */
  readonly hooks?: Hooks;
  /** Sees what becomes of it. */
  readonly watch?: Watch;
  readonly listener?: BatchListener;
}
