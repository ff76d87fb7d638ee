import type { Catalog } from "./catalog/catalog.ts";
import type { QuotaState } from "./contract/admission.ts";
import type { Batch } from "./contract/batch.ts";
import type { Caller } from "./contract/caller.ts";
import { LIMITS } from "./contract/limits.ts";
import { err, ok, type Result } from "./kit/result.ts";
import { Semaphore } from "./kit/semaphore.ts";
import { makePlan } from "./plan/make-plan.ts";
import { admitPlan, type Refused } from "./run/admit-plan.ts";
import { AttemptRunner } from "./run/attempt-runner.ts";
import { Background, makeJobs } from "./run/background.ts";
import { ByteBudget } from "./run/byte-budget.ts";
import { toEnvelopeJson, toResultJson } from "./run/envelope.ts";
import type { Gate, Ports, RunOptions } from "./run/ports.ts";
import { refuseUnrunnable } from "./run/refuse-unrunnable.ts";
import { startAction } from "./run/run-action.ts";
import { runPlan } from "./run/run-plan.ts";

/** Everything one request brings with it. */
export interface Execution {
  readonly caller: Caller;
  /** The caller's part of the catalog. */
  readonly catalog: Catalog;
  readonly ports: Ports;
  readonly gate: Gate;
  readonly options: RunOptions;
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

/**
 * Execute a batch: plan it, admit it in one round trip, run it, and answer every action once, in the order asked.
 *
 * Whatever is refused is refused before anything ran; after the admission every step leads to a result.
 */
export async function execute(batch: Batch, execution: Execution): Promise<Result<Answer, Refused>> {
  const { caller, catalog, ports, gate, options, defer } = execution;
  const startedAt = ports.clock.now();

  const planned = makePlan(batch, catalog);
  if (!planned.ok) return err({ refusal: planned.error, quota: null });
  const runnable = refuseUnrunnable(planned.value, ports);

  const jobs = makeJobs(runnable, ports);
  const admitted = await admitPlan(runnable, caller, jobs, gate);
  if (!admitted.ok) return admitted;
  const { plan, fences, quota } = admitted.value;

  execution.onAdmitted?.(quota);

  const batchId = ports.newId();
  const scope = {
    ports,
    options,
    slots: new Semaphore(options.headerSlots),
    budget: new ByteBudget(options.requestResponseBytes),
  };
  const background = new Background({
    jobs,
    fences,
    gate,
    defer,
    attempts: new AttemptRunner(catalog, () => scope),
    attemptsEndAt: ports.clock.now() + LIMITS.firstAttemptMs,
  });

  const running = runPlan(
    plan,
    (step, call, queuedMs) =>
      background.start(step) ??
      startAction(call, scope, {
        idempotencyKey: `${batchId}:${step.id}`,
        maxAttempts: LIMITS.syncAttempts,
        queuedMs,
      }),
    {
      clock: ports.clock,
      signal: execution.signal,
      onOutcome: (step, outcome) => execution.onResult?.(toResultJson(step, outcome)),
    },
  );
  // Writes that outlive the answer, or a caller that went away, are let finish.
  defer(running.then(({ drained }) => drained));
  const result = await running;
  return ok({ envelopeJson: toEnvelopeJson(batchId, plan, result, ports.clock.now() - startedAt), quota });
}
