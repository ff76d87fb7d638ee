import type { Tool } from "../catalog/define-tool.ts";
import type { RateLimit } from "../contract/gate/admission.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JobClaim, JobSpec } from "../contract/gate/job.ts";
import type { Outcome } from "../contract/outcome.ts";
import { attempt, type Result } from "../kit/result.ts";
import type { Call } from "../plan/step.ts";
import { rateLimited, toLimit } from "../gate/admit-plan.ts";
import type { Parallelism } from "./call-scope.ts";
import { enter, leave } from "./call-tool.ts";
import type { AttemptRunner } from "./attempt-runner.ts";
import { PERHAPS_RECORDED } from "../gate/degrade-plan.ts";
import type { MakeJob } from "../gate/make-job.ts";
import type { AnswerBudget } from "../answer/envelope.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { combineElements } from "../answer/combine-elements.ts";
import { failUnsent } from "../answer/failed-outcome.ts";
import type { StepIds } from "../gate/step-ids.ts";
import type { Ticket } from "./ticket.ts";
import type { Turn } from "./turn.ts";

export interface BackgroundOptions {
  readonly ids: StepIds;
  readonly makeJob: MakeJob;
  /** Jobs of the admission, by step. */
  readonly jobs: ReadonlyMap<number, JobSpec>;
  /** Fences of those that it recorded; null where the first attempt is the alarm's. */
  readonly fences: ReadonlyMap<number, number | null>;
  readonly gate: Gate;
  readonly answer: AnswerBudget;
  readonly attempts: AttemptRunner;
  /** When the platform may cut what runs after the answer. */
  readonly attemptsEndAt: number;
  readonly defer: (work: Promise<unknown>) => void;
  readonly turn: Turn;
  /** First attempts count as under way from their start to their end, as calls do. */
  readonly parallelism: Parallelism;
}

/** How jobs are recorded that had to wait. */
interface Recording {
  /** Each draws from it; null where nothing limits them. */
  readonly limit: RateLimit | null;
  readonly allOrNothing: boolean;
  readonly retaken: boolean;
}

/** Start a batch's background jobs. `initiated` is only ever said of a job whose row is durable. */
export class Background {
  readonly #options: BackgroundOptions;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /**
   * Start a fire-and-forget step whose arguments are known. A recording under way cannot be stopped without losing what it
   * says; the gate's own timeout bounds it.
   */
  async start(ticket: Ticket, index: number, call: Call): Promise<void> {
    const { jobs, fences, ids, makeJob } = this.#options;
    const spec = jobs.get(index);
    const fence = fences.get(index);
    const specs = new Map([[index, spec ?? makeJob(call, index)]]);
    beyondRecall(ticket);
    if (spec !== undefined && fence !== undefined) return ticket.end(this.#initiate(spec, fence));
    const { retaken } = ids.seedOf(index);
    const recorded = await this.#record(specs, { limit: null, allOrNothing: false, retaken });
    ticket.end(recorded.get(index)!);
  }

  /**
   * Start a job for every element of a loop. One round trip draws from the tool's rate limit for each of them and records
   * those that passed.
   *
   * Under a fail-fast contract one element that is wrong or over the limit means that none is recorded. A backlog that
   * fills up between them does not: what is recorded will happen, so it is reported with its job.
   */
  async startLoop(
    ticket: Ticket,
    index: number,
    { calls, tool }: { readonly calls: readonly Result<Call, Failure>[]; readonly tool: Tool },
  ): Promise<void> {
    const { ids, makeJob, answer } = this.#options;
    // Only where it is declared: the default for writes is about half-applied ones, and every job stands for itself.
    const failFast = tool.orchestration.on_error === "fail-fast";
    const doomed = failFast && calls.some((call) => !call.ok);
    const names = ids.namesOf(index, calls);
    const specs = new Map(
      calls.flatMap((call, at) =>
        call.ok && !doomed ? [[at, makeJob(call.value, index, { at, name: names?.[at] })] as const] : [],
      ),
    );
    beyondRecall(ticket);
    const recorded = await this.#record(specs, {
      limit: toLimit(tool),
      allOrNothing: failFast,
      retaken: ids.seedOf(index).retaken,
    });
    const elements = calls.map((call, element) =>
      answer.admitElement(call.ok ? (recorded.get(element) ?? NOT_RECORDED) : failUnsent(call.error), true),
    );
    const anyRecorded = elements.some(({ status }) => status === "initiated");
    ticket.end(
      combineElements(elements, {
        failFast: failFast && !anyRecorded,
        repeatable: tool.repeatable,
        durationMs: 0,
      }),
    );
  }

  /** The first attempt begins behind the batch's own actions of this turn, so those take their header slots first. */
  #initiate(spec: JobSpec, fence: number | null): Outcome {
    const initiated: Outcome = { status: "initiated", jobId: spec.id, meta: {} };
    if (fence === null) return initiated;
    const { parallelism } = this.#options;
    enter(parallelism);
    const { promise: attempted, resolve } = Promise.withResolvers<void>();
    // When its end cannot be reported the lease runs out and the alarm takes over.
    this.#options.turn.afterEnd(() => resolve(this.#attempt({ spec, attempt: 1, fence })));
    this.#options.defer(attempt(() => attempted).then(() => leave(parallelism)));
    return initiated;
  }

  async #attempt(claim: JobClaim): Promise<void> {
    const { attempts, attemptsEndAt, gate } = this.#options;
    const end = await attempts.run(claim, attemptsEndAt);
    await gate.settle(claim.spec.id, claim.fence, end);
  }

  /** Record jobs that had to wait for other actions, or for the elements of their loop to be known. */
  async #record(
    specs: ReadonlyMap<number, JobSpec>,
    { limit, allOrNothing, retaken }: Recording,
  ): Promise<ReadonlyMap<number, Outcome>> {
    if (specs.size === 0) return new Map();
    const jobs = [...specs].map(([index, spec]) => ({ index, spec, retaken }));
    const draws = limit === null ? [] : jobs.map(({ index }) => ({ index, limit }));
    const asked = await attempt(() => this.#options.gate.admit({ quota: null, draws, jobs, allOrNothing }));
    if (!asked.ok) {
      const perhaps = failUnsent(makeFailure("OUTBOX_UNAVAILABLE", { hint: PERHAPS_RECORDED }));
      return new Map([...specs.keys()].map((index) => [index, perhaps]));
    }
    const answer = asked.value;
    const fences = new Map(answer.recorded.map(({ index, fence }) => [index, fence]));
    const waits = new Map(answer.denied.map(({ index, retryAfterMs }) => [index, retryAfterMs]));
    const refused = new Map(answer.refusedJobs.map(({ index, code }) => [index, code]));
    const toOutcome = (index: number, spec: JobSpec): Outcome => {
      const fence = fences.get(index);
      if (fence !== undefined) return this.#initiate(spec, fence);
      const wait = waits.get(index);
      if (wait !== undefined) return failUnsent(rateLimited(wait));
      if (allOrNothing && waits.size > 0) return NOT_RECORDED;
      return failUnsent(makeFailure(refused.get(index) ?? "OUTBOX_UNAVAILABLE"));
    };
    return new Map(jobs.map(({ index, spec }) => [index, toOutcome(index, spec)]));
  }
}

const NOT_RECORDED = failUnsent(
  makeFailure("ABORTED", { hint: "Another element failed first; nothing was recorded." }),
);

/** From here on nothing can stop it. */
function beyondRecall(ticket: Ticket): void {
  ticket.start();
  ticket.hold(() => {});
}
