import { DurableObject } from "cloudflare:workers";
import type { AdmissionAnswer, AdmissionRequest, LeaseWish, RateLimit } from "../../contract/admission.ts";
import type {
  ApprovalAnswer,
  Claim,
  ClaimRefusal,
  ConfirmationRecord,
  ParkAnswer,
  ParkRequest,
} from "../../contract/confirmation.ts";
import { makeFailure, toWireFailure } from "../../contract/failure.ts";
import type {
  IdempotencyAnswer,
  IdempotencyClosing,
  IdempotencyRequest,
} from "../../contract/idempotency.ts";
import type {
  AttemptEnd,
  CallbackClaim,
  CallbackEnd,
  JobChange,
  JobClaim,
  JobQuery,
  JobRecord,
} from "../../contract/job.ts";
import type { KeptResult } from "../../contract/kept-result.ts";
import { LIMITS } from "../../contract/limits.ts";
import { admitJobs } from "../../state/admit-jobs.ts";
import { CONFIRMATION_LIMITS, type ConfirmationLimits } from "../../state/confirmations.ts";
import { KEEP_LIMITS, type KeepLimits } from "../../state/kept-results.ts";
import { narrowToClaimed } from "../../state/narrow-to-claimed.ts";
import { systemClock } from "../system-ports.ts";
import { type DueWork, JobDrain } from "./drain-jobs.ts";
import { ConfirmationTable } from "./confirmation-table.ts";
import { GateAlarm } from "./gate-alarm.ts";
import { KEY_LIMITS, KeyTable, type KeyTableOptions } from "./key-table.ts";
import { Outbox, type OutboxOptions } from "./outbox.ts";
import { QuotaTable } from "./quota-table.ts";
import { ResultTable } from "./result-table.ts";
import { migrate } from "./schema.ts";
import type { TenantGateMethods } from "./tenant-gate-methods.ts";

type Env = Record<string, unknown>;

export interface TenantGateOptions extends OutboxOptions {
  /** Attempts that one alarm runs at once. */
  readonly concurrency: number;
  readonly results: KeepLimits;
  readonly keys: KeyTableOptions;
  readonly confirmations: ConfirmationLimits;
}

/** What an alarm does besides looking after rows. */
export interface GateBackground {
  /** Make one attempt of a job. */
  readonly attempt: (claim: JobClaim) => Promise<AttemptEnd>;
  /** The tenant's limit that every call of a tool draws from; null where it has none. */
  readonly limitOf: (tool: string) => RateLimit | null;
  /** Try once to deliver the event about a job's end. */
  readonly deliver: (claim: CallbackClaim) => Promise<CallbackEnd>;
}

export interface TenantGateParts {
  /** Create what does this object's background work, one thing at a call. Each bounds its own time below the lease. */
  readonly createBackground: (env: Env) => GateBackground;
  /** Options that differ from `LIMITS`, from the object's environment. */
  readonly optionsOf?: (env: Env) => Partial<TenantGateOptions>;
}

const DEFAULTS: TenantGateOptions = {
  leaseMs: LIMITS.jobLeaseMs,
  backlog: LIMITS.jobBacklog,
  shardBacklog: LIMITS.shardBacklog,
  redrives: LIMITS.jobRedrives,
  retentionMs: LIMITS.jobRetentionMs,
  jobsKept: LIMITS.jobsKept,
  concurrency: LIMITS.headerSlots,
  results: KEEP_LIMITS,
  keys: KEY_LIMITS,
  confirmations: CONFIRMATION_LIMITS,
};

/** What a bug in an attempt leaves behind: nobody knows what it sent. */
const LOST: AttemptEnd = { kind: "lost", error: toWireFailure(makeFailure("INTERNAL")) };

/** Well below the 15 minutes that the platform gives an alarm; what is left is claimed by the next one. */
const CLAIM_FOR_MS = 5 * 60_000;

/** Make the Durable Object class that holds one tenant's quota, jobs, kept results, idempotency keys and confirmations. */
export function createTenantGate({ createBackground, optionsOf = () => ({}) }: TenantGateParts) {
  /**
   * One tenant's gate. Every method is one synchronous turn: no other request sees half of it, its writes are one
   * transaction, and the platform holds its answer until they are durable. All rules are in `state`.
   */
  return class TenantGate extends DurableObject<Env> implements TenantGateMethods {
    #quota!: QuotaTable;
    #outbox!: Outbox;
    #results!: ResultTable;
    #keys!: KeyTable;
    #confirmations!: ConfirmationTable;
    #alarm!: GateAlarm;
    #drain!: JobDrain;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      void ctx.blockConcurrencyWhile(async () => {
        const options = { ...DEFAULTS, ...optionsOf(env) };
        migrate(ctx.storage);
        this.#quota = new QuotaTable(ctx.storage.sql);
        this.#outbox = new Outbox(ctx.storage, options, (dueAt) => this.#watch(dueAt));
        this.#results = new ResultTable(ctx.storage, options.results);
        this.#keys = new KeyTable(ctx.storage, options.keys);
        this.#confirmations = new ConfirmationTable(ctx.storage, options.confirmations);
        const alarmAt = await ctx.storage.getAlarm();
        this.#alarm = new GateAlarm(ctx.storage, alarmAt, options.leaseMs);
        this.#drain = this.#createDrain(options.concurrency);
        const dueAt = this.#outbox.nextDue(Date.now());
        // One that is missing may have woken the object just now, and is set again by `alarm` or the first entry.
        if (alarmAt !== null && dueAt !== null) this.#alarm.arm(dueAt);
      });
    }

    /** Admit one batch, and then grant the leases that are wished for. */
    admit(request: AdmissionRequest, wishes: readonly LeaseWish[] = []): AdmissionAnswer {
      const now = this.#enter();
      const { idempotency } = request;
      const answer =
        idempotency === undefined ? this.#admit(now, request) : this.#admitKeyed(now, request, idempotency);
      return wishes.length === 0 ? answer : { ...answer, leases: this.#quota.lease(now, wishes) };
    }

    /**
     * Admit a batch with keys. What was run before costs nothing, so it can be asked for when the quota is used up; what
     * the quota or a limit turns away leaves its key as it was.
     */
    #admitKeyed(now: number, request: AdmissionRequest, keys: IdempotencyRequest): AdmissionAnswer {
      const batch = keys.batch && this.#keys.claim(now, keys.batch, keys);
      if (batch !== null && batch.state.kind !== "claimed") {
        const idempotency = { batch: batch.state, actions: [] };
        return { quota: null, denied: [], recorded: [], refusedJobs: [], idempotency };
      }
      const actions = keys.actions.map((action) => ({
        index: action.index,
        ...this.#keys.claim(now, action, keys),
      }));
      const asked: IdempotencyAnswer = { batch: batch && batch.state, actions };
      const narrowed = narrowToClaimed(request, keys, asked);
      // It was counted then. Refusing it now would hide what that admission began.
      const quota = [batch, ...actions].some((claim) => claim?.isHeld) ? null : request.quota;

      let settled: IdempotencyAnswer["actions"] = [];
      const answer = this.#admit(now, { ...request, ...narrowed, quota }, (denied) => {
        const kept = actions.filter(({ index, state }) => narrowed.keeps(index, state, denied));
        this.#keys.save([...(batch === null ? [] : [batch]), ...kept]);
        settled = kept.map(({ index, state }) => ({ index, state }));
      });
      if (answer.quota?.allowed === false) return answer;
      return { ...answer, idempotency: { batch: asked.batch, actions: settled } };
    }

    /**
     * Count a batch's quota and its draws, record its jobs.
     *
     * A request that recorded jobs before (its answer was lost and it was sent again) is counted once more, but never
     * refused for that: its jobs do run, and saying otherwise would make the caller send them a second time.
     *
     * @param onCounted hears what was denied, before anything is recorded; when it throws nothing is
     */
    #admit(
      now: number,
      request: AdmissionRequest,
      onCounted: (denied: AdmissionAnswer["denied"]) => void = () => {},
    ): AdmissionAnswer {
      const { countedAtHome } = request;
      let count =
        countedAtHome === undefined
          ? this.#quota.draw(now, request)
          : { quota: null, denied: countedAtHome.denied };
      const isRecorded = (id: string): boolean => this.#outbox.has(id);
      if (count.quota?.allowed === false) {
        if (!request.jobs.some(({ spec }) => isRecorded(spec.id)))
          return { ...count, recorded: [], refusedJobs: [] };
        const { denied } = this.#quota.draw(now, { quota: null, draws: request.draws });
        count = { quota: { ...count.quota, allowed: true }, denied };
      }
      const { jobs, denied } = admitJobs(request, count.denied, isRecorded);
      onCounted(denied);
      if (jobs.length === 0) return { quota: count.quota, denied, recorded: [], refusedJobs: [] };
      return {
        quota: count.quota,
        denied,
        ...this.#outbox.record(now, jobs, { queued: countedAtHome !== undefined }),
      };
    }

    /** Take a run's last word on the keys that it claimed. */
    complete(closing: IdempotencyClosing): void {
      this.#keys.complete(this.#enter(), closing);
    }

    /** Take an attempt's report; false when its fence is not the row's any more, or the job is not running. */
    settle(jobId: string, fence: number, end: AttemptEnd): boolean {
      return this.#outbox.settle(this.#enter(), { jobId, fence, end, random: Math.random() });
    }

    job(id: string): JobRecord | null {
      return this.#outbox.job(id, this.#enter());
    }

    /** List the tenant's jobs, newest first, without their data. */
    jobs(query: JobQuery): JobRecord[] {
      return this.#outbox.list(query, this.#enter());
    }

    /** Cancel a live job; null when there is no such job. */
    cancel(jobId: string): JobChange | null {
      return this.#outbox.cancel(jobId, this.#enter());
    }

    /** Give a dead job fresh attempts; null when there is no such job. */
    redrive(jobId: string): JobChange | null {
      return this.#outbox.redrive(jobId, this.#enter());
    }

    /** Keep results for later batches; the handles of those that were kept. */
    keep(results: readonly KeptResult[]): string[] {
      return this.#results.keep(this.#enter(), results);
    }

    /** Read kept results back; what is unknown or expired is missing. */
    recall(handles: readonly string[]): KeptResult[] {
      return this.#results.recall(this.#enter(), handles);
    }

    /** Record islands that wait for a person; those in the answer are. */
    park(islands: readonly ParkRequest[]): ParkAnswer {
      return this.#confirmations.park(this.#enter(), islands);
    }

    confirmation(id: string): ConfirmationRecord | null {
      return this.#confirmations.read(this.#enter(), id);
    }

    /**
     * Claim a confirmation and admit what it runs. The claim is written first and taken back where the quota is used up: if
     * this breaks off in between, nothing of it ever runs, and never does anything run without a claim.
     */
    approve(claim: Claim, request: AdmissionRequest): ApprovalAnswer {
      const now = this.#enter();
      const refused = this.#confirmations.change(now, { kind: "approve", claim });
      if (refused !== null) return { refused };
      const admission = this.#admit(now, request);
      if (admission.quota?.allowed === false) this.#confirmations.change(now, { kind: "release", claim });
      return { refused: null, admission };
    }

    /** Say no; what the confirmation was instead of pending, or null. */
    reject(claim: Claim): ClaimRefusal | null {
      return this.#confirmations.change(this.#enter(), { kind: "reject", claim });
    }

    /** Take the report that what was approved is over. */
    conclude(claim: Claim): void {
      this.#confirmations.change(this.#enter(), { kind: "conclude", claim });
    }

    /** Run what is due. Never throws: after a few throws the platform drops an alarm, and its jobs would be stuck. */
    override async alarm(): Promise<void> {
      this.#alarm.consume();
      try {
        await this.#drain.run();
        const now = this.#enter();
        // What else is due was behind an earlier alarm until this one was used up.
        const dueAt = this.#outbox.nextDue(now);
        if (dueAt !== null) this.#alarm.arm(Math.max(now, dueAt));
      } catch {
        // Storage refused a claim. The attempt is not lost, only late: try again after a while.
        this.#alarm.arm(Date.now() + LIMITS.jobLeaseMs);
      }
    }

    /**
     * What every entry does first: set an alarm that was lost again, forget finished jobs and whatever has expired. Gives the
     * time that the entry happens at.
     */
    #enter(): number {
      const now = Date.now();
      if (!this.#outbox.idle && !this.#drain.active)
        this.#alarm.repair(now, () => this.#outbox.nextDue(now) ?? now);
      this.#outbox.prune(now);
      this.#results.prune(now);
      this.#keys.prune(now);
      this.#confirmations.prune(now);
      return now;
    }

    /** The alarm, and the drain when one is under way, must know of every job that is due earlier than expected. */
    #watch(dueAt: number): void {
      this.#alarm.arm(dueAt);
      this.#drain.poke();
    }

    #createDrain(concurrency: number): JobDrain {
      const background = createBackground(this.env);
      return new JobDrain(
        {
          clock: systemClock,
          nextDue: (now) => this.#outbox.nextDue(now),
          // Deliveries first: at most two are under way, so neither they nor the jobs wait for ever.
          claim: (now) => this.#claimDelivery(now, background) ?? this.#claimAttempt(now, background),
        },
        { concurrency, claimForMs: CLAIM_FOR_MS },
      );
    }

    #claimAttempt(now: number, { attempt, limitOf }: GateBackground): DueWork | null {
      const due = this.#outbox.claim(now, ({ spec, fence }) => {
        // What was queued was counted at home when it was admitted, for its first attempt.
        const limit = fence === 1 ? null : limitOf(spec.tool);
        if (limit === null) return 0;
        const { denied } = this.#quota.draw(now, { quota: null, draws: [{ index: 0, limit }] });
        return denied[0]?.retryAfterMs ?? 0;
      });
      if (due === null) return null;
      const { claim, leaseEndsAt } = due;
      const run = async (): Promise<void> => {
        const end = await attempt(claim).catch((): AttemptEnd => LOST);
        this.settle(claim.spec.id, claim.fence, end);
      };
      return { leaseEndsAt, run };
    }

    #claimDelivery(now: number, { deliver }: GateBackground): DueWork | null {
      const due = this.#outbox.callbacks.claim(now);
      if (due === null) return null;
      const { claim, leaseEndsAt } = due;
      const run = async (): Promise<void> => {
        const end = await deliver(claim).catch((): CallbackEnd => ({ kind: "unanswered" }));
        this.#outbox.callbacks.settle(claim, end, { nowMs: Date.now(), random: Math.random() });
      };
      return { leaseEndsAt, run };
    }
  };
}
