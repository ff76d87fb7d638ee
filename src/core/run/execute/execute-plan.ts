import type { IdempotencyRequest } from "../../contract/gate/idempotency.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { admit } from "../../gate/admission.ts";
import type { Refused } from "../../gate/admit-plan.ts";
import type { Execution } from "../../gate/execution.ts";
import { whileHeld } from "../../gate/hold-lease.ts";
import { attempt, ok, type Result } from "../../kit/result.ts";
import type { Plan } from "../../plan/step.ts";
import { type Executed, runAdmitted } from "../run-admitted.ts";
import type { Answer } from "./answer.ts";
import { answerPlan } from "./executor.ts";

/**
 * Execute a plan of another dialect under the key that the execution came with: what is kept under it is what that dialect
 * writes.
 */
export function executeKeyed(
  plan: Plan,
  execution: Execution,
  write: (outcomes: readonly Outcome[], durationMs: number) => string,
): Promise<Result<Answer, Refused>> {
  return answerPlan(plan, execution, {
    batchKey: execution.batchKey,
    toJson: (_, outcomes, { durationMs }) => write(outcomes, durationMs),
  });
}

/** A plan that ran, and the steps that did something under a key of their own which no run had before. */
export interface ExecutedPlan extends Executed {
  readonly begun: readonly number[];
}

/**
 * Execute a plan, whichever dialect it was made of: admit it, then run every step to its outcome. The answer of its keys is kept
 * before it is sent.
 */
export async function executePlan(
  planned: Plan,
  execution: Execution,
  keysOf?: (plan: Plan) => Promise<IdempotencyRequest | null>,
): Promise<Result<ExecutedPlan, Refused>> {
  const { watch, gate, ports, defer } = execution;
  watch?.enter("admit");
  const admission = await admit(planned, execution, keysOf);
  if (!admission.ok) return admission;
  const { keys, startedAt } = admission.value;
  watch?.enter("run");
  const run = async (lost?: AbortSignal): Promise<Executed> => {
    const executed = await runAdmitted(admission.value, execution, { lost, listens: true });
    watch?.enter("write");
    return executed;
  };
  if (keys === null) {
    const running = run();
    if (execution.hooks?.keeper !== undefined) defer(running);
    return ok({ ...(await running), begun: [] });
  }
  const runKept = async (lost?: AbortSignal): Promise<ExecutedPlan> => {
    const executed = await run(lost);
    const { outcomes } = executed;
    await attempt(() => gate.complete(keys.close(outcomes, { json: "" })));
    return { ...executed, begun: keys.begun(outcomes) };
  };
  const { lease } = keys;
  const holding = { gate, clock: ports.clock, askedAtMs: startedAt };
  const keeping = lease === null ? runKept() : whileHeld(lease, holding, runKept);
  defer(keeping);
  return ok(await keeping);
}
