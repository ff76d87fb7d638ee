import type { AdmissionAnswer, AdmissionRequest, LeaseWish } from "./admission.ts";
import type {
  ApprovalAnswer,
  Claim,
  ClaimRefusal,
  ConfirmationRecord,
  ParkAnswer,
  ParkRequest,
} from "./confirmation.ts";
import type { IdempotencyClosing } from "./idempotency.ts";
import type { AttemptEnd, JobChange, JobQuery, JobRecord } from "./job.ts";
import type { KeptResult } from "./kept-result.ts";

/** What a Worker may call on the object. */
export interface TenantGateMethods {
  admit(request: AdmissionRequest, wishes?: readonly LeaseWish[]): AdmissionAnswer;
  complete(closing: IdempotencyClosing): void;
  settle(jobId: string, fence: number, end: AttemptEnd): boolean;
  job(id: string): JobRecord | null;
  jobs(query: JobQuery): JobRecord[];
  cancel(jobId: string): JobChange | null;
  redrive(jobId: string): JobChange | null;
  keep(results: readonly KeptResult[]): string[];
  recall(handles: readonly string[]): KeptResult[];
  park(islands: readonly ParkRequest[]): ParkAnswer;
  confirmation(id: string): ConfirmationRecord | null;
  approve(claim: Claim, request: AdmissionRequest): ApprovalAnswer;
  reject(claim: Claim): ClaimRefusal | null;
  conclude(claim: Claim): void;
}

/** The object from outside: the same methods, each a round trip. */
export type TenantGateStub = {
  readonly [Name in keyof TenantGateMethods]: (
    ...args: Parameters<TenantGateMethods[Name]>
  ) => Promise<ReturnType<TenantGateMethods[Name]>>;
};
