import type {
  AdmissionAnswer,
  AdmissionRequest,
  LeaseWish,
} from "../../../src/core/contract/gate/admission.ts";
import type { KeptStep, RunAnswer, RunReport, RunRequest } from "../../../src/features/flows/flow-run.ts";
import type { IdempotencyClosing } from "../../../src/core/contract/gate/idempotency.ts";
import type { AttemptEnd, JobClaim } from "../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as FLOWS_LIMITS from "../../../src/features/flows/limits.ts";
import { BatchAdmission } from "../../../src/cloudflare/durable/batch-admission.ts";
import { createCoreKinds } from "../../../src/cloudflare/durable/core-kinds.ts";
import { JobDrain } from "../../../src/cloudflare/durable/drain-jobs.ts";
import { GateAlarm } from "../../../src/cloudflare/durable/gate-alarm.ts";
import type { JobKind } from "../../../src/cloudflare/durable/job-kind.ts";
import { Outbox } from "../../../src/cloudflare/durable/stored-outbox.ts";
import { createRunKind, RUN_BACKLOGS, RunTable } from "../../../src/features/flows/objects/stored-runs.ts";
import { KEY_LIMITS, KeyTable } from "../../../src/cloudflare/durable/tables/key-table.ts";
import { QuotaTable } from "../../../src/cloudflare/durable/tables/quota-table.ts";
import { TENANT_GATE_OPTIONS } from "../../../src/cloudflare/durable/tenant-gate-options.ts";
import type { Clock } from "../../../src/core/kit/clock.ts";

export interface ObjectParts {
  readonly storage: DurableObjectStorage;
  /** The alarm that is set, as a cold start finds it. */
  readonly alarmAt: number | null;
  readonly clock: Clock;
  readonly random: () => number;
  /** Make one attempt that the object's alarm has claimed. */
  readonly attempt: (claim: JobClaim) => Promise<AttemptEnd>;
  readonly run: (claim: JobClaim) => Promise<void>;
}

/**
 * One of a tenant's objects: the tables, the alarm and the drain of `TenantGate`, put together as it does, with the clock, chance
 * and storage given from outside. The class itself needs the platform; `test/cloudflare/scale-rows.test.ts` sends both the same calls.
 */
export class SimulatedObject {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #quota: QuotaTable;
  readonly #outbox: Outbox;
  readonly #keys: KeyTable;
  readonly #runs: RunTable;
  readonly #admission: BatchAdmission;
  readonly #alarm: GateAlarm;
  readonly #drain: JobDrain;

  constructor({ storage, alarmAt, clock, random, attempt, run }: ObjectParts) {
    this.#clock = clock;
    this.#random = random;
    this.#quota = new QuotaTable(storage.sql);
    const limitless = { limitOf: () => null, runLimit: () => null };
    this.#outbox = new Outbox(storage, TENANT_GATE_OPTIONS, {
      kinds: [
        ...createCoreKinds(TENANT_GATE_OPTIONS, { ...limitless, attempt }),
        createRunKind(RUN_BACKLOGS, { ...limitless, run }),
      ],
      draw: () => 0,
      onDue: (dueAt) => {
        this.#alarm.arm(dueAt);
        this.#drain.poke();
      },
      // Without an address for the operator's events nothing is written of it.
      onKept: () => {},
      onTurned: () => {},
      onGone: (jobIds) => this.#runs.forget(jobIds),
    });
    this.#keys = new KeyTable(storage, KEY_LIMITS);
    this.#runs = new RunTable(storage.sql);
    this.#admission = new BatchAdmission({ quota: this.#quota, outbox: this.#outbox, keys: this.#keys });
    this.#alarm = new GateAlarm(storage, alarmAt, LIMITS.jobLeaseMs);
    this.#drain = new JobDrain(
      {
        clock,
        nextDue: (now) => this.#outbox.nextDue(now),
        claim: (now) => {
          const work = this.#outbox.claim(now);
          if (work?.kind !== "attempt") return null;
          const { claim, leaseEndsAt, of } = work;
          return { leaseEndsAt, run: () => this.#work(claim, of) };
        },
      },
      {
        concurrency: this.#outbox.places,
        claimForMs: 5 * 60_000,
        claims: LIMITS.workPerAlarm,
      },
    );
  }

  admit(request: AdmissionRequest, wishes: readonly LeaseWish[] = []): AdmissionAnswer {
    const now = this.#enter();
    const answer = this.#admission.admit(now, request);
    return wishes.length === 0 ? answer : { ...answer, leases: this.#quota.lease(now, wishes) };
  }

  complete(closing: IdempotencyClosing): void {
    this.#keys.complete(this.#enter(), closing);
  }

  settle(jobId: string, fence: number, end: AttemptEnd): boolean {
    return this.#outbox.settle(this.#enter(), { jobId, fence, end, random: this.#random() }) !== null;
  }

  settleRun(jobId: string, fence: number, end: AttemptEnd, report?: RunReport): boolean {
    const job = this.#outbox.settle(this.#enter(), {
      jobId,
      fence,
      end,
      random: this.#random(),
      envelopeJson: report?.envelopeJson,
    });
    if (job !== null && report !== undefined) this.#runs.take(job, report);
    return job !== null;
  }

  recordRun({ cause, spec, takes }: RunRequest): RunAnswer {
    const now = this.#enter();
    const flow = spec.tool;
    const known = this.#runs.causedBy(now, { flow, cause });
    if (known !== null) return { kind: "recorded", jobId: known, fence: null };
    const beside = (): void => this.#runs.keepCause(now, { flow, cause, jobId: spec.id });
    const recorded = this.#outbox.recordOne(now, {
      spec,
      takes: takes ? { atOnce: FLOWS_LIMITS.runsByRequests } : null,
      beside,
    });
    return recorded === null
      ? { kind: "backlog-full" }
      : { kind: "recorded", jobId: spec.id, fence: recorded.fence };
  }

  beginStep(jobId: string, fence: number, stepId: string): boolean {
    this.#enter();
    const isIts = this.#outbox.holds(jobId, fence);
    if (isIts) this.#runs.keepStep(jobId, { id: stepId, outcomeJson: null });
    return isIts;
  }

  endStep(jobId: string, fence: number, step: KeptStep): void {
    this.#enter();
    if (this.#outbox.holds(jobId, fence)) this.#runs.keepStep(jobId, step);
  }

  async alarm(): Promise<void> {
    this.#alarm.consume();
    await this.#drain.run();
    const now = this.#enter();
    const dueAt = this.#outbox.nextDue(now);
    if (dueAt !== null) this.#alarm.arm(Math.max(now, dueAt));
  }

  /** Whether work of an alarm is under way, so that the object is not idle. */
  get active(): boolean {
    return this.#drain.active;
  }

  /** Forget what is over and too old or too much, as every call does first. */
  prune(nowMs: number): void {
    for (const table of [this.#outbox, this.#keys, this.#runs]) table.prune(nowMs);
  }

  async #work(claim: JobClaim, of: JobKind): Promise<void> {
    const end = await of.attempt(claim);
    const { spec, fence } = claim;
    if (end !== null)
      this.#outbox.settle(this.#clock.now(), { jobId: spec.id, fence, end, random: this.#random() });
  }

  #enter(): number {
    const now = this.#clock.now();
    if (!this.#drain.active && !this.#outbox.idle)
      this.#alarm.repair(now, () => this.#outbox.nextDue(now) ?? now);
    this.prune(now);
    return now;
  }
}
