import type { Tool } from "../catalog/define-tool.ts";
import type { AdmissionAnswer } from "../contract/gate/admission.ts";
import { type Failure, makeFailure, toWireFailure } from "../contract/failure.ts";
import type { AttemptEnd, JobOrigin, JobSpec } from "../contract/gate/job.ts";
import * as LIMITS from "../contract/limits.ts";
import { isInDoubt, type Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import { attempt, type Result } from "../kit/result.ts";
import type { Call, Step } from "../plan/step.ts";
import { failedAttempt, toAttemptEnd } from "./run-attempt.ts";
import { makeJob } from "../gate/make-job.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { StepIds } from "../gate/step-ids.ts";
import type { Ticket } from "./ticket.ts";

/** A sync call that waits or is under way, and what a job would need to make it again. */
export interface Unfinished {
  readonly step: Step;
  readonly call: Call;
  readonly ticket: Ticket;
}

export interface DemotionOptions {
  readonly ids: StepIds;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly defer: (work: Promise<unknown>) => void;
  /** Who asked for what becomes a job. */
  readonly origin: JobOrigin;
}

/**
 * Turns a batch's safe actions into jobs when its deadline passes.
 *
 * A call under way is not torn off and made again. It goes on, and its end settles the job; only when the runtime dies
 * or cuts what runs after the answer is it made once more, by the object's alarm, with the same idempotency key. A call
 * that still waits for its tool's cap keeps its place there.
 */
export class Demotion {
  readonly #options: DemotionOptions;

  constructor(options: DemotionOptions) {
    this.#options = options;
  }

  /**
   * Make jobs of these calls, in one round trip that is waited for only a moment.
   *
   * `initiated` is only said of a job whose row is durable. A call whose job is not recorded is stopped with `exceeded`, as if
   * there were no jobs. A call that ends while the recording is under way keeps its own result, and its job is closed.
   */
  demote(calls: readonly Unfinished[], exceeded: Failure): void {
    this.#options.defer(this.#demote(calls, exceeded));
  }

  async #demote(calls: readonly Unfinished[], exceeded: Failure): Promise<void> {
    const { ids, origin, clock, gate } = this.#options;
    const endsAt = clock.now() + LIMITS.firstAttemptMs;
    const demoted = calls.map(({ step, call, ticket }) => {
      const spec: JobSpec = {
        ...makeJob(call, ids.jobId(step.index, null), origin),
        action: step.id,
        // The key that the call itself sends upstream: a provider that honours it acts once.
        idempotencyKey: ids.callKey(step, null),
        delivery: "at-least-once",
      };
      return { index: step.index, call, ticket, spec };
    });
    const jobs = demoted.map(({ index, spec }) => ({ index, spec }));
    const recording = attempt(() => gate.admit({ quota: null, draws: [], jobs, allOrNothing: false }));
    const answer = await answerWithin(LIMITS.demotionTimeoutMs, recording, clock);
    if (answer === null) {
      for (const { call, ticket } of demoted) giveUp(call, ticket, exceeded);
      await this.#closeLate(jobs, await recording, exceeded);
      return;
    }
    const fences = fencesOf(answer);
    const going = new Set<Going>();
    const ends = demoted.map(async ({ index, ticket, spec }) => {
      const fence = fences.get(index);
      if (fence === undefined) return ticket.stop(exceeded, "report-unknown");
      if (ticket.outcome !== null) return this.#close(spec.id, fence, ticket.outcome);
      const job = { ticket, id: spec.id, fence, unsent: false };
      going.add(job);
      const meta = { ...ticket.call?.meta, demoted: true, log: [] } as const;
      const initiated: Outcome = { status: "initiated", jobId: spec.id, meta };
      const outcome = await new Promise<Outcome>((resolve) => ticket.becomeJob(initiated, resolve));
      going.delete(job);
      await gate.settle(spec.id, fence, endOf(job, outcome));
    });
    const cancel = clock.after(endsAt - clock.now(), () => stopAll(going));
    // An end that cannot be reported is found again: the lease runs out and the alarm takes over.
    await Promise.allSettled(ends);
    cancel();
  }

  /** End a job whose action was answered otherwise: what the caller was told is final, so nothing may be repeated. */
  async #close(id: string, fence: number, outcome: Outcome): Promise<void> {
    await this.#options.gate.settle(id, fence, toLastEnd(outcome));
  }

  /**
   * Close jobs that were recorded after all, too late to be said. Without an answer it is unknown whether any was: if one was, it
   * runs under the key that was used already.
   */
  async #closeLate(
    jobs: readonly { readonly index: number; readonly spec: JobSpec }[],
    recording: Result<AdmissionAnswer, unknown>,
    exceeded: Failure,
  ): Promise<void> {
    if (!recording.ok) return;
    const fences = fencesOf(recording.value);
    const closed = jobs.map(async ({ index, spec }) => {
      const fence = fences.get(index);
      if (fence !== undefined)
        await this.#close(spec.id, fence, { status: "error", error: exceeded, meta: {} });
    });
    await Promise.allSettled(closed);
  }
}

/** Ids that were not placed are kept at home, which leases their first attempt to the asker. */
function fencesOf({ recorded }: AdmissionAnswer): ReadonlyMap<number, number> {
  return new Map(recorded.flatMap(({ index, fence }) => (fence === null ? [] : [[index, fence] as const])));
}

/** A call that goes on as the first attempt of its job. */
interface Going {
  readonly ticket: Ticket;
  readonly id: string;
  readonly fence: number;
  /** It was stopped before anything left, so it is given back and does not count as an attempt. */
  unsent: boolean;
}

/**
 * Stop what is still under way when the time after the answer is over, before the platform cuts it without a word.
 *
 * All in one turn: a call that ends makes room under its tool's cap, and a call that waits for that must not begin now.
 */
function stopAll(going: ReadonlySet<Going>): void {
  const timeout = makeFailure("TIMEOUT", { phase: "total", hint: OUT_OF_TIME });
  for (const job of going) {
    job.unsent = job.ticket.call?.sent !== true;
    job.ticket.stop(timeout, "report-unknown");
  }
}

function endOf({ ticket, unsent }: Going, outcome: Outcome): AttemptEnd {
  if (unsent && outcome.status !== "success") return { kind: "released" };
  // It was never called: the tool's global limits had no room for it.
  if (outcome.status === "error" && ticket.call === null)
    return { kind: "deferred", error: toWireFailure(outcome.error) };
  return toAttemptEnd(outcome);
}

/** How an attempt ended after which none follows. */
function toLastEnd(outcome: Outcome): AttemptEnd {
  if (!("error" in outcome)) return toAttemptEnd(outcome);
  const final = { ...outcome.error, retryable: false };
  return isInDoubt(outcome) ? { kind: "unknown", error: toWireFailure(final) } : failedAttempt(final);
}

const OUT_OF_TIME = "The call was still under way when the time after the answer was over.";

/** An action that a person had to allow was allowed once, now: it is not for a job to repeat it later. */
export function isDemotable(tool: Tool): boolean {
  return tool.repeatable && !tool.confirm && tool.inner === undefined;
}

/**
 * Stop an action whose recording was not confirmed. A write may have been recorded all the same, and then it runs: not
 * even one that has sent nothing yet can be called an error.
 */
function giveUp({ tool }: Call, ticket: Ticket, exceeded: Failure): void {
  if (tool.isWrite) {
    const advice = tool.idempotent ? "sending it again is safe" : "look before you send it again";
    const hint = `It was to go on as a background job, but whether that was recorded is not known: it may still take effect; ${advice}.`;
    ticket.settle({ status: "unknown", error: { ...exceeded, retryable: tool.idempotent, hint }, meta: {} });
  }
  ticket.stop(exceeded, "report-unknown");
}

/** The answer, or null when there is none in time or it is a failure. */
function answerWithin<T>(ms: number, work: Promise<Result<T, unknown>>, clock: Clock): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(null));
    void work.then((answer) => {
      cancel();
      resolve(answer.ok ? answer.value : null);
    });
  });
}
