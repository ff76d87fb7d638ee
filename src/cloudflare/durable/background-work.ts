import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import type { EventClaim } from "../../core/contract/gate/outgoing-event.ts";
import type { AttemptEnd, CallbackClaim, CallbackEnd } from "../../core/contract/gate/job.ts";
import type { Ports } from "../../core/egress/ports.ts";
import { attempt } from "../../core/kit/result.ts";
import type { Semaphore } from "../../core/kit/semaphore.ts";
import type { CallAttempts } from "./core-kinds.ts";
import type { DueWork } from "./drain-jobs.ts";
import type { ClaimedWork, Outbox } from "./stored-outbox.ts";
import type { EventTable } from "./tables/event-table.ts";

/** The work of an alarm besides looking after rows. */
export interface GateBackground extends CallAttempts {
  /** The header slots of the object's alarm. */
  readonly slots?: Semaphore;
  /** Try once to deliver the event about a job's end. */
  readonly deliver: (claim: CallbackClaim) => Promise<CallbackEnd>;
  /** Try once to send an event to the deployment's address. */
  readonly tell: (claim: EventClaim) => Promise<CallbackEnd>;
}

export interface WorkTables {
  readonly outbox: Outbox;
  readonly events: EventTable;
}

/** The end that a bug in an attempt leaves behind: the requests that it sent are unknown. */
const LOST: AttemptEnd = { kind: "lost", error: toWireFailure(makeFailure("INTERNAL")) };

const UNANSWERED: CallbackEnd = { kind: "unanswered" };

/** The attempts and deliveries of one tenant's object, claimed one at a time as they are due. */
export class BackgroundWork {
  readonly #tables: () => WorkTables;
  readonly #background: Pick<GateBackground, "deliver" | "tell">;
  readonly #ports: Pick<Ports, "clock" | "random">;

  constructor(
    tables: () => WorkTables,
    background: Pick<GateBackground, "deliver" | "tell">,
    ports: Pick<Ports, "clock" | "random">,
  ) {
    this.#tables = tables;
    this.#background = background;
    this.#ports = ports;
  }

  /** Claim what is due, or null when nothing is. */
  claim(nowMs: number): DueWork | null {
    const { events, outbox } = this.#tables();
    const told = events.claim(nowMs);
    if (told !== null) return { leaseEndsAt: told.leaseEndsAt, run: () => this.#tell(told.claim) };
    const work = outbox.claim(nowMs);
    return work && { leaseEndsAt: work.leaseEndsAt, run: () => this.#run(work) };
  }

  async #tell(claim: EventClaim): Promise<void> {
    const sent = await attempt(() => this.#background.tell(claim));
    const end = sent.ok ? sent.value : UNANSWERED;
    const { clock, random } = this.#ports;
    this.#tables().events.settle(clock.now(), { claim, end, random: random() });
  }

  async #run(work: ClaimedWork): Promise<void> {
    const { clock, random } = this.#ports;
    if (work.kind === "delivery") {
      const { claim } = work;
      const sent = await attempt(() => this.#background.deliver(claim));
      const end = sent.ok ? sent.value : UNANSWERED;
      this.#tables().outbox.settleDelivery(clock.now(), { claim, end, random: random() });
      return;
    }
    const { spec, fence } = work.claim;
    const made = await attempt(() => work.of.attempt(work.claim));
    const end = made.ok ? made.value : LOST;
    if (end !== null)
      this.#tables().outbox.settle(clock.now(), { jobId: spec.id, fence, end, random: random() });
  }
}
