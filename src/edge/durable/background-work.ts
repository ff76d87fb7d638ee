import type { RateLimit } from "../../contract/gate/admission.ts";
import { makeFailure, toWireFailure } from "../../contract/failure.ts";
import type { EventClaim } from "../../contract/gate/operator-event.ts";
import type { AttemptEnd, CallbackClaim, CallbackEnd, JobClaim, JobSpec } from "../../contract/gate/job.ts";
import type { Ports } from "../../egress/ports.ts";
import { attempt } from "../../kit/result.ts";
import type { DueWork } from "./drain-jobs.ts";
import type { ClaimedWork, Outbox } from "./outbox.ts";
import type { EventTable } from "./tables/event-table.ts";
import type { QuotaTable } from "./tables/quota-table.ts";

/** The work of an alarm besides looking after rows. */
export interface GateBackground {
  /** Make one attempt of a job. */
  readonly attempt: (claim: JobClaim) => Promise<AttemptEnd>;
  /** Make one attempt of a run, and say how it ended to the object itself. */
  readonly run: (claim: JobClaim) => Promise<void>;
  /** The tenant's limit that each attempt draws from: of a job that of its tool's calls, of a run that of all runs; null for none. */
  readonly limitOf: (spec: JobSpec) => RateLimit | null;
  /** Try once to deliver the event about a job's end. */
  readonly deliver: (claim: CallbackClaim) => Promise<CallbackEnd>;
  /** Try once to tell the operator of something. */
  readonly tell: (claim: EventClaim) => Promise<CallbackEnd>;
}

export interface WorkTables {
  readonly quota: QuotaTable;
  readonly outbox: Outbox;
  readonly events: EventTable;
}

/** The end that a bug in an attempt leaves behind: the requests that it sent are unknown. */
const LOST: AttemptEnd = { kind: "lost", error: toWireFailure(makeFailure("INTERNAL")) };

const UNANSWERED: CallbackEnd = { kind: "unanswered" };

/** The attempts and deliveries of one tenant's object, claimed one at a time as they are due. */
export class BackgroundWork {
  readonly #tables: WorkTables;
  readonly #background: GateBackground;
  readonly #ports: Pick<Ports, "clock" | "random">;

  constructor(tables: WorkTables, background: GateBackground, ports: Pick<Ports, "clock" | "random">) {
    this.#tables = tables;
    this.#background = background;
    this.#ports = ports;
  }

  /** Claim what is due, or null when nothing is. */
  claim(nowMs: number): DueWork | null {
    const told = this.#tables.events.claim(nowMs);
    if (told !== null) return { leaseEndsAt: told.leaseEndsAt, run: () => this.#tell(told.claim) };
    const work = this.#tables.outbox.claim(nowMs, (claim) => this.drawLimit(nowMs, claim));
    return work && { leaseEndsAt: work.leaseEndsAt, run: () => this.#run(work) };
  }

  async #tell(claim: EventClaim): Promise<void> {
    const sent = await attempt(() => this.#background.tell(claim));
    const end = sent.ok ? sent.value : UNANSWERED;
    const { clock, random } = this.#ports;
    this.#tables.events.settle(clock.now(), { claim, end, random: random() });
  }

  async #run(work: ClaimedWork): Promise<void> {
    const { outbox } = this.#tables;
    const { clock, random } = this.#ports;
    if (work.kind === "delivery") {
      const { claim } = work;
      const sent = await attempt(() => this.#background.deliver(claim));
      const end = sent.ok ? sent.value : UNANSWERED;
      outbox.settleDelivery(clock.now(), { claim, end, random: random() });
      return;
    }
    const { spec, fence } = work.claim;
    // A run whose end is not reported is left to its lease.
    if (spec.run !== undefined) return this.#background.run(work.claim);
    const made = await attempt(() => this.#background.attempt(work.claim));
    const end = made.ok ? made.value : LOST;
    outbox.settle(clock.now(), { jobId: spec.id, fence, end, random: random() });
  }

  /** Draw from an attempt's limit; how long it has to wait where there is no room. */
  drawLimit(nowMs: number, { spec, fence }: Pick<JobClaim, "spec" | "fence">): number {
    // A job was counted at home when it was admitted, for its first attempt; a run was not.
    const isCounted = fence === 1 && spec.run === undefined;
    const limit = isCounted ? null : this.#background.limitOf(spec);
    if (limit === null) return 0;
    const { denied } = this.#tables.quota.draw(nowMs, { quota: null, draws: [{ index: 0, limit }] });
    return denied[0]?.retryAfterMs ?? 0;
  }
}
