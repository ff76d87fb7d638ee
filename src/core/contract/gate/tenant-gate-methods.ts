import type {
  AdmissionAnswer,
  AdmissionRequest,
  ClaimedAdmission,
  LeaseWish,
  PartClaim,
} from "./admission.ts";
import type { IdempotencyClosing, IdempotencyRenewal } from "./idempotency.ts";
import type { AttemptEnd, JobChange, JobQuery, JobRecord, RedriveOptions } from "./job.ts";
import type { OpeningReport } from "./outgoing-event.ts";
import type { KeptResult, Shelf } from "./kept-result.ts";
import type { TakenRows } from "../../kit/take-rows.ts";
import type { UsageQuery, UsageReport } from "./usage.ts";

/** The methods that a Worker may call on the object that holds a tenant's gate. */
export interface TenantGateMethods {
  /** Admit one batch, and then grant the leases that are wished for. */
  admit(request: AdmissionRequest, wishes?: readonly LeaseWish[]): AdmissionAnswer;
  /**
   * Claim what a feature's part keeps and admit what that allows, at once: a claim that is refused counts nothing, and where the
   * quota is used up nothing is claimed.
   */
  admitClaimed(claim: PartClaim, request: AdmissionRequest): ClaimedAdmission;
  /** Give what a run has claimed a fresh lease, as it is alive; false where another run has taken something of it over. */
  renew(renewal: IdempotencyRenewal): boolean;
  /** Take a run's last word on the keys that it claimed; those that are not its any more stay as they are. */
  complete(closing: IdempotencyClosing): void;
  /** Take an attempt's report; false when its fence is not the row's any more, or the job is not running. */
  settle(jobId: string, fence: number, end: AttemptEnd): boolean;
  job(id: string): JobRecord | null;
  /** List jobs, newest first, without their data. */
  jobs(query: JobQuery): TakenRows<JobRecord>;
  /** Say what the tenant has used, and what goes on; reads no row of a job. */
  usage(query: UsageQuery): UsageReport;
  /** Cancel a live job; null when there is no such job. */
  cancel(jobId: string): JobChange | null;
  /** Give a dead job fresh attempts; null when there is no such job. */
  redrive(jobId: string, options?: RedriveOptions): JobChange | null;
  /** Keep results for later batches, or turns for later requests; the handles of those that were kept. */
  keep(results: readonly KeptResult[], shelf?: Shelf): string[];
  /** Read what was kept back; what is unknown or expired is missing. */
  recall(handles: readonly string[], shelf?: Shelf): KeptResult[];
  /** Take the report of a breaker that opened, for the deployment's address. */
  reportOpening(report: OpeningReport): void;
  /** Call a method of a feature's part of the object; `createPartCall` knows the methods of each. */
  call(feature: string, method: string, ...args: readonly unknown[]): unknown;
  /**
   * Forget everything of the tenant but how much of its quota is used, and the number of its tools' version, so that later tools
   * are not taken for earlier ones; it is the answer.
   */
  erase(): number;
}

/** The way by which a Worker calls the methods of an object that a tenant has. */
export interface BegunCalls {
  /**
   * Call a method for something that began then; null where the tenant was deleted since. Work under way ends as it would, and
   * nothing more of it is kept.
   */
  since(begunAt: number, method: string, ...args: readonly unknown[]): Taken | null | Promise<Taken>;
}

/** The answer of a method that was called. */
export interface Taken {
  readonly answer: unknown;
}

/** The methods of an object as they are called from outside it: each is a round trip, and rejects where the object does not answer. */
export type Remote<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** The tenant's gate from outside. A rejected promise means that nothing is certain. */
export type Gate = Remote<TenantGateMethods>;
