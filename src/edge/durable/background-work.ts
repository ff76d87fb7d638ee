import type { RateLimit } from "../../contract/gate/admission.ts";
import { makeFailure, toWireFailure } from "../../contract/failure.ts";
import type { AttemptEnd, CallbackClaim, CallbackEnd, JobClaim } from "../../contract/gate/job.ts";
import type { DueWork } from "./drain-jobs.ts";
import type { Outbox } from "./outbox.ts";
import type { QuotaTable } from "./quota-table.ts";

/** What an alarm does besides looking after rows. */
export interface GateBackground {
  /** Make one attempt of a job. */
  readonly attempt: (claim: JobClaim) => Promise<AttemptEnd>;
  /** The tenant's limit that every call of a tool draws from; null where it has none. */
  readonly limitOf: (tool: string) => RateLimit | null;
  /** Try once to deliver the event about a job's end. */
  readonly deliver: (claim: CallbackClaim) => Promise<CallbackEnd>;
}

export interface WorkTables {
  readonly quota: QuotaTable;
  readonly outbox: Outbox;
}

/** What a bug in an attempt leaves behind: nobody knows what it sent. */
const LOST: AttemptEnd = { kind: "lost", error: toWireFailure(makeFailure("INTERNAL")) };

/** The attempts and deliveries of one tenant's object, claimed one at a time as they are due. */
export class BackgroundWork {
  readonly #tables: WorkTables;
  readonly #background: GateBackground;

  constructor(tables: WorkTables, background: GateBackground) {
    this.#tables = tables;
    this.#background = background;
  }

  /** Claim what is due, or null when nothing is. Deliveries first: at most two are under way, so neither they nor jobs wait for ever. */
  claim(nowMs: number): DueWork | null {
    return this.#claimDelivery(nowMs) ?? this.#claimAttempt(nowMs);
  }

  #claimDelivery(nowMs: number): DueWork | null {
    const { callbacks } = this.#tables.outbox;
    const due = callbacks.claim(nowMs);
    if (due === null) return null;
    const { claim, leaseEndsAt } = due;
    const run = async (): Promise<void> => {
      const end = await this.#background.deliver(claim).catch((): CallbackEnd => ({ kind: "unanswered" }));
      callbacks.settle(claim, end, { nowMs: Date.now(), random: Math.random() });
    };
    return { leaseEndsAt, run };
  }

  #claimAttempt(nowMs: number): DueWork | null {
    const { outbox } = this.#tables;
    const due = outbox.claim(nowMs, (claim) => this.#drawLimit(nowMs, claim));
    if (due === null) return null;
    const { claim, leaseEndsAt } = due;
    const { id } = claim.spec;
    const run = async (): Promise<void> => {
      const end = await this.#background.attempt(claim).catch((): AttemptEnd => LOST);
      outbox.settle(Date.now(), { jobId: id, fence: claim.fence, end, random: Math.random() });
    };
    return { leaseEndsAt, run };
  }

  /** Draw from an attempt's limit; how long it has to wait where there is no room. */
  #drawLimit(nowMs: number, { spec, fence }: JobClaim): number {
    // What was queued was counted at home when it was admitted, for its first attempt.
    const limit = fence === 1 ? null : this.#background.limitOf(spec.tool);
    if (limit === null) return 0;
    const { denied } = this.#tables.quota.draw(nowMs, { quota: null, draws: [{ index: 0, limit }] });
    return denied[0]?.retryAfterMs ?? 0;
  }
}
