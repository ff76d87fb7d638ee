import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";
import type { AttemptEnd, JobChange, JobClaim, JobQuery, JobRecord } from "../../contract/gate/job.ts";
import { cancelJob, redriveJob } from "../../state/change-job.ts";
import { firstDue, nextDue } from "../../state/due-times.ts";
import { claimJob, type Job, queueJob, recordJob, settleJob, toJobRecord } from "../../state/outbox.ts";
import { CallbackQueue } from "./callback-queue.ts";
import { FinalJobs } from "./final-jobs.ts";
import { isLive } from "./job-row.ts";
import { JobTable } from "./job-table.ts";

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

/** A claimed attempt, and when its claim stops protecting it. */
export interface DueAttempt {
  readonly claim: JobClaim;
  readonly leaseEndsAt: number;
}

type Recorded = Pick<AdmissionAnswer, "recorded" | "refusedJobs">;

/**
 * The tenant's background jobs: rows in the `jobs` table, and in memory which of them are live and when each is due;
 * beside them the events about finished ones that are still to be delivered.
 *
 * Memory follows the table, never the other way round: it is changed after the write succeeded, and a cold start
 * derives it again, so a crash between the two loses nothing.
 */
export class Outbox {
  readonly #storage: DurableObjectStorage;
  readonly #table: JobTable;
  readonly #options: OutboxOptions;
  readonly #final: FinalJobs;
  readonly #live = new Map<string, number>();
  readonly callbacks: CallbackQueue;
  readonly #onDue: (dueAt: number) => void;

  /** @param onDue hears the due time of every live row that is written, in the same turn */
  constructor(storage: DurableObjectStorage, options: OutboxOptions, onDue: (dueAt: number) => void) {
    this.#storage = storage;
    this.#options = options;
    this.#onDue = onDue;
    this.#table = new JobTable(storage.sql);
    this.#final = new FinalJobs(this.#table, options);
    this.callbacks = new CallbackQueue(
      storage.sql,
      { load: (id) => this.#load(id, Date.now()), save: (job) => this.#save(job) },
      options.leaseMs,
    );
    for (const { id, due_at, updated_at, status } of this.#table.scan()) {
      if (isLive(status) && due_at !== null) this.#live.set(id, due_at);
      else {
        this.#final.add(updated_at);
        this.callbacks.follow(id, due_at);
      }
    }
  }

  /** Whether anything is still to be done: an attempt, or a delivery. */
  get idle(): boolean {
    return this.#live.size === 0 && this.callbacks.size === 0;
  }

  /** When the next attempt or delivery is due, or null when nothing is to be done. Looks at each of them. */
  nextDue(nowMs: number): number | null {
    const job = nextDue(this.#live);
    const callback = this.callbacks.nextDue(nowMs);
    return job === null || callback === null ? (job ?? callback) : Math.min(job, callback);
  }

  /** Whether a job of this id was ever recorded, and is still kept. */
  has(id: string): boolean {
    return this.#live.has(id) || this.#table.has(id);
  }

  job(id: string, nowMs: number): JobRecord | null {
    const job = this.#load(id, nowMs);
    return job === null ? null : toJobRecord(job);
  }

  /** List jobs, newest first, without their data. */
  list(query: JobQuery, nowMs: number): JobRecord[] {
    return this.#table.list(query, nowMs).map(toJobRecord);
  }

  /** Cancel a live job; null when there is no such job. */
  cancel(id: string, nowMs: number): JobChange | null {
    const job = this.#load(id, nowMs);
    return job === null ? null : this.#change(job, cancelJob(job, nowMs));
  }

  /** Give a dead job fresh attempts; null when there is no such job. */
  redrive(id: string, nowMs: number): JobChange | null {
    const job = this.#load(id, nowMs);
    if (job === null) return null;
    const redriven = redriveJob(job, nowMs);
    const { backlog, redrives } = this.#options;
    if (redriven[1] && this.#live.size >= backlog + redrives)
      return { change: "backlog-full", job: toJobRecord(job) };
    const change = this.#change(job, redriven);
    if (redriven[1]) this.#final.revive();
    return change;
  }

  #change(job: Job, [changed, accepted]: [job: Job, accepted: boolean]): JobChange {
    if (!accepted) return { change: "wrong-status", job: toJobRecord(job) };
    this.#save(changed);
    return { change: "done", job: toJobRecord(changed) };
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
    try {
      this.#storage.transactionSync(() => {
        for (const { index, spec, retaken } of jobs) {
          if (this.#live.size + inserted.length >= backlog && !this.has(spec.id)) {
            refusedJobs.push({ index, code: "BACKLOG_FULL" });
            continue;
          }
          const job = queued ? queueJob(spec, nowMs) : recordJob(spec, nowMs, this.#options);
          const isNew = this.#table.insert(job);
          if (isNew) inserted.push(job);
          const isTheirs = queued || (retaken === true && !isNew);
          recorded.push({ index, fence: isTheirs ? null : job.fence });
        }
      });
    } catch {
      // A full disk, most likely. Nothing of this batch is recorded, and nothing of it may be called initiated.
      const code = "OUTBOX_UNAVAILABLE";
      return { recorded: [], refusedJobs: jobs.map(({ index }) => ({ index, code })) };
    }
    for (const job of inserted) this.#follow(job);
    return { recorded, refusedJobs };
  }

  /** Settle an attempt; false when it has nothing to say any more. */
  settle(nowMs: number, command: { jobId: string; fence: number; end: AttemptEnd; random: number }): boolean {
    const job = this.#load(command.jobId, nowMs);
    if (job === null) return false;
    const [settled, accepted] = settleJob(job, nowMs, command);
    if (accepted) this.#save(settled);
    return accepted;
  }

  /**
   * Claim the attempt that has been due for longest, or null when none is.
   *
   * @param waitOf how long an attempt must wait before it may begin. Nothing of that is written: the row says that it is
   *   due, and so it is after a cold start, which asks again
   */
  claim(nowMs: number, waitOf: (claim: JobClaim) => number): DueAttempt | null {
    for (let id = firstDue(this.#live, nowMs); id !== null; id = firstDue(this.#live, nowMs)) {
      const due = this.#load(id, nowMs);
      if (due === null) {
        this.#live.delete(id);
        continue;
      }
      const [job, claim] = claimJob(due, nowMs, this.#options);
      const waitMs = claim === null ? 0 : waitOf(claim);
      if (waitMs > 0) {
        this.#live.set(id, nowMs + waitMs);
        continue;
      }
      // Unchanged: it was final or later than the index said, so only the index is wrong.
      if (job === due) this.#follow(job);
      else this.#save(job);
      if (claim !== null) return { claim, leaseEndsAt: nowMs + this.#options.leaseMs };
    }
    return null;
  }

  /** Forget finished jobs that are too many or too old. */
  prune(nowMs: number): void {
    this.#final.prune(nowMs);
  }

  #load(id: string, nowMs: number): Job | null {
    const job = this.#table.load(id, nowMs);
    // Reading buries what cannot be read, so the index may have to follow.
    if (job !== null && job.dueAt === null && this.#live.has(id)) this.#follow(job);
    return job;
  }

  #save(job: Job): void {
    this.#table.save(job);
    this.#follow(job);
  }

  #follow(job: Job): void {
    const { id } = job.spec;
    const eventDueAt = job.callback?.dueAt ?? null;
    if (job.callback !== null) this.callbacks.follow(id, eventDueAt);
    if (job.dueAt !== null) this.#live.set(id, job.dueAt);
    else if (this.#live.delete(id)) this.#final.add(job.updatedAt);
    const dueAt = job.dueAt ?? eventDueAt;
    if (dueAt !== null) this.#onDue(dueAt);
  }
}
