import type { AnswerBudget } from "../answer/envelope.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ProgressReport } from "../catalog/define-tool.ts";
import type { QuotaState, RateLimit } from "../contract/gate/admission.ts";
import type { Caller, Origin } from "../contract/gate/caller.ts";
import type { IdempotencyAnswer, IdempotencyRequest } from "../contract/gate/idempotency.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { ByteBudget } from "../egress/read-body.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import type { Watch } from "../observe/watch.ts";
import type { Call, Step } from "../plan/step.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Ports, RunOptions, ToolGates } from "../egress/ports.ts";
import type { TenantReads } from "../egress/read-cache.ts";
import { type BatchKey } from "./read-keys.ts";
import type { OnOpened, UpstreamHealth } from "../egress/upstream-health.ts";

/** What a batch inside of another shares with it. */
export interface Inside {
  /** Aborted when it is to stop. */
  readonly signal: AbortSignal;
  /** When its time is over, in milliseconds since the epoch. */
  readonly endsAt: number;
  readonly slots: Semaphore;
  readonly budget: ByteBudget;
}

/** What is written down of a plan while it runs, so that whoever runs it again does nothing twice. */
export interface Journal {
  /** Write down that a step is about to be sent, once, before it is; false when nothing of the plan may be sent any more. */
  begin(step: Step): Promise<boolean>;
  /** Write down how a step ended. */
  end(step: Step, outcome: Outcome): void;
}

/** A plan that may have run in part before. */
export interface Resumed {
  /** The keys of it and of its steps, as if each had one, and what is known of them. */
  readonly asked: IdempotencyRequest;
  readonly claimed: IdempotencyAnswer;
  /** Jobs of it may be recorded already. */
  readonly retaken: boolean;
  readonly journal: Journal;
}

/** Run the batch that a tool is, with a call's arguments as its input; never rejects. */
export type RunFlow = (call: Call, inside: Inside) => Promise<Outcome>;

/** Everything one request brings with it. */
export interface Execution {
  readonly caller: Caller;
  /** What its calls, their jobs and their lines of the log are marked with. */
  readonly origin: Origin;
  /** The address that the request was sent to; absent where nobody sent one. */
  readonly requestUrl?: string | undefined;
  /** The caller's part of the catalog. */
  readonly catalog: Catalog;
  /** The same with the tenant's own tools as they are, or were a moment ago. Rejects when nobody can say. */
  readonly currentCatalog: () => Promise<Catalog>;
  readonly ports: Ports;
  readonly gate: Gate;
  /**
   * Count a request that the gate did not answer for, among those that this isolate alone has seen; false when they are
   * as many as the limit allows.
   */
  readonly countAlone: (quota: RateLimit) => boolean;
  readonly toolGates: ToolGates;
  readonly options: RunOptions;
  /** What the isolate has learned about its upstreams, shared by every request. */
  readonly health: UpstreamHealth;
  /** Told when a call opens a breaker; absent where nobody is. */
  readonly onOpened?: OnOpened | undefined;
  /** What the isolate remembers of the tenant's reads; null when no tool of the deployment allows it. */
  readonly cache: TenantReads | null;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** What the data of the answer may take, where an envelope is not all of it. */
  readonly answer?: AnswerBudget;
  /** Runs tools that are batches; where there is none, none of the plan's is one. */
  readonly runFlow?: RunFlow;
  /** It is part of a request that is counted already. */
  readonly isCounted?: true;
  /** What is known of its earlier runs, and where this one writes what there is to know of it. */
  readonly resumed?: Resumed;
  /** What it shares with the batch that it is inside of. */
  readonly inside?: Inside;
  /** The idempotency key that the batch came with. */
  readonly batchKey?: BatchKey;
  /** Sees what becomes of it, for the operator. */
  readonly watch?: Watch;
  /** Told once that the batch was admitted: from then on there will be an answer, not a refusal. */
  readonly onAdmitted?: (quota: QuotaState | null) => void;
  /** Told each step's outcome the moment it is known, once; the envelope still contains all of them. */
  readonly onOutcome?: (step: Step, outcome: Outcome) => void;
  /** Told what the tools report of their progress, without secrets; it may go on after the answer. */
  readonly onReport?: (report: ProgressReport) => void;
}
