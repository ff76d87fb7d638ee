import { AnswerBudget } from "../answer/envelope.ts";
import { serialiseOutput } from "../answer/serialise-output.ts";
import { planKeptFlow } from "../catalog/flow/plan-kept-flow.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { isFailure, type Outcome, type OutcomeMeta } from "../contract/outcome.ts";
import { admit } from "../gate/admission.ts";
import type { Execution, RunFlow } from "../gate/execution.ts";
import { attempt, attemptNow, type Result } from "../kit/result.ts";
import { resolveReferences } from "../plan/references.ts";
import type { Plan } from "../plan/step.ts";
import { type Executed, runAdmitted } from "../run/run-admitted.ts";

/**
 * Create what runs tools that are batches, with the planner and the runner of any batch. The request is counted already, and a
 * person was asked already where one had to be; so neither happens again inside. Flows do not call flows: they were refused when
 * they were kept, and what has become one since is a failure of its action.
 */
export function createFlowRunner(execution: Execution): RunFlow {
  return async (call, inside) => {
    const { clock } = execution.ports;
    const startedAt = clock.now();
    const ran = await attempt(async (): Promise<Outcome> => {
      const flow = call.tool.flow!;
      const deadlineMs = Math.max(1, Math.min(flow.batch.deadlineMs, inside.endsAt - startedAt));
      const plan = planKeptFlow(call.tool, execution.catalog, {
        input: call.input,
        asked: { deadlineMs, skipApproval: true },
        maySkipApproval: true,
      });
      if (!plan.ok) return fail(makeFailure("FLOW_BROKEN", { hint: plan.error }));
      const own: Execution = {
        ...execution,
        inside,
        isCounted: true,
        signal: inside.signal,
        answer: new AnswerBudget(1),
        // What it listens for ends it, whatever it runs.
        onOutcome: () => {},
      };
      // What is unfinished at its end is no answer, and a job of it would be nobody's.
      const admission = await admit({ ...plan.value, demotes: false }, own);
      if (!admission.ok) return fail(makeFailure("OVERLOADED", { hint: admission.error.refusal.hint }));
      return toOutcome(plan.value, await runAdmitted(admission.value, own), flow.answer);
    });
    const durationMs = clock.now() - startedAt;
    const outcome = ran.ok ? ran.value : fail(makeFailure("INTERNAL"));
    return { ...outcome, meta: { ...outcome.meta, durationMs, queuedMs: 0, attempts: 1 } };
  };
}

/**
 * Say what a flow came to: its answer, where everything that the answer needs has succeeded. Without an answer it has succeeded
 * where all of its actions have. A write whose end nobody knows leaves that of the flow unknown.
 */
export function toOutcome(
  plan: Plan,
  { outcomes }: Pick<Executed, "outcomes">,
  answer: unknown,
): Extract<Outcome, { readonly status: "success" | "error" | "unknown" }> {
  const at = (wanted: (outcome: Outcome) => boolean): number => outcomes.findIndex(wanted);
  const lost = at(({ status }) => status === "unknown");
  const failed = at(isFailure);
  if (answer !== undefined) {
    const answered = resolveAnswer(answer, plan, outcomes);
    if (answered.ok) return toSuccess(answered.value);
    if (lost === -1) return fail(answered.error);
  }
  const index = lost === -1 ? failed : lost;
  if (index === -1) return toSuccess(null);
  const { error } = outcomes[index] as Outcome & { readonly error: Failure };
  const hint = `Its action '${plan.steps[index]!.id}' ended as ${outcomes[index]!.status} (${error.code}). ${error.hint ?? ""}`;
  const failure = makeFailure("DEPENDENCY_FAILED", { hint: hint.trim() });
  return { status: lost === -1 ? "error" : "unknown", error: failure, meta: {} };
}

/** Look up what an answer refers to; what it needs and did not succeed fails it. */
export function resolveAnswer(
  answer: unknown,
  { steps, given }: Plan,
  outcomes: readonly Outcome[],
): Result<unknown, Failure> {
  return resolveReferences(
    answer,
    (id) => {
      if (given?.has(id) === true) return { data: given.get(id) };
      const index = steps.findIndex((step) => step.id === id);
      const outcome = outcomes[index];
      if (outcome === undefined) return undefined;
      if (outcome.status === "success") return { data: outcome.data };
      const code = "error" in outcome ? ` (${outcome.error.code})` : "";
      const hint = `The answer needs '${id}', which ended as ${outcome.status}${code}.`;
      return { refused: makeFailure("DEPENDENCY_FAILED", { hint }) };
    },
    { what: "The answer of one flow", limitBytes: Number.POSITIVE_INFINITY },
  );
}

function toSuccess(data: unknown): ReturnType<typeof toOutcome> {
  const written = attemptNow(() => serialiseOutput(data));
  if (written.ok) {
    const meta: OutcomeMeta = { bytes: written.value.bytes };
    return { status: "success", data, json: written.value.json, meta };
  }
  const failure = written.error instanceof ToolFailure ? written.error.failure : makeFailure("INTERNAL");
  return fail(failure);
}

function fail(error: Failure): Extract<Outcome, { readonly status: "error" }> {
  return { status: "error", error, meta: {} };
}
