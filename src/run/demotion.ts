import type { Tool } from "../catalog/define-tool.ts";
import type { AdmissionAnswer } from "../contract/gate/admission.ts";
import { type Failure, makeFailure, toWireFailure } from "../contract/failure.ts";
import type { AttemptEnd, JobSpec } from "../contract/gate/job.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import type { Call } from "../plan/step.ts";
import { failedAttempt, toAttemptEnd } from "./attempt-end.ts";
import { makeJob } from "../gate/make-job.ts";
import type { Gate } from "../egress/ports.ts";
import type { Action } from "./run-action.ts";
import type { StepIds } from "../gate/step-ids.ts";
import type { Queued } from "./tool-pools.ts";

/** A sync call that is queued or under way, and what a job would need to make it again. */
export interface Offer {
  readonly call: Call;
  /** What the call itself sends upstream: the job sends the same, so a provider that honours it acts once. */
  readonly idempotencyKey: string;
  readonly queued: Queued;
  /** The call once it was dispatched; null before. */
  readonly action: () => Action | null;
}

export interface DemotionOptions {
  readonly ids: StepIds;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly defer: (work: Promise<unknown>) => void;
}

/** Give a step its outcome; false when it has one already. */
export type Settle = (index: number, outcome: Outcome) => boolean;

/**
 * What a batch's safe actions become when its deadline passes: jobs.
 *
 * A call under way is not torn off and made again. It goes on, and its end settles the job; only when the runtime dies
 * or cuts what runs after the answer is it made once more, by the object's alarm, with the same idempotency key. A call
 * that still waits for its tool's cap keeps its place there.
 */
export class Demotion {
  readonly #options: DemotionOptions;
  readonly #offers = new Map<number, Offer>();
  readonly #jobs = new Set<number>();

  constructor(options: DemotionOptions) {
    this.#options = options;
  }

  /** Remember a call that may have to go on; nothing happens to it before the deadline. */
  offer(index: number, offer: Offer): void {
    if (isSafe(offer.call.tool)) this.#offers.set(index, offer);
  }

  /** Whether this step may become a job: it is one call, ready to be made, and making it twice harms nobody. */
  has(index: number): boolean {
    return this.#offers.has(index);
  }

  /** Whether a job stands behind this step, which repeats it by itself when it fails. */
  isJob(index: number): boolean {
    return this.#jobs.has(index);
  }

  /**
   * Make jobs of these steps, in one round trip that is waited for only a moment.
   *
   * `initiated` is only said of a job whose row is durable. Whoever is not recorded is stopped with `exceeded`, as if there
   * were no jobs. A call that ends while the recording is under way keeps its own result, and its job is closed.
   */
  demote(indexes: readonly number[], exceeded: Failure, settle: Settle): void {
    this.#options.defer(this.#demote(indexes, exceeded, settle));
  }

  async #demote(indexes: readonly number[], exceeded: Failure, settle: Settle): Promise<void> {
    const { ids, clock, gate } = this.#options;
    const endsAt = clock.now() + LIMITS.firstAttemptMs;
    const demoted = indexes.map((index) => {
      const offer = this.#offers.get(index)!;
      const { call, idempotencyKey } = offer;
      const spec: JobSpec = {
        ...makeJob(call, ids.jobId(index, null)),
        idempotencyKey,
        delivery: "at-least-once",
      };
      return { index, offer, spec };
    });
    const jobs = demoted.map(({ index, spec }) => ({ index, spec }));
    const recording = gate.admit({ quota: null, draws: [], jobs, allOrNothing: false });
    const answer = await answerWithin(LIMITS.demotionTimeoutMs, recording, clock);
    if (answer === null) {
      for (const { index, offer } of demoted) giveUp(index, offer, exceeded, settle);
      await this.#closeLate(jobs, recording, exceeded);
      return;
    }
    const fences = fencesOf(answer);
    const going = new Set<Going>();
    const ends = demoted.map(async ({ index, offer, spec }) => {
      const fence = fences.get(index);
      if (fence === undefined) offer.queued.stop(exceeded, "report-unknown");
      else if (settle(index, toInitiated(spec, offer))) {
        this.#jobs.add(index);
        await this.#goOn({ offer, id: spec.id, fence, unsent: false }, going);
      } else await this.#close(spec.id, fence, await offer.queued.outcome);
    });
    const cancel = clock.after(endsAt - clock.now(), () => stopAll(going));
    // An end that cannot be reported is found again: the lease runs out and the alarm takes over.
    await Promise.allSettled(ends);
    cancel();
  }

  /** Report the end of a call that goes on. */
  async #goOn(job: Going, going: Set<Going>): Promise<void> {
    going.add(job);
    const outcome = await job.offer.queued.outcome;
    going.delete(job);
    await this.#options.gate.settle(job.id, job.fence, endOf(job, outcome));
  }

  /** End a job whose action was answered otherwise: what the caller was told is final, so nothing may be repeated. */
  async #close(id: string, fence: number, outcome: Outcome): Promise<void> {
    const end =
      "error" in outcome ? failedAttempt({ ...outcome.error, retryable: false }) : toAttemptEnd(outcome);
    await this.#options.gate.settle(id, fence, end);
  }

  /** Close what was recorded after all, too late to be said. */
  async #closeLate(
    jobs: readonly { readonly index: number; readonly spec: JobSpec }[],
    recording: Promise<AdmissionAnswer>,
    exceeded: Failure,
  ): Promise<void> {
    try {
      const fences = fencesOf(await recording);
      const specs = new Map(jobs.map(({ index, spec }) => [index, spec]));
      const closed = [...fences].map(([index, fence]) =>
        this.#close(specs.get(index)!.id, fence, { status: "error", error: exceeded, meta: {} }),
      );
      await Promise.allSettled(closed);
    } catch {
      // Nobody knows whether anything was recorded. If it was, it runs under the key that was used already.
    }
  }
}

/** Ids that were not placed are kept at home, which leases their first attempt to whoever asks. */
function fencesOf({ recorded }: AdmissionAnswer): ReadonlyMap<number, number> {
  return new Map(recorded.flatMap(({ index, fence }) => (fence === null ? [] : [[index, fence] as const])));
}

/** A call that goes on as the first attempt of its job. */
interface Going {
  readonly offer: Offer;
  readonly id: string;
  readonly fence: number;
  /** It was stopped before anything left, so it is given back and does not count as an attempt. */
  unsent: boolean;
}

/**
 * Stop what is still under way when the time after the answer is over, before the platform cuts it without a word.
 *
 * All in one turn: a call that ends makes room under its tool's cap, and whoever waits for that must not begin now.
 */
function stopAll(going: ReadonlySet<Going>): void {
  const timeout = makeFailure("TIMEOUT", { phase: "total", hint: OUT_OF_TIME });
  for (const job of going) {
    job.unsent = job.offer.action()?.sent !== true;
    job.offer.queued.stop(timeout, "report-unknown");
  }
}

function endOf({ offer, unsent }: Going, outcome: Outcome): AttemptEnd {
  if (unsent && outcome.status !== "success") return { kind: "released" };
  // It was never called: the tool's global limits had no room for it.
  if (outcome.status === "error" && offer.action() === null)
    return { kind: "deferred", error: toWireFailure(outcome.error) };
  return toAttemptEnd(outcome);
}

const OUT_OF_TIME = "The call was still under way when the time after the answer was over.";

/** What a person had to allow was allowed once, now: it is not for a job to repeat it later. */
function isSafe(tool: Tool): boolean {
  return tool.repeatable && !tool.confirm;
}

function toInitiated({ id }: JobSpec, offer: Offer): Outcome {
  return { status: "initiated", jobId: id, meta: { ...offer.action()?.meta, demoted: true } };
}

/**
 * Stop an action whose recording was not confirmed. A write may have been recorded all the same, and then it runs: not
 * even one that has sent nothing yet can be called an error.
 */
function giveUp(index: number, { call: { tool }, queued }: Offer, exceeded: Failure, settle: Settle): void {
  if (tool.isWrite) {
    const advice = tool.idempotent ? "sending it again is safe" : "look before you send it again";
    const hint = `It was to go on as a background job, but whether that was recorded is not known: it may still take effect; ${advice}.`;
    settle(index, { status: "unknown", error: { ...exceeded, retryable: tool.idempotent, hint }, meta: {} });
  }
  queued.stop(exceeded, "report-unknown");
}

/** The answer, or null when there is none in time or it is a failure. */
function answerWithin<T>(ms: number, work: Promise<T>, clock: Clock): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(null));
    work.then(resolve, () => resolve(null)).finally(cancel);
  });
}
