import type { AdmissionAnswer, AdmissionRequest, RateLimit } from "../contract/gate/admission.ts";
import type { ApprovalAnswer, Claim, ParkAnswer, ParkRequest } from "../contract/gate/confirmation.ts";
import type { IdempotencyClosing } from "../contract/gate/idempotency.ts";
import type { AttemptEnd } from "../contract/gate/job.ts";
import type { KeptResult } from "../contract/gate/kept-result.ts";
import type { PermitAnswer, PermitRequest } from "../contract/gate/permit.ts";
import type { Clock } from "../kit/clock.ts";

/** What running a tool needs of the world. Everything else in the core is a pure function. */
export interface Ports {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  random(): number;
  /** A fresh unguessable id. */
  newId(): string;
  /** Send one request, following no redirect. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** SHA-256 of a text's UTF-8, as hex. */
  readonly sha256: (text: string) => Promise<string>;
  /** A configured secret, or undefined. */
  secret(name: string): string | undefined;
}

/** The tenant's gate, as the executor sees it. A rejected promise means that nothing was admitted for certain. */
export interface Gate {
  admit(request: AdmissionRequest): Promise<AdmissionAnswer>;
  /** Say how a run left the keys that it claimed; those that are not its any more stay as they are. */
  complete(closing: IdempotencyClosing): Promise<void>;
  /**
   * Count a request that the gate did not answer for, among those that this isolate alone has seen; false when they are
   * as many as the limit allows.
   */
  countAlone(quota: RateLimit): boolean;
  /** Report how an attempt ended. Refused (false) when the fence is not the row's any more. */
  settle(jobId: string, fence: number, end: AttemptEnd): Promise<boolean>;
  /** Keep results for later batches of the tenant; the handles of those that were kept. */
  keep(results: readonly KeptResult[]): Promise<readonly string[]>;
  /** The kept results of these handles; those that are unknown or expired are missing. */
  recall(handles: readonly string[]): Promise<readonly KeptResult[]>;
  /** Record islands that wait for a person; those in the answer are durable, the others were refused. */
  park(islands: readonly ParkRequest[]): Promise<ParkAnswer>;
  /**
   * Claim a pending confirmation for a person's yes and admit what it runs, at once: a claim that is refused counts
   * nothing, and where the quota is used up nothing is claimed.
   */
  approve(claim: Claim, request: AdmissionRequest): Promise<ApprovalAnswer>;
  /** Report that what was approved is over. */
  conclude(claim: Claim): Promise<void>;
}

/** The gates of tools with global limits, by the tool's name. Never asked for any other tool. */
export interface ToolGates {
  /** Wait for a permit. A rejected promise means that there is none: a limit that cannot be asked may be used up. */
  acquire(tool: string, request: PermitRequest): Promise<PermitAnswer>;
  /**
   * Give a permit back, or a place in the queue up, without waiting for it.
   *
   * @param retryAfterMs how long the upstream asked to be left alone; null when it did not
   */
  release(tool: string, id: string, retryAfterMs: number | null): void;
}

/** The knobs a deployment or a test may turn; the defaults are `LIMITS`. */
export interface RunOptions {
  /** Calls of one request that may wait for response headers at once; Infinity for self-hosting. */
  readonly headerSlots: number;
  readonly headersTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly requestResponseBytes: number;
  /** Origins that may be plain http or a private address: development upstreams, never set in production. */
  readonly trustedOrigins: ReadonlySet<string>;
}
