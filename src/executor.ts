import type { Catalog } from "./catalog/catalog.ts";
import type { QuotaState } from "./contract/admission.ts";
import type { Batch } from "./contract/batch.ts";
import type { Caller } from "./contract/caller.ts";
import type { Claim, Island } from "./contract/confirmation.ts";
import { LIMITS } from "./contract/limits.ts";
import type { Outcome } from "./contract/outcome.ts";
import { err, ok, type Result } from "./kit/result.ts";
import { Semaphore } from "./kit/semaphore.ts";
import { describePlan } from "./plan/describe-plan.ts";
import { makeApprovedPlan } from "./plan/make-approved-plan.ts";
import { makePlan } from "./plan/make-plan.ts";
import type { Plan } from "./plan/step.ts";
import { admitPlan, type Admitted, type Refused } from "./run/admit-plan.ts";
import { AttemptRunner } from "./run/attempt-runner.ts";
import { bindCallbacks } from "./run/bind-callbacks.ts";
import { Background, makeJobs } from "./run/background.ts";
import { ByteBudget } from "./run/byte-budget.ts";
import { Demotion } from "./run/demotion.ts";
import { type BatchMeasures, toEnvelopeJson, toResultJson } from "./run/envelope.ts";
import { markDegraded } from "./run/degrade-plan.ts";
import { createMakeJob, type MakeJob } from "./run/make-job.ts";
import { createIslandParking } from "./run/park-islands.ts";
import { Parallelism } from "./run/parallelism.ts";
import type { Gate, Ports, RunOptions, ToolGates } from "./run/ports.ts";
import type { TenantReads } from "./run/read-cache.ts";
import { recallResults } from "./run/recall-results.ts";
import { refuseMisconfigured } from "./run/refuse-unrunnable.ts";
import { runPlan } from "./run/run-plan.ts";
import { shapeAlone, shapeOutcomes } from "./run/shape-outcomes.ts";
import { SingleFlight } from "./run/single-flight.ts";
import { createStepStarter } from "./run/start-step.ts";
import { Verifications } from "./run/verifications.ts";
import type { UpstreamHealth } from "./run/upstream-health.ts";

/** Everything one request brings with it. */
export interface Execution {
  readonly caller: Caller;
  /** The caller's part of the catalog. */
  readonly catalog: Catalog;
  readonly ports: Ports;
  readonly gate: Gate;
  readonly toolGates: ToolGates;
  readonly options: RunOptions;
  /** What the isolate has learned about its upstreams, shared by every request. */
  readonly health: UpstreamHealth;
  /** What the isolate remembers of the tenant's reads; null when no tool of the deployment allows it. */
  readonly cache: TenantReads | null;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Told once that the batch was admitted: from then on there will be an answer, not a refusal. */
  readonly onAdmitted?: (quota: QuotaState | null) => void;
  /** Told each result the moment it is known; the envelope still contains all of them. */
  readonly onResult?: (resultJson: string) => void;
}

/** A batch that ran: its envelope as JSON text, and what its admission left of the caller's quota. */
export interface Answer {
  readonly envelopeJson: string;
  readonly quota: QuotaState | null;
}

/** A plan that ran: one outcome for every step, in its order. */
export interface Executed extends BatchMeasures {
  readonly outcomes: readonly Outcome[];
  readonly quota: QuotaState | null;
}

/**
 * Execute a batch: plan it, admit it in one round trip, run it, and answer every action once, in the order asked.
 *
 * Whatever is refused is refused before anything ran; after the admission every step leads to a result.
 */
export async function execute(batch: Batch, execution: Execution): Promise<Result<Answer, Refused>> {
  const { catalog, ports } = execution;
  const planned = makePlan(batch, catalog, { maySkipApproval: execution.caller.skipApproval });
  if (!planned.ok) return err({ refusal: planned.error, quota: null });
  const plan = planned.value;
  if (batch.dryRun) {
    const described = describePlan(bindCallbacks(refuseMisconfigured(plan, ports), execution));
    return ok({ envelopeJson: JSON.stringify(described), quota: null });
  }
  return answerPlan(plan, execution);
}

/**
 * Run exactly what an island parked, on the strength of a person's yes: nothing of the batch it came from runs again, and
 * nothing of it ever runs a second time. Refused, and nothing ran, when somebody decided before.
 */
export async function executeApproved(
  island: Island,
  claim: Claim,
  execution: Execution,
): Promise<Result<Answer, Refused>> {
  const { catalog, gate, defer } = execution;
  const answer = await answerPlan(makeApprovedPlan(island, catalog, claim), execution);
  // Only so that it can be told from one that broke off: when the report is lost it stays claimed.
  if (answer.ok) defer(gate.conclude(claim).catch(() => {}));
  return answer;
}

async function answerPlan(plan: Plan, execution: Execution): Promise<Result<Answer, Refused>> {
  const { ports, gate } = execution;
  const executed = await executePlan(plan, execution);
  if (!executed.ok) return executed;
  const { outcomes, quota, ...measures } = executed.value;
  const shaped = await shapeOutcomes(outcomes, plan.maxTokens, ports, gate);
  return ok({ envelopeJson: toEnvelopeJson(ports.newId(), plan, shaped, measures), quota });
}

/** Execute a plan, whichever dialect it was made of: admit it, then run every step to its outcome. */
export async function executePlan(planned: Plan, execution: Execution): Promise<Result<Executed, Refused>> {
  const { caller, ports, gate, options } = execution;
  const startedAt = ports.clock.now();
  const plan = bindCallbacks(refuseMisconfigured(planned, ports), execution);
  const makeJob = createMakeJob(plan, { ports, headerSlots: options.headerSlots });
  const jobs = makeJobs(plan, makeJob);
  const admitted = await admitPlan(plan, caller, jobs, gate);
  if (!admitted.ok) return admitted;
  const { quota, degraded } = admitted.value;
  execution.onAdmitted?.(quota);

  const parallelism = new Parallelism();
  const outcomes = await run(admitted.value, { makeJob, jobs }, parallelism, execution);
  const durationMs = ports.clock.now() - startedAt;
  return ok({
    outcomes: degraded ? outcomes.map(markDegraded) : outcomes,
    quota,
    durationMs,
    maxParallelism: parallelism.max,
  });
}

async function run(
  { plan, degraded, fences }: Admitted,
  { makeJob, jobs }: { makeJob: MakeJob; jobs: ReturnType<typeof makeJobs> },
  parallelism: Parallelism,
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { caller, catalog, ports, options, gate, toolGates, defer, onResult } = execution;
  const { clock } = ports;
  const scope = {
    ports,
    options,
    slots: new Semaphore(options.headerSlots),
    budget: new ByteBudget(options.requestResponseBytes),
    toolGates,
    health: execution.health,
    cache: execution.cache,
  };
  const attempts = new AttemptRunner(catalog, () => scope);
  const attemptsEndAt = clock.now() + LIMITS.firstAttemptMs;
  const background = new Background({ makeJob, jobs, fences, gate, attempts, attemptsEndAt, defer });

  const demotion = new Demotion({ ports, gate, defer });
  const verifications = new Verifications({ verifierOf: catalog.verifierOf, scope });

  // Only a write has to be seen through when the caller goes away, and a permit to be given back. Without them the
  // platform ends everything by itself, and neither listening for that nor outliving it is worth its price.
  const lasting = plan.steps.some(
    ({ task }) => task.ok && (task.value.tool.isWrite || task.value.tool.globalLimits !== null),
  );
  const signal = lasting || onResult !== undefined ? execution.signal : null;

  const endsAt = clock.now() + plan.deadlineMs;
  const running = runPlan(
    plan,
    createStepStarter({
      key: ports.newId(),
      scope,
      background,
      demotion,
      verifications,
      gate,
      parallelism,
      endsAt,
      flights: new SingleFlight(plan, clock),
      recalls: plan.sharesReads,
    }),
    {
      clock,
      signal,
      demotion: plan.demotes ? demotion : undefined,
      recalled: plan.approved?.results ?? (await recallResults(plan.handles, gate)),
      park: createIslandParking(plan, { caller, ports, gate }),
      onOutcome: (step, outcome) =>
        verifications.tell(step.index, outcome, (told) => {
          const shown = shapeAlone(degraded ? markDegraded(told) : told, plan.maxTokens);
          onResult?.(toResultJson(step, shown));
        }),
    },
  );
  if (lasting) defer(running.then(({ drained }) => drained));
  return verifications.applyTo((await running).outcomes);
}
