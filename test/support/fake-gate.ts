import type { AdmissionAnswer, AdmissionRequest } from "../../src/contract/admission.ts";
import type { AttemptEnd } from "../../src/contract/job.ts";
import type { KeptResult } from "../../src/contract/kept-result.ts";
import type { Gate } from "../../src/run/ports.ts";

/** A gate that admits everything, remembers what it was asked, and answers otherwise where a test says so. */
export class FakeGate implements Gate {
  readonly requests: AdmissionRequest[] = [];
  readonly settled = new Map<string, AttemptEnd>();
  /** Indexes to deny, with their wait. */
  denied: readonly { readonly index: number; readonly retryAfterMs: number }[] = [];
  quotaAllowed = true;
  refuseJobsWith: "BACKLOG_FULL" | "OUTBOX_UNAVAILABLE" | null = null;
  down = false;
  /** Results that are kept, by handle. They never expire here. */
  readonly kept = new Map<string, string>();

  admit(request: AdmissionRequest): Promise<AdmissionAnswer> {
    this.requests.push(request);
    if (this.down) return Promise.reject(new Error("The gate is down"));
    const quota = request.quota && {
      allowed: this.quotaAllowed,
      remaining: this.quotaAllowed ? request.quota.limit - 1 : 0,
      resetMs: 500,
      retryAfterMs: this.quotaAllowed ? 0 : 1_500,
    };
    if (!this.quotaAllowed && quota !== null)
      return Promise.resolve({ quota, denied: [], recorded: [], refusedJobs: [] });
    const { denied, refuseJobsWith } = this;
    const jobs =
      request.allOrNothing && denied.length > 0
        ? []
        : request.jobs.filter(({ index }) => !denied.some((other) => other.index === index));
    return Promise.resolve({
      quota,
      denied,
      recorded: refuseJobsWith === null ? jobs.map(({ index }) => ({ index, fence: 1 })) : [],
      refusedJobs: refuseJobsWith === null ? [] : jobs.map(({ index }) => ({ index, code: refuseJobsWith })),
    });
  }

  settle(jobId: string, _fence: number, end: AttemptEnd): Promise<boolean> {
    this.settled.set(jobId, end);
    return Promise.resolve(true);
  }

  keep(results: readonly KeptResult[]): Promise<readonly string[]> {
    if (this.down) return Promise.reject(new Error("The gate is down"));
    for (const { handle, json } of results) this.kept.set(handle, json);
    return Promise.resolve(results.map(({ handle }) => handle));
  }

  recall(handles: readonly string[]): Promise<readonly KeptResult[]> {
    if (this.down) return Promise.reject(new Error("The gate is down"));
    const known = handles.filter((handle) => this.kept.has(handle));
    return Promise.resolve(known.map((handle) => ({ handle, json: this.kept.get(handle)! })));
  }
}
