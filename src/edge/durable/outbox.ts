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
import { type JobHead, JobTable, type RetentionOptions } from "./job-table.ts";

export interface OutboxOptions extends RetentionOptions {
  readonly leaseMs: number;
  /** Live jobs at most. */
  readonly backlog: number;
  /** The same of a shard that is not the tenant's home. */
  readonly shardBacklog: number;
  /** Live jobs that redriving may add to a full backlog. */
  readonly redrives: number;
}

/** Work that is claimed: until its lease ends nobody else does it. */
export type ClaimedWork = { readonly leaseEndsAt: number } & (
  | { readonly kind: "attempt"; readonly claim: JobClaim }
  | { readonly kind: "delivery"; readonly claim: CallbackClaim }
);

type Recorded = Pick<AdmissionAnswer, "recorded" | "refusedJobs">;

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

  /** @param onDue hears when every row that is written is due, in the same turn */
  constructor(storage: DurableObjectStorage, options: OutboxOptions, onDue: (dueAt: number) => void) {
    this.#storage = storage;
    this.#options = options;
    this.#table = new JobTable(storage.sql, options);
    this.#gone = new GoneEndpoints(storage.sql);
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
    return this.#change(id, nowMs, (job) => cancelJob(job, nowMs));
  }

  /** Give a dead job fresh attempts; null when there is no such job. */
  redrive(id: string, nowMs: number): JobChange | null {
    return this.#change(id, nowMs, (job) => redriveJob(job, nowMs));
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
      // A job that begins later is the alarm's too.
      const isTheirs = job.fence === 0 || (retaken === true && !isNew);
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
    const settled = this.#change(command.jobId, nowMs, (job) => settleJob(job, nowMs, command));
    return settled?.change === "done";
  }

  /** Settle an attempt to deliver, unless it has nothing to say any more. */
  settleDelivery(nowMs: number, command: { claim: CallbackClaim; end: CallbackEnd; random: number }): void {
    const { jobId, target } = command.claim;
    const settled = this.#change(jobId, nowMs, (job) => settleCallback(job, nowMs, command));
    if (settled?.change === "done" && settled.job.callback?.lastStatus === 410)
      this.#gone.add(target.url, nowMs);
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

  /** Forget finished jobs that are too many or too old; throws when storage refuses. */
  prune(nowMs: number): void {
    this.#count -= this.#table.prune(nowMs, this.#count - this.#live);
  }

  #change(id: string, nowMs: number, step: (job: Job) => [job: Job, accepted: boolean]): JobChange | null {
    const job = this.#load(id, nowMs);
    if (job === null) return null;
    const [changed, accepted] = step(job);
    if (!accepted) return { change: "wrong-status", job: toJobRecord(job) };
    const { backlog, redrives } = this.#options;
    const isRevived = isLive(changed.status) && !isLive(job.status);
    if (isRevived && this.#live >= backlog + redrives)
      return { change: "backlog-full", job: toJobRecord(job) };
    this.#save(changed);
    return { change: "done", job: toJobRecord(changed) };
  }

  #load(id: string, nowMs: number): Job | null {
    const job = this.#table.load(id, nowMs);
    // Reading buries what cannot be read, so the index may have to follow.
    if (job !== null && !isLive(job.status) && this.#isAlive(id)) this.#follow(job);
    return job;
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

  #track({ spec: { id }, status, dueAt }: JobHead): void {
    const kind = isLive(status) && dueAt !== null ? "attempt" : "delivery";
    this.#live += Number(kind === "attempt") - Number(this.#isAlive(id));
    if (dueAt === null) this.#due.delete(id);
    else this.#due.set(id, { kind, dueAt });
  }

  #isAlive(id: string): boolean {
    return this.#due.get(id)?.kind === "attempt";
  }
}
