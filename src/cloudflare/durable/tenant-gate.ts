import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type ClaimedAdmission,
  type LeaseWish,
  type PartClaim,
  STALE,
} from "../../core/contract/gate/admission.ts";
import type { Jurisdiction } from "../../core/contract/gate/caller.ts";
import type { OnOpened } from "../../core/egress/upstream-health.ts";
import type { IdempotencyClosing, IdempotencyRenewal } from "../../core/contract/gate/idempotency.ts";
import type {
  AttemptEnd,
  JobChange,
  JobQuery,
  JobRecord,
  RedriveOptions,
} from "../../core/contract/gate/job.ts";
import {
  type OpeningReport,
  toFailedJobEvent,
  toOpenedEvent,
} from "../../core/contract/gate/outgoing-event.ts";
import { tenantOfObject } from "../../core/contract/gate/job-shard.ts";
import { type KeptResult, type Shelf, SHELVES } from "../../core/contract/gate/kept-result.ts";
import type { UsageQuery, UsageReport } from "../../core/contract/gate/usage.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { attempt, attemptNow } from "../../core/kit/result.ts";
import { type TakenRows, takeRows } from "../../core/kit/take-rows.ts";
import { isLive, type Job, toEventId, toJobRecord } from "../../core/gate/state/outbox.ts";
import type { Clock } from "../../core/kit/clock.ts";
import { DurableObject } from "../platform/durable-object.ts";
import type { ObjectClass } from "../platform/object-class.ts";
import { systemClock } from "../platform/system-ports.ts";
import { BackgroundWork, type GateBackground, type WorkTables } from "./background-work.ts";
import { BatchAdmission } from "./batch-admission.ts";
import { createCoreKinds } from "./core-kinds.ts";
import { EventTable, GoneAddresses } from "./tables/event-table.ts";
import { JobDrain } from "./drain-jobs.ts";
import { GateAlarm } from "./gate-alarm.ts";
import { KeyTable } from "./tables/key-table.ts";
import type { ObjectPart } from "./object-part.ts";
import { ObjectParts } from "./object-parts.ts";
import { Outbox } from "./stored-outbox.ts";
import { QuotaTable } from "./tables/quota-table.ts";
import { ResultTable } from "./tables/result-table.ts";
import { erasedAt, eraseRows, migrate } from "./tables/schema.ts";
import { TENANT_GATE_OPTIONS, type TenantGateOptions } from "./tenant-gate-options.ts";
import type { BegunCalls, Taken, TenantGateMethods } from "../../core/contract/gate/tenant-gate-methods.ts";

type Env = Record<string, unknown>;

/** Whose object it is, and where. */
export interface GateIdentity {
  readonly tenant: string;
  readonly jurisdiction: Jurisdiction | undefined;
  /** Called when an attempt of its alarm opens a breaker; absent where no event is wanted. */
  readonly onOpened?: OnOpened | undefined;
}

export interface TenantGateParts {
  /** Create what does this object's background work, one thing at a call. Each bounds its own time below the lease. */
  readonly createBackground: (env: Env, object: GateIdentity) => GateBackground;
  /** The parts of the features that the Worker lists. */
  readonly parts?: readonly ObjectPart[];
  /** Options that differ from `LIMITS`, from the object's environment. */
  readonly optionsOf?: (env: Env) => Partial<TenantGateOptions>;
  /** Stand in for the platform's, in tests. */
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Well below the 15 minutes that the platform gives an alarm; the next one claims the rest. */
const CLAIM_FOR_MS = 5 * 60_000;

/** The usage of parts in a Worker without them. */
const NO_PARTS = { added: {}, waiting: { count: 0, oldestAt: null } } satisfies Partial<UsageReport>;

/** Whose object it is. One that was made without a name is its own tenant. */
function tenantOf(id: DurableObjectId): string {
  return tenantOfObject(id.name ?? id.toString());
}

/** Make the Durable Object class that holds one tenant's quota, jobs, kept results and idempotency keys, and the parts of features. */
export function createTenantGate({
  createBackground,
  parts = [],
  optionsOf = () => ({}),
  clock = systemClock,
  random = () => Math.random(),
}: TenantGateParts): ObjectClass<TenantGateMethods & BegunCalls & Required<Pick<DurableObject, "alarm">>> {
  /**
   * One tenant's gate, which does what `TenantGateMethods` says. Every method is one synchronous turn: no other request sees half
   * of it, its writes are one transaction, and the platform holds its answer until they are durable. All rules are in `state`.
   */
  return class TenantGate extends DurableObject<Env> implements TenantGateMethods, BegunCalls {
    #erasedAt = 0;
    #quota!: QuotaTable;
    #events!: EventTable;
    #outbox!: Outbox;
    #shelves!: Readonly<Record<Shelf, ResultTable>>;
    #keys!: KeyTable;
    #parts!: ObjectParts;
    /** Everything that forgets what is too old or too much. */
    #pruned!: readonly { prune?(nowMs: number): void }[];
    #admission!: BatchAdmission;
    #alarm!: GateAlarm;
    #work!: BackgroundWork;
    #drain!: JobDrain;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      void ctx.blockConcurrencyWhile(async () => {
        migrate(ctx.storage, parts);
        this.#quota = new QuotaTable(ctx.storage.sql);
        const alarmAt = await ctx.storage.getAlarm();
        this.#open(alarmAt);
        const dueAt = this.#nextDue(clock.now());
        // One that is missing may have woken the object just now, and is set again by `alarm` or the first entry.
        if (alarmAt !== null && dueAt !== null) this.#alarm.arm(dueAt);
      });
    }

    /** Read what is kept. */
    #open(alarmAt: number | null): void {
      const { ctx, env } = this;
      const options = { ...TENANT_GATE_OPTIONS, ...optionsOf(env) };
      const tenant = tenantOf(ctx.id);
      const onDue = (dueAt: number): void => this.#watch(dueAt);
      const { eventsTo: target, eventBacklog: backlog, leaseMs } = options;
      this.#erasedAt = erasedAt(ctx.storage);
      const gone = new GoneAddresses(ctx.storage.sql);
      this.#events = new EventTable(ctx.storage.sql, { target, backlog, leaseMs }, { gone, tenant, onDue });
      const onTurned = (job: Job): void => {
        for (const part of this.#parts.all) part.turned?.(job);
        if (job.status !== "dead" && job.status !== "failed") return;
        const failed = () => toFailedJobEvent(tenant, toEventId(job), toJobRecord(job));
        this.#events.record(job.updatedAt, failed);
        this.#parts.tell(job.updatedAt, failed);
        this.#parts.changed(job.updatedAt);
      };
      // The object's own id says where it is kept.
      const background = createBackground(env, {
        tenant,
        jurisdiction: ctx.id.jurisdiction as Jurisdiction | undefined,
        ...(this.#events.isOn && {
          onOpened: (opened) => this.reportOpening({ ...opened, id: crypto.randomUUID() }),
        }),
      });
      const host = { env, tenant, slots: background.slots };
      const kinds = [
        ...createCoreKinds(options, background),
        ...parts.flatMap(({ createKind }) => createKind?.(host) ?? []),
      ];
      this.#outbox = new Outbox(ctx.storage, options, {
        kinds,
        draw: (now, limit) => this.#quota.drawOne(now, limit),
        onDue,
        onKept: (now, spec) => this.#parts.all.forEach((part) => part.kept?.(now, spec)),
        onTurned,
        onGone: (jobIds) => this.#parts.all.forEach((part) => part.forget?.(jobIds)),
      });
      this.#shelves = Object.fromEntries(
        SHELVES.map((shelf) => [shelf, new ResultTable(ctx.storage, options.shelves[shelf], shelf)]),
      ) as Record<Shelf, ResultTable>;
      this.#keys = new KeyTable(ctx.storage, options.keys);
      this.#parts = new ObjectParts(parts, {
        env,
        storage: ctx.storage,
        tenant,
        object: ctx.id.name ?? tenant,
        outbox: this.#outbox,
        holds: (now, holder) =>
          "fence" in holder ? this.#outbox.holds(holder.jobId, holder.fence) : this.#keys.renew(now, holder),
        events: this.#events,
        random,
        usage: (now) => this.#parts.usage(now, { quotas: [] }),
        changed: (now) => this.#parts.changed(now),
        tell: (now, make) => this.#parts.tell(now, make),
        onDue,
      });
      const shelves = Object.values(this.#shelves);
      this.#pruned = [this.#outbox, ...shelves, this.#keys, ...this.#parts.all];
      this.#admission = new BatchAdmission({ quota: this.#quota, outbox: this.#outbox, keys: this.#keys });
      this.#alarm = new GateAlarm(ctx.storage, alarmAt, options.leaseMs);
      // The tables as they are when its work ends: what they held when it began may be deleted by then.
      const tables = (): WorkTables => ({ outbox: this.#outbox, events: this.#events });
      this.#work = new BackgroundWork(tables, background, { clock, random });
      this.#drain = this.#createDrain();
    }

    since(begunAt: number, method: string, ...args: readonly unknown[]): Taken | null {
      // A deletion may be sent twice.
      if (begunAt < this.#erasedAt && method !== "erase") return null;
      return { answer: Reflect.apply(this[method as keyof TenantGateMethods], this, args) };
    }

    admit(request: AdmissionRequest, wishes: readonly LeaseWish[] = []): AdmissionAnswer {
      const now = this.#enter();
      if (request.usedBy !== undefined) this.#quota.noteUse(now, request.usedBy);
      const answer = this.#isStale(request)
        ? this.#tell(STALE)
        : this.#tell(this.#admission.admit(now, request));
      return wishes.length === 0 ? answer : { ...answer, leases: this.#quota.lease(now, wishes) };
    }

    admitClaimed({ part, value }: PartClaim, request: AdmissionRequest): ClaimedAdmission {
      const claims = this.#parts.claims(part);
      const now = this.#enter();
      if (this.#isStale(request)) return { refused: null, admission: this.#tell(STALE) };
      const refused = claims.take(now, value);
      if (refused !== null) return { refused };
      const admission = this.#tell(this.#admission.admit(now, request));
      if (admission.quota?.allowed === false) claims.giveBack(now, value);
      else claims.granted(now, value);
      return { refused: null, admission };
    }

    renew(renewal: IdempotencyRenewal): boolean {
      return this.#keys.renew(this.#enter(), renewal);
    }

    complete(closing: IdempotencyClosing): void {
      this.#keys.complete(this.#enter(), closing);
    }

    settle(jobId: string, fence: number, end: AttemptEnd): boolean {
      return this.#outbox.settle(this.#enter(), { jobId, fence, end, random: random() }) !== null;
    }

    job(id: string): JobRecord | null {
      const job = this.#outbox.job(id, this.#enter());
      return job && { ...job, progress: this.#parts.progress(id) };
    }

    /** List the tenant's jobs, newest first, without their data; of those that go on how far they have come. */
    jobs(query: JobQuery): TakenRows<JobRecord> {
      const { limit } = query;
      const found = this.#outbox.list({ ...query, limit: limit + 1 }, this.#enter());
      const { rows, hasMore } = takeRows(found, { limit, characters: LIMITS.pageBytes });
      const seen = rows.map((job) =>
        isLive(job.status) ? { ...job, progress: this.#parts.progress(job.id) } : job,
      );
      return { rows: seen, hasMore };
    }

    usage(query: UsageQuery): UsageReport {
      const now = this.#enter();
      return {
        ...this.#outbox.usage(query),
        ...NO_PARTS,
        quotas: this.#quota.peek(now, query.quotas),
        ...this.#parts.usage(now, query),
      };
    }

    cancel(jobId: string): JobChange | null {
      return this.#outbox.cancel(jobId, this.#enter());
    }

    redrive(jobId: string, options?: RedriveOptions): JobChange | null {
      const now = this.#enter();
      this.#parts.changed(now);
      return this.#outbox.redrive(jobId, now, options);
    }

    keep(results: readonly KeptResult[], shelf: Shelf = "results"): string[] {
      return this.#shelves[shelf].keep(this.#enter(), results);
    }

    recall(handles: readonly string[], shelf: Shelf = "results"): KeptResult[] {
      return this.#shelves[shelf].recall(this.#enter(), handles);
    }

    reportOpening(report: OpeningReport): void {
      this.#events.record(this.#enter(), () => toOpenedEvent(tenantOf(this.ctx.id), report));
    }

    call(feature: string, method: string, ...args: readonly unknown[]): unknown {
      return this.#parts.method(feature, method)(this.#enter(), ...args);
    }

    /** Forget all but the quota. Work that is under way ends as it would, and its report is refused: there is no such job. */
    erase(): number {
      eraseRows(this.ctx.storage, parts, clock.now());
      this.#open(null);
      return this.#parts.toolsVersion;
    }

    /** Run what is due. Never throws: after a few throws the platform drops an alarm, and its jobs would be stuck. */
    override async alarm(): Promise<void> {
      this.#alarm.consume();
      const drained = await attempt(async () => {
        await this.#drain.run();
        const now = this.#enter();
        // Other due work was behind an earlier alarm until this one was used up.
        const dueAt = this.#nextDue(now);
        if (dueAt !== null) this.#alarm.arm(Math.max(now, dueAt));
      });
      // Storage refused a claim. The attempt is not lost, only late: try again after a while.
      if (!drained.ok) this.#alarm.arm(clock.now() + LIMITS.jobLeaseMs);
    }

    /**
     * Begin an entry: set an alarm that was lost again, forget finished jobs and expired rows. Failing to forget fails no entry:
     * the rows stay, and a later one tries again. Gives the time that the entry happens at.
     */
    #enter(): number {
      const now = clock.now();
      const isIdle = this.#outbox.idle && this.#parts.nextAt === null && this.#events.size === 0;
      if (!this.#drain.active && !isIdle) this.#alarm.repair(now, () => this.#nextDue(now) ?? now);
      for (const table of this.#pruned) attemptNow(() => table.prune?.(now));
      return now;
    }

    /** When there is something to do next; null when there is nothing. */
    #nextDue(nowMs: number): number | null {
      const all = [this.#outbox.nextDue(nowMs), this.#parts.nextAt, this.#events.nextDue(nowMs)];
      const due = all.filter((at) => at !== null);
      return due.length === 0 ? null : Math.min(...due);
    }

    /** Whether something was planned with other tools than the tenant has by now, where it depends on them. */
    #isStale({ toolsVersion }: AdmissionRequest): boolean {
      return toolsVersion !== undefined && toolsVersion !== this.#parts.toolsVersion;
    }

    /** Tell with an answer which tools the tenant has; nothing where it never had any. */
    #tell(answer: AdmissionAnswer): AdmissionAnswer {
      const { toolsVersion } = this.#parts;
      return toolsVersion === 0 ? answer : { ...answer, toolsVersion };
    }

    /** The alarm, and the drain when one is under way, must know of every job that is due earlier than expected. */
    #watch(dueAt: number): void {
      this.#alarm.arm(dueAt);
      this.#drain.poke();
    }

    #createDrain(): JobDrain {
      return new JobDrain(
        {
          clock,
          nextDue: (now) => this.#nextDue(now),
          claim: (now) => {
            for (const part of this.#parts.all) part.take?.(now);
            return this.#work.claim(now);
          },
        },
        {
          // One event at a time beside them.
          concurrency: this.#outbox.places + 1,
          claimForMs: CLAIM_FOR_MS,
          claims: LIMITS.workPerAlarm,
        },
      );
    }
  };
}
