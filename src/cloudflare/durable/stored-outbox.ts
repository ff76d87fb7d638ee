import type { AdmissionAnswer, AdmissionRequest, RateLimit } from "../../core/contract/gate/admission.ts";
import type {
  AttemptEnd,
  CallbackClaim,
  CallbackEnd,
  JobChange,
  JobClaim,
  JobQuery,
  JobRecord,
  JobSpec,
  RedriveOptions,
} from "../../core/contract/gate/job.ts";
import type { UsageQuery, UsageReport } from "../../core/contract/gate/usage.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { claimCallback, disableCallback, settleCallback } from "../../core/gate/state/callback.ts";
import { cancelJob, redriveJob } from "../../core/gate/state/change-job.ts";
import { countRunning, type Due, firstDue, type Lane, nextDue } from "../../core/gate/state/due-index.ts";
import {
  claimJob,
  holds,
  isLive,
  type Job,
  queueJob,
  recordJob,
  toJobRecord,
} from "../../core/gate/state/outbox.ts";
import { settleJob } from "../../core/gate/state/settle-job.ts";
import { Backlog, type JobKind } from "./job-kind.ts";
import { DELIVERIES, makeLanes } from "./core-kinds.ts";
import { GoneAddresses } from "./tables/event-table.ts";
import { type JobHead, JobTable, kindOf, type RetentionOptions } from "./tables/job-table.ts";

export interface OutboxOptions extends RetentionOptions {
  readonly leaseMs: number;
  /** Attempts and deliveries that are under way at once, those in the lanes of features not counted. */
  readonly concurrency: number;
}

/** Work that is claimed: no other worker does it until its lease ends. */
export type ClaimedWork = { readonly leaseEndsAt: number } & (
  | { readonly kind: "attempt"; readonly claim: JobClaim; readonly of: JobKind }
  | { readonly kind: "delivery"; readonly claim: CallbackClaim }
);

/** The object around an outbox. It hears of events, each in its own turn. */
export interface OutboxWorld {
  /** The kinds of job that the Worker has. A job of another stays as it is, and nothing is due about it. */
  readonly kinds: readonly JobKind[];
  /** Draw from a limit; how long is to be waited where there is no room. */
  readonly draw: (nowMs: number, limit: RateLimit) => number;
  /** Every row that is written and has something to be done about it. */
  readonly onDue: (dueAt: number) => void;
  /** A job that was recorded, perhaps before, and whose batch's writes a part looks after. */
  readonly onKept: (nowMs: number, spec: JobSpec) => void;
  /** A job that ended, or goes on after its end, or whose attempt has written lines. */
  readonly onTurned: (job: Job) => void;
  /** Finished jobs that were removed. */
  readonly onGone: (jobIds: readonly string[]) => void;
}

/** A job that is recorded by itself, and what belongs to its turn. */
export interface SingleJob {
  readonly spec: JobSpec;
  /** How many attempts in requests its group may have at once, for an asker that would make the first one now; null for one that would not. */
  readonly takes: { readonly atOnce: number } | null;
  /** Write what belongs to it, in the same transaction. */
  readonly beside: () => void;
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
  readonly #gone: GoneAddresses;
  readonly #options: OutboxOptions;
  #lanes: readonly Lane[];
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #world: OutboxWorld;
  readonly #due = new Map<string, Due>();
  readonly #backlog = new Backlog();
  /** Jobs that are kept, alive or not. */
  #count = 0;
  /** When each group had its last turn. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(storage: DurableObjectStorage, options: OutboxOptions, world: OutboxWorld) {
    this.#storage = storage;
    this.#options = options;
    const { kinds } = world;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#lanes = makeLanes(
      options.concurrency,
      kinds.flatMap(({ lane }) => lane ?? []),
    );
    this.#table = new JobTable(storage.sql, options);
    this.#gone = new GoneAddresses(storage.sql);
    this.#world = world;
    const own = kinds.filter(({ isQueued }) => isQueued === true);
    if (own.length > 0) this.#table.release(own.map(({ name }) => name));
    for (const head of this.#table.heads()) {
      this.#count += 1;
      this.#track(head);
    }
  }

  /** How much may be under way at once. */
  get places(): number {
    return this.#lanes.reduce((sum, { places, within }) => (within === undefined ? sum + places : sum), 0);
  }

  /** Whether nothing is to be done: no attempt, and no delivery. */
  get idle(): boolean {
    return this.#due.size === 0;
  }

  /** When the next attempt or delivery can begin, or null when nothing is to be done. Looks at each of them. */
  nextDue(nowMs: number): number | null {
    return nextDue(this.#due, nowMs, this.#lanes);
  }

  /** Whether a job of this id was ever recorded, and is still kept. */
  has(id: string): boolean {
    return this.#due.has(id) || this.#table.has(id);
  }

  job(id: string, nowMs: number): JobRecord | null {
    const job = this.#load(id, nowMs);
    return job && toJobRecord(job);
  }

  /** A job as it was recorded; null where there is none. */
  spec(id: string, nowMs: number): JobSpec | null {
    return this.#load(id, nowMs)?.spec ?? null;
  }

  /** List jobs, newest first, without their data. */
  *list(query: JobQuery, nowMs: number): Iterable<JobRecord> {
    for (const job of this.#table.list(query, nowMs)) yield toJobRecord(job);
  }

  /** Count jobs by status, of some tools or all, and what is alive by its backlog. Reads rows only where a subject is named. */
  usage({ jobsOf, subject }: Pick<UsageQuery, "jobsOf" | "subject"> = {}): Pick<
    UsageReport,
    "jobs" | "backlog"
  > {
    const [jobs, webhooks, runs] = ["jobs", "webhooks", "runs"].map((name) => this.#backlog.sizeOf(name));
    return {
      jobs: this.#table.count(jobsOf, subject),
      backlog: { jobs: jobs!, webhooks: webhooks!, runs: runs! },
    };
  }

  /** Cancel a live job; null when there is no such job. */
  cancel(id: string, nowMs: number): JobChange | null {
    return this.#change(id, nowMs, (job) => cancelJob(job, nowMs));
  }

  /** Give a live job no attempt besides those that have begun; null when there is no such job. */
  endWithAttempt(id: string, nowMs: number): JobChange | null {
    return this.#change(id, nowMs, (job) => [
      { ...job, spec: { ...job.spec, maxAttempts: Math.max(1, job.attempts) } },
      isLive(job.status),
    ]);
  }

  /** Give a dead job fresh attempts; null when there is no such job. */
  redrive(id: string, nowMs: number, options?: RedriveOptions): JobChange | null {
    return this.#change(id, nowMs, (job) => redriveJob(job, nowMs, options));
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
      const kind = this.#kindOf(spec);
      const wish = { tool: spec.tool, queued, others: inserted.length };
      if (!kind.hasRoom(this.#backlog, wish) && !this.has(spec.id)) {
        refusedJobs.push({ index, code: "BACKLOG_FULL" });
        return;
      }
      const isQueued = queued || kind.isQueued === true;
      const job = isQueued ? queueJob(spec, nowMs) : recordJob(spec, nowMs, this.#leaseOf(spec));
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
    for (const { spec } of jobs) if (spec.kept && this.has(spec.id)) this.#world.onKept(nowMs, spec);
    return { recorded, refusedJobs };
  }

  /**
   * Record a job by itself: leased to the asker, where it takes it, there is room for one more of those and it need not wait, or
   * queued for the alarm. Null, and nothing is recorded, when too many wait. Throws when storage refuses.
   *
   * @returns the fence of the first attempt; null when that is the alarm's
   */
  recordOne(nowMs: number, { spec, takes, beside }: SingleJob): { readonly fence: number | null } | null {
    const kind = this.#kindOf(spec);
    const { tool } = spec;
    if (!kind.hasRoom(this.#backlog, { tool, queued: false, others: 0 })) return null;
    const isRoom = takes !== null && countRunning(this.#due, tool, nowMs) < takes.atOnce;
    const { fromMs = 0 } = this.#lanes.find(({ name }) => name === kind.lane?.name) ?? {};
    const isTaken = isRoom && fromMs <= nowMs && this.#waitOf(kind, nowMs, { spec, fence: 1 }) === 0;
    const job = isTaken ? recordJob(spec, nowMs, this.#leaseOf(spec)) : queueJob(spec, nowMs);
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

  /** Whether an attempt was under way when its job was cancelled: it begins nothing more, and says how what it had begun ended. */
  wasCancelled(id: string, fence: number): boolean {
    const standing = this.#table.standing(id);
    return standing?.status === "cancelled" && standing.fence === fence + 1;
  }

  /** Whether a job is over, so that nothing more becomes of it by itself. */
  isOver(id: string): boolean {
    const standing = this.#table.standing(id);
    return standing !== null && !isLive(standing.status);
  }

  /** Settle an attempt: the job as it is now, or null when it has nothing to say any more. */
  settle(
    nowMs: number,
    command: {
      jobId: string;
      fence: number;
      end: AttemptEnd;
      random: number;
      envelopeJson?: string | undefined;
    },
  ): JobRecord | null {
    const { jobId, ...said } = command;
    const settled = this.#change(jobId, nowMs, (job) => {
      const mayMend = this.#kinds.get(kindOf(job.spec))?.mayMend;
      return settleJob(job, nowMs, { ...said, mayMend });
    });
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
   * A claimed attempt is written down before it runs. That a delivery is under way is known in memory only. A waiting attempt is not written down: the row says that it is due, and so it is after a cold start, which asks again.
   */
  claim(nowMs: number): ClaimedWork | null {
    const next = (): string | null => firstDue(this.#due, nowMs, { lanes: this.#lanes, turns: this.#turns });
    for (let id = next(); id !== null; id = next()) {
      const waiting = this.#due.get(id)!;
      const due = this.#load(id, nowMs);
      if (due === null) {
        this.#due.delete(id);
        continue;
      }
      const delivery = claimCallback(due, nowMs);
      if (delivery?.also === undefined && delivery !== null && this.#gone.has(delivery.target.url, nowMs)) {
        this.#save(disableCallback(due), due);
        continue;
      }
      if (delivery !== null) {
        const leaseEndsAt = nowMs + this.#options.leaseMs;
        this.#due.set(id, { lane: DELIVERIES, dueAt: leaseEndsAt, claimed: true });
        return { kind: "delivery", claim: delivery, leaseEndsAt };
      }
      const of = this.#kindOf(due.spec);
      const [job, claim] = claimJob(due, nowMs, this.#leaseOf(due.spec));
      const waitMs = claim === null ? 0 : this.#waitOf(of, nowMs, claim);
      if (waitMs > 0) {
        const fromMs = nowMs + waitMs;
        if (of.lane?.waitsTogether !== true) this.#due.set(id, { ...waiting, dueAt: fromMs });
        else
          this.#lanes = this.#lanes.map((lane) => (lane.name === waiting.lane ? { ...lane, fromMs } : lane));
        continue;
      }
      // Unchanged: nothing was due, or later than the index said, so only the index is wrong.
      if (job === due) this.#follow(job);
      else this.#save(job, due);
      if (claim === null) continue;
      const claimed = this.#due.get(id)!;
      // A webhook that is sent again goes on taking a place of that lane.
      this.#due.set(id, { ...claimed, claimed: true, lane: waiting.lane });
      if (claimed.group !== undefined) this.#turns.set(claimed.group, (this.#turn += 1));
      if (of.isQueued === true) this.#world.onDue(nowMs + LIMITS.ownAttemptMs);
      return { kind: "attempt", claim, of, leaseEndsAt: claimed.dueAt };
    }
    return null;
  }

  /** Forget finished jobs that are too many or too old; throws when storage refuses. */
  prune(nowMs: number): void {
    const gone = this.#table.prune(nowMs, this.#count - this.#backlog.size);
    if (gone.length === 0) return;
    this.#count -= gone.length;
    this.#world.onGone(gone);
  }

  #change(id: string, nowMs: number, step: (job: Job) => [job: Job, accepted: boolean]): JobChange | null {
    const job = this.#load(id, nowMs);
    if (job === null) return null;
    const [changed, accepted] = step(job);
    if (!accepted) return { change: "wrong-status", job: toJobRecord(job) };
    const isRevived = isLive(changed.status) && !isLive(job.status);
    const kind = this.#kinds.get(kindOf(changed.spec));
    if (isRevived && kind?.hasRoomAgain(this.#backlog, changed.spec.tool) === false)
      return { change: "backlog-full", job: toJobRecord(job) };
    this.#save(changed, job);
    return { change: "done", job: toJobRecord(changed) };
  }

  #load(id: string, nowMs: number): Job | null {
    const job = this.#table.load(id, nowMs);
    // Reading buries what cannot be read, so the index may have to follow.
    if (job !== null && !isLive(job.status) && this.#isAlive(id)) {
      this.#follow(job);
      this.#world.onTurned(job);
    }
    return job;
  }

  #save(job: Job, before: Job): void {
    this.#table.save(job, before.status);
    this.#follow(job);
    const isAttempt = isLive(job.status) && isLive(before.status);
    if (job.log !== undefined || (job.status !== before.status && !isAttempt)) this.#world.onTurned(job);
  }

  /** Know what a row says now, and tell of it where something is to be done. */
  #follow(job: Job): void {
    this.#track({ ...job, kind: kindOf(job.spec) });
    if (job.dueAt !== null) this.#world.onDue(job.dueAt);
  }

  #track({ spec: { id, tool }, kind: name, status, fence, dueAt }: JobHead): void {
    this.#backlog.count(this.#due.get(id), -1);
    const kind = this.#kinds.get(name);
    const group = kind?.takesTurns === true ? tool : undefined;
    if (dueAt === null || (isLive(status) && kind === undefined)) this.#due.delete(id);
    else if (!isLive(status)) this.#due.set(id, { lane: DELIVERIES, dueAt });
    else {
      const isRunning = status === "running";
      const isLater = kind!.newFirst === true && fence > 0 && !isRunning;
      this.#due.set(id, { ...kind!.placeOf(status), dueAt, group, isRunning, isLater });
    }
    this.#backlog.count(this.#due.get(id), 1);
    if (group !== undefined && this.#backlog.sizeOfGroup(group) === 0) this.#turns.delete(group);
  }

  #isAlive(id: string): boolean {
    return this.#due.get(id)?.backlog !== undefined;
  }

  #kindOf(spec: Job["spec"]): JobKind {
    const kind = this.#kinds.get(kindOf(spec));
    if (kind === undefined) throw new Error(`Cannot take a job: the Worker has no kind '${kindOf(spec)}'`);
    return kind;
  }

  #leaseOf(spec: Job["spec"]): number {
    return this.#options.leaseMs + (this.#kindOf(spec).attemptMs?.(spec) ?? 0);
  }

  /** Draw from an attempt's limit; how long it has to wait where there is no room. */
  #waitOf(kind: JobKind, nowMs: number, claim: Pick<JobClaim, "spec" | "fence">): number {
    const limit = kind.limitOf(claim);
    return limit === null ? 0 : this.#world.draw(nowMs, limit);
  }
}
