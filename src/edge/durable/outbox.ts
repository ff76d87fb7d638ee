import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";
import type {
  AttemptEnd,
  CallbackClaim,
  CallbackEnd,
  JobChange,
  JobClaim,
  JobQuery,
  JobRecord,
  JobSpec,
} from "../../contract/gate/job.ts";
import type { UsageReport } from "../../contract/gate/usage.ts";
import { LIMITS } from "../../contract/limits.ts";
import { attemptNow } from "../../kit/result.ts";
import { claimCallback, disableCallback, settleCallback } from "../../state/callback.ts";
import { cancelJob, redriveJob } from "../../state/change-job.ts";
import type { RunReport } from "../../contract/gate/flow-run.ts";
import { type AtOnce, countRunning, type Due, firstDue, nextDue } from "../../state/due-index.ts";
import {
  claimJob,
  holds,
  isLive,
  type Job,
  queueJob,
  recordJob,
  settleJob,
  toJobRecord,
} from "../../state/outbox.ts";
import { Backlog, type BacklogOptions } from "./backlog.ts";
import { GoneEndpoints } from "./tables/gone-endpoints.ts";
import { type JobHead, JobTable, kindOf, type RetentionOptions } from "./tables/job-table.ts";

export interface OutboxOptions extends RetentionOptions, BacklogOptions {
  readonly leaseMs: number;
  /** Attempts and deliveries that are under way at once, runs not counted. */
  readonly concurrency: number;
}

/** Work that is claimed: no other worker does it until its lease ends. */
export type ClaimedWork = { readonly leaseEndsAt: number } & (
  | { readonly kind: "attempt"; readonly claim: JobClaim }
  | { readonly kind: "delivery"; readonly claim: CallbackClaim }
);

/** A listener hears of an outbox's events, each in its own turn. */
export interface OutboxListener {
  /** Every row that is written and has something to be done about it. */
  readonly onDue: (dueAt: number) => void;
  readonly onDead: (job: Job) => void;
}

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
  readonly #atOnce: AtOnce;
  readonly #listener: OutboxListener;
  readonly #due = new Map<string, Due>();
  readonly #backlog: Backlog;
  /** Jobs that are kept, alive or not. */
  #count = 0;
  /** When each flow had its last turn. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  /** No run begins before this time: their quota is used up until then. */
  #runsFromMs = 0;

  constructor(storage: DurableObjectStorage, options: OutboxOptions, listener: OutboxListener) {
    this.#storage = storage;
    this.#options = options;
    this.#backlog = new Backlog(options);
    const { concurrency: others } = options;
    this.#atOnce = { runs: LIMITS.runsAtOnce, others, deliveries: LIMITS.callbacksAtOnce };
    this.#table = new JobTable(storage.sql, options);
    this.#gone = new GoneEndpoints(storage.sql);
    this.#listener = listener;
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
    return nextDue(this.#due, nowMs, { ...this.#atOnce, runsFromMs: this.#runsFromMs });
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

  /** Count jobs by status, of some tools or all, and what is alive by its backlog. Reads no row. */
  usage(tools: readonly string[] | undefined): Pick<UsageReport, "jobs" | "backlog"> {
    return { jobs: this.#table.count(tools), backlog: this.#backlog.usage };
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
   * Record jobs, all of them or none: leased to the asker or, on a shard, queued for the alarm. An id that is already recorded
   * stays what it is and counts as recorded, so the same request may be sent twice. The attempts of a `retaken` job belong to the
   * batch that recorded it.
   */
  record(nowMs: number, jobs: AdmissionRequest["jobs"], { queued }: { queued: boolean }): Recorded {
    const recorded: { index: number; fence: number | null }[] = [];
    const refusedJobs: { index: number; code: "BACKLOG_FULL" | "OUTBOX_UNAVAILABLE" }[] = [];
    const inserted: Job[] = [];
    const insert = ({ index, spec, retaken }: AdmissionRequest["jobs"][number]): void => {
      const isFull = this.#backlog.isFull(kindOf(spec), { queued, others: inserted.length });
      if (isFull && !this.has(spec.id)) {
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
    this.#table.add(inserted);
    for (const job of inserted) this.#follow(job);
    return { recorded, refusedJobs };
  }

  /**
   * Record a run: leased to the asker, where it takes it, there is room for one more of those and it need not wait, or queued for
   * the alarm. Null, and nothing is recorded, when too many wait. Throws when storage refuses.
   *
   * @param takes how long the first attempt must wait, for an asker that would make it now; null for one that would not
   * @param beside what is written in the same transaction
   * @returns the fence of the first attempt; null when that is the alarm's
   */
  recordRun(
    nowMs: number,
    spec: JobSpec,
    { takes, beside }: { readonly takes: (() => number) | null; readonly beside: () => void },
  ): { readonly fence: number | null } | null {
    if (this.#backlog.isFullOfRuns(spec.tool)) return null;
    const isRoom = takes !== null && countRunning(this.#due, spec.tool, nowMs) < LIMITS.runsByRequests;
    const isTaken = isRoom && this.#runsFromMs <= nowMs && takes() === 0;
    const job = isTaken ? recordJob(spec, nowMs, this.#options) : queueJob(spec, nowMs);
    this.#storage.transactionSync(() => {
      this.#table.insert(job);
      beside();
    });
    this.#count += 1;
    this.#table.add([job]);
    this.#follow(job);
    return { fence: isTaken ? job.fence : null };
  }

  /** Whether an attempt still has its job. */
  holds(id: string, fence: number): boolean {
    const standing = this.#table.standing(id);
    return standing !== null && holds(standing, fence);
  }

  /** Settle an attempt: the job as it is now, or null when it has nothing to say any more. */
  settle(
    nowMs: number,
    command: {
      jobId: string;
      fence: number;
      end: AttemptEnd;
      random: number;
      report?: RunReport | undefined;
    },
  ): JobRecord | null {
    const { jobId, report, ...rest } = command;
    const said = { ...rest, envelopeJson: report?.envelopeJson };
    const settled = this.#change(jobId, nowMs, (job) => settleJob(job, nowMs, said));
    return settled?.change === "done" ? settled.job : null;
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
    const next = (): string | null =>
      firstDue(this.#due, nowMs, { ...this.#atOnce, runsFromMs: this.#runsFromMs }, this.#turns);
    for (let id = next(); id !== null; id = next()) {
      const isSentAgain = this.#due.get(id)?.isWaiting === true;
      const due = this.#load(id, nowMs);
      if (due === null) {
        this.#due.delete(id);
        continue;
      }
      const delivery = claimCallback(due, nowMs);
      if (delivery !== null && !this.#gone.has(delivery.target.url, nowMs)) {
        const leaseEndsAt = nowMs + this.#options.leaseMs;
        this.#due.set(id, { kind: "delivery", dueAt: leaseEndsAt, claimed: true });
        return { kind: "delivery", claim: delivery, leaseEndsAt };
      }
      const [job, claim] =
        delivery === null ? claimJob(due, nowMs, this.#options) : [disableCallback(due), null];
      const waitMs = claim === null ? 0 : waitOf(claim);
      if (waitMs > 0) {
        const waiting = this.#due.get(id)!;
        // All runs wait for the same: else each of thousands would be looked at whenever one may begin.
        if (waiting.kind === "run") this.#runsFromMs = nowMs + waitMs;
        else this.#due.set(id, { ...waiting, dueAt: nowMs + waitMs });
        continue;
      }
      // Unchanged: nothing was due, or later than the index said, so only the index is wrong.
      if (job === due) this.#follow(job);
      else this.#save(job, due);
      if (claim === null) continue;
      const claimed = this.#due.get(id)!;
      this.#due.set(id, { ...claimed, claimed: true, isSentAgain });
      if (claimed.flow !== undefined) this.#turns.set(claimed.flow, (this.#turn += 1));
      return { kind: "attempt", claim, leaseEndsAt: claimed.dueAt };
    }
    return null;
  }

  /** Forget finished jobs that are too many or too old; throws when storage refuses. */
  prune(nowMs: number): void {
    this.#count -= this.#table.prune(nowMs, this.#count - this.#backlog.size);
  }

  #change(id: string, nowMs: number, step: (job: Job) => [job: Job, accepted: boolean]): JobChange | null {
    const job = this.#load(id, nowMs);
    if (job === null) return null;
    const [changed, accepted] = step(job);
    if (!accepted) return { change: "wrong-status", job: toJobRecord(job) };
    const isRevived = isLive(changed.status) && !isLive(job.status);
    if (isRevived && this.#backlog.isFullForRedriven(kindOf(changed.spec), changed.spec.tool))
      return { change: "backlog-full", job: toJobRecord(job) };
    this.#save(changed, job);
    return { change: "done", job: toJobRecord(changed) };
  }

  #load(id: string, nowMs: number): Job | null {
    const job = this.#table.load(id, nowMs);
    // Reading buries what cannot be read, so the index may have to follow.
    if (job !== null && !isLive(job.status) && this.#isAlive(id)) {
      this.#follow(job);
      this.#listener.onDead(job);
    }
    return job;
  }

  #save(job: Job, before: Job): void {
    this.#table.save(job, before.status);
    this.#follow(job);
    if (job.status === "dead" && before.status !== "dead") this.#listener.onDead(job);
  }

  /** Know what a row says now, and tell of it where something is to be done. */
  #follow(job: Job): void {
    this.#track({ ...job, kind: kindOf(job.spec) });
    if (job.dueAt !== null) this.#listener.onDue(job.dueAt);
  }

  #track({ spec: { id, tool }, kind, status, dueAt }: JobHead): void {
    this.#backlog.count(this.#due.get(id), -1);
    if (dueAt === null) this.#due.delete(id);
    else if (!isLive(status)) this.#due.set(id, { kind: "delivery", dueAt });
    else if (kind !== "run")
      this.#due.set(id, { kind: "attempt", dueAt, isWaiting: kind === "webhook" && status === "retrying" });
    else this.#due.set(id, { kind: "run", dueAt, flow: tool, isRunning: status === "running" });
    this.#backlog.count(this.#due.get(id), 1);
    if (kind === "run" && !this.#backlog.hasRunsOf(tool)) this.#turns.delete(tool);
  }

  #isAlive(id: string): boolean {
    const kind = this.#due.get(id)?.kind;
    return kind === "attempt" || kind === "run";
  }
}
