import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";
import type {
  AttemptEnd,
  CallbackClaim,
  CallbackEnd,
  JobChange,
  JobClaim,
  JobQuery,
  JobRecord,
} from "../../contract/gate/job.ts";
import { LIMITS } from "../../contract/limits.ts";
import { attemptNow } from "../../kit/result.ts";
import { claimCallback, disableCallback, settleCallback } from "../../state/callback.ts";
import { cancelJob, redriveJob } from "../../state/change-job.ts";
import { type Due, firstDue, nextDue } from "../../state/due-index.ts";
import {
  claimJob,
  isLive,
  type Job,
  queueJob,
  recordJob,
  settleJob,
  toJobRecord,
} from "../../state/outbox.ts";
import { GoneEndpoints } from "./gone-endpoints.ts";
import { type JobHead, JobTable } from "./job-table.ts";

export interface OutboxOptions {
  readonly leaseMs: number;
  /** Live jobs at most. */
  readonly backlog: number;
  /** The same of a shard that is not the tenant's home. */
  readonly shardBacklog: number;
  /** Live jobs that redriving may add to a full backlog. */
  readonly redrives: number;
  readonly retentionMs: number;
  readonly jobsKept: number;
}

/** Work that is claimed: until its lease ends nobody else does it. */
export type ClaimedWork = { readonly leaseEndsAt: number } & (
  | { readonly kind: "attempt"; readonly claim: JobClaim }
  | { readonly kind: "delivery"; readonly claim: CallbackClaim }
);

type Recorded = Pick<AdmissionAnswer, "recorded" | "refusedJobs">;

/** Between two prunings by age: rows a few minutes too old hurt nobody. */
const PRUNE_EVERY_MS = 5 * 60_000;

/**
 * The tenant's background jobs: rows in the `jobs` table, and in memory what is to be done about them and when: attempts
 * of those that are alive, deliveries of the events about the others.
 *
 * Memory follows the table, never the other way round: it is changed after the write succeeded, and a cold start
 * derives it again, so a crash between the two loses nothing.
 */
export class Outbox {
  readonly #storage: DurableObjectStorage;
  readonly #table: JobTable;
  readonly #gone: GoneEndpoints;
  readonly #options: OutboxOptions;
  readonly #onDue: (dueAt: number) => void;
  readonly #due = new Map<string, Due>();
  /** Jobs that are alive, and all that are kept. */
  #live = 0;
  #count = 0;
  /** No job ended before that. */
  #oldestEnd = Number.POSITIVE_INFINITY;
  #prunedAt = 0;

  /** @param onDue hears when every row that is written is due, in the same turn */
  constructor(storage: DurableObjectStorage, options: OutboxOptions, onDue: (dueAt: number) => void) {
    this.#storage = storage;
    this.#options = options;
    this.#table = new JobTable(storage.sql);
    this.#gone = new GoneEndpoints(storage.sql, {
      forMs: LIMITS.goneEndpointMs,
      kept: LIMITS.goneEndpoints,
    });
    this.#onDue = onDue;
    for (const head of this.#table.heads()) {
      this.#count += 1;
      this.#track(head);
    }
  }

  /** Whether nothing is to be done: no attempt, and no delivery. */
  get idle(): boolean {
    return this.#due.size === 0;
  }

  /** When the next attempt or delivery can begin, or null when nothing is to be done. Looks at each of them. */
  nextDue(nowMs: number): number | null {
    return nextDue(this.#due, nowMs, LIMITS.callbacksAtOnce);
  }

  /** Whether a job of this id was ever recorded, and is still kept. */
  has(id: string): boolean {
    return this.#due.has(id) || this.#table.has(id);
  }

  job(id: string, nowMs: number): JobRecord | null {
    const job = this.#load(id, nowMs);
    return job && toJobRecord(job);
  }

  /** List jobs, newest first, without their data. */
  list(query: JobQuery, nowMs: number): JobRecord[] {
    return this.#table.list(query, nowMs).map(toJobRecord);
  }

  /** Cancel a live job; null when there is no such job. */
  cancel(id: string, nowMs: number): JobChange | null {
    const job = this.#load(id, nowMs);
    return job && this.#change(job, cancelJob(job, nowMs));
  }

  /** Give a dead job fresh attempts; null when there is no such job. */
  redrive(id: string, nowMs: number): JobChange | null {
    const job = this.#load(id, nowMs);
    if (job === null) return null;
    const redriven = redriveJob(job, nowMs);
    const { backlog, redrives } = this.#options;
    if (redriven[1] && this.#live >= backlog + redrives)
      return { change: "backlog-full", job: toJobRecord(job) };
    return this.#change(job, redriven);
  }

  #change(job: Job, changed: [job: Job, accepted: boolean]): JobChange {
    const change = this.#saveIf(changed) ? "done" : "wrong-status";
    return { change, job: toJobRecord(change === "done" ? changed[0] : job) };
  }

  /**
   * Record jobs, all of them or none: leased to whoever asks or, on a shard, queued for the alarm. An id that is already
   * recorded stays what it is and counts as recorded, so the same request may be sent twice. Of one that is `retaken` the
   * attempts belong to whoever recorded it.
   */
  record(nowMs: number, jobs: AdmissionRequest["jobs"], { queued }: { queued: boolean }): Recorded {
    const backlog = queued ? this.#options.shardBacklog : this.#options.backlog;
    const recorded: { index: number; fence: number | null }[] = [];
    const refusedJobs: { index: number; code: "BACKLOG_FULL" | "OUTBOX_UNAVAILABLE" }[] = [];
    const inserted: Job[] = [];
    const insert = ({ index, spec, retaken }: AdmissionRequest["jobs"][number]): void => {
      if (this.#live + inserted.length >= backlog && !this.has(spec.id)) {
        refusedJobs.push({ index, code: "BACKLOG_FULL" });
        return;
      }
      const job = queued ? queueJob(spec, nowMs) : recordJob(spec, nowMs, this.#options);
      const isNew = this.#table.insert(job);
      if (isNew) inserted.push(job);
      const isTheirs = queued || (retaken === true && !isNew);
      recorded.push({ index, fence: isTheirs ? null : job.fence });
    };
    if (!attemptNow(() => this.#storage.transactionSync(() => jobs.forEach(insert))).ok) {
      // A full disk, most likely. Nothing of this batch is recorded, and nothing of it may be called initiated.
      const code = "OUTBOX_UNAVAILABLE";
      return { recorded: [], refusedJobs: jobs.map(({ index }) => ({ index, code })) };
    }
    this.#count += inserted.length;
    for (const job of inserted) this.#follow(job);
    return { recorded, refusedJobs };
  }

  /** Settle an attempt; false when it has nothing to say any more. */
  settle(nowMs: number, command: { jobId: string; fence: number; end: AttemptEnd; random: number }): boolean {
    const job = this.#load(command.jobId, nowMs);
    return job !== null && this.#saveIf(settleJob(job, nowMs, command));
  }

  /** Settle an attempt to deliver; false when it has nothing to say any more. */
  settleDelivery(
    nowMs: number,
    command: { claim: CallbackClaim; end: CallbackEnd; random: number },
  ): boolean {
    const { claim, end } = command;
    const job = this.#load(claim.jobId, nowMs);
    if (job === null) return false;
    const settled = settleCallback(job, nowMs, command);
    if (settled[1] && end.kind === "answered" && end.status === 410) this.#gone.add(claim.target.url, nowMs);
    return this.#saveIf(settled);
  }

  /**
   * Claim what is to be done first, or null when nothing is due.
   *
   * A claimed attempt is written down before it runs. That a delivery is under way is known in memory only.
   * @param waitOf how long an attempt must wait before it may begin. Nothing of that is written: the row says that it is
   *   due, and so it is after a cold start, which asks again
   */
  claim(nowMs: number, waitOf: (claim: JobClaim) => number): ClaimedWork | null {
    const leaseEndsAt = nowMs + this.#options.leaseMs;
    const next = (): string | null => firstDue(this.#due, nowMs, LIMITS.callbacksAtOnce);
    for (let id = next(); id !== null; id = next()) {
      const due = this.#load(id, nowMs);
      if (due === null) {
        this.#due.delete(id);
        continue;
      }
      const delivery = claimCallback(due, nowMs);
      if (delivery !== null && !this.#gone.has(delivery.target.url, nowMs)) {
        this.#due.set(id, { kind: "delivery", dueAt: leaseEndsAt, claimed: true });
        return { kind: "delivery", claim: delivery, leaseEndsAt };
      }
      const [job, claim] =
        delivery === null ? claimJob(due, nowMs, this.#options) : [disableCallback(due), null];
      const waitMs = claim === null ? 0 : waitOf(claim);
      if (waitMs > 0) {
        this.#due.set(id, { kind: "attempt", dueAt: nowMs + waitMs });
        continue;
      }
      // Unchanged: nothing was due, or later than the index said, so only the index is wrong.
      if (job === due) this.#follow(job);
      else this.#save(job);
      if (claim !== null) return { kind: "attempt", claim, leaseEndsAt };
    }
    return null;
  }

  /**
   * Forget finished jobs that are too many or too old; throws when storage refuses.
   *
   * How many there are and how old the oldest is are known in memory, so the usual answer, that nothing has to go, costs
   * no SQL. Over the count at most a tenth more is kept: then one scan removes many.
   */
  prune(nowMs: number): void {
    const { jobsKept, retentionMs } = this.#options;
    const finished = this.#count - this.#live;
    if (finished > jobsKept + Math.floor(jobsKept / 10))
      this.#forget(Number.POSITIVE_INFINITY, finished - jobsKept);
    const expiry = nowMs - retentionMs;
    if (this.#oldestEnd >= expiry || nowMs < this.#prunedAt + PRUNE_EVERY_MS) return;
    this.#prunedAt = nowMs;
    this.#forget(expiry, Number.POSITIVE_INFINITY);
  }

  #forget(beforeMs: number, count: number): void {
    this.#count -= this.#table.prune(beforeMs, count);
    this.#oldestEnd = this.#table.oldestFinal();
  }

  #load(id: string, nowMs: number): Job | null {
    const job = this.#table.load(id, nowMs);
    // Reading buries what cannot be read, so the index may have to follow.
    if (job !== null && !isLive(job.status) && this.#isAlive(id)) this.#follow(job);
    return job;
  }

  #saveIf([job, accepted]: [job: Job, accepted: boolean]): boolean {
    if (accepted) this.#save(job);
    return accepted;
  }

  #save(job: Job): void {
    this.#table.save(job);
    this.#follow(job);
  }

  /** Know what a row says now, and tell of it where something is to be done. */
  #follow(job: Job): void {
    this.#track(job);
    if (job.dueAt !== null) this.#onDue(job.dueAt);
  }

  #track({ spec: { id }, status, dueAt, updatedAt }: JobHead): void {
    const kind = isLive(status) && dueAt !== null ? "attempt" : "delivery";
    this.#live += Number(kind === "attempt") - Number(this.#isAlive(id));
    if (kind === "delivery") this.#oldestEnd = Math.min(this.#oldestEnd, updatedAt);
    if (dueAt === null) this.#due.delete(id);
    else this.#due.set(id, { kind, dueAt });
  }

  #isAlive(id: string): boolean {
    return this.#due.get(id)?.kind === "attempt";
  }
}
