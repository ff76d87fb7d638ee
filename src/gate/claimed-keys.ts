import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type {
  IdempotencyAnswer,
  IdempotencyClosing,
  IdempotencyRequest,
  KeyEnd,
  KeyState,
} from "../contract/gate/idempotency.ts";
import { isFailure, type Outcome } from "../contract/outcome.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { ByteBudget } from "../egress/read-body.ts";
import { fitOutcome } from "../answer/fit-answer.ts";
import { fromStoredOutcome, toStoredOutcome } from "../answer/stored-outcome.ts";

/**
 * The idempotency keys of an admitted batch: what they say about its steps before anything runs, and what is kept under
 * them at the end.
 *
 * A step is in doubt when an earlier run began it and never reported. Then nothing may be done twice, and nothing may
 * be said not to have happened: a write that cannot be repeated is `unknown` at once, any other write runs again under
 * the same ids, and if it does not come to that it is `unknown` as well.
 */
export class ClaimedKeys {
  readonly #asked: IdempotencyRequest;
  readonly #answer: IdempotencyAnswer;
  readonly #states: ReadonlyMap<number, KeyState>;
  readonly #inDoubt = new Map<number, { readonly tool: Tool; readonly isParked: boolean }>();

  /** @param plan as it was sent to the gate, before anything was turned away */
  constructor(plan: Plan, asked: IdempotencyRequest, answer: IdempotencyAnswer) {
    this.#asked = asked;
    this.#answer = answer;
    this.#states = new Map(answer.actions.map(({ index, state }) => [index, state]));
    for (const { index, parking, task } of plan.steps) {
      if (task.ok && task.value.tool.isWrite && this.#isInDoubt(index))
        this.#inDoubt.set(index, { tool: task.value.tool, isParked: parking !== null });
    }
  }

  #isInDoubt(index: number): boolean {
    const state = this.#states.get(index) ?? this.#answer.batch;
    return state?.kind === "claimed" && state.inDoubt;
  }

  /**
   * The outcomes that are known before anything runs.
   *
   * @param budget has the values that the batch's data may have
   */
  known(budget: ByteBudget): ReadonlyMap<number, Outcome> {
    const known = new Map<number, Outcome>();
    for (const [index, { tool, isParked }] of this.#inDoubt) {
      // Asking a person a second time would have it done a second time.
      if (isParked || (tool.execution === "sync" && !tool.repeatable)) known.set(index, unknown(tool));
    }
    for (const [index, state] of this.#states) {
      const outcome = toKnown(state, budget);
      if (outcome !== null) known.set(index, outcome);
    }
    return known;
  }

  /** Say of a step's outcome what an earlier run may have made of it: that this one did nothing proves nothing. */
  amend(step: Step, outcome: Outcome): Outcome {
    const tool = this.#inDoubt.get(step.index)?.tool;
    if (tool === undefined || outcome.meta.replayed === true || !neverBegan(outcome)) return outcome;
    // A job that is recorded already is never turned away for these.
    const isCertain =
      tool.execution === "fire-and-forget" &&
      outcome.status === "error" &&
      (outcome.error.code === "RATE_LIMITED" || outcome.error.code === "BACKLOG_FULL");
    return isCertain ? outcome : unknown(tool);
  }

  /**
   * Make this run's last word on its keys.
   *
   * @param answerJson what is kept under the batch's key
   */
  close(outcomes: readonly Outcome[], answerJson: string): IdempotencyClosing {
    const { runId, batch, actions } = this.#asked;
    const claimed = actions.filter(({ index }) => this.#states.get(index)?.kind === "claimed");
    const ends = claimed.map(({ key, index }) => ({ key, end: toEnd(outcomes[index]!) }));
    if (batch === null) return { runId, ends };
    const end: KeyEnd = { kind: "done", answer: { json: answerJson, failed: false } };
    return { runId, ends: [{ key: batch.key, end }, ...ends] };
  }
}

/** Let go of the keys of a batch whose admission got no answer, and which therefore ran nothing. */
export function abandonKeys({ runId, batch, actions }: IdempotencyRequest): IdempotencyClosing {
  // It may have been admitted all the same, and its jobs recorded: the next run finds them by the same seed.
  const end: KeyEnd = { kind: "release" };
  const keys = [...(batch === null ? [] : [batch]), ...actions];
  return { runId, ends: keys.map(({ key }) => ({ key, end })) };
}

function toKnown(state: KeyState, budget: ByteBudget): Outcome | null {
  switch (state.kind) {
    case "claimed":
      return null;
    case "done":
      return fromStoredOutcome(state.answer.json, budget);
    case "conflict":
      return failed({
        hint: "This idempotency_key was used before for another tool, other arguments or by another caller: give the action a new one.",
      });
    case "running": {
      const { retryAfterMs } = state;
      const hint = `Another batch is running this action under the same idempotency_key; send it again in ${Math.ceil(retryAfterMs)} ms to get its result.`;
      return failed({ retryable: true, retryAfterMs, hint });
    }
  }
}

function failed(details: Partial<Failure>): Outcome {
  return { status: "error", error: makeFailure("IDEMPOTENCY_CONFLICT", details), meta: {} };
}

function unknown(tool: Tool): Outcome {
  const hint =
    tool.execution === "sync"
      ? "An earlier run of this action ended without a report and may have sent it: look before you send it again."
      : "An earlier run of this action ended without a report and may have recorded it: look for its job in GET /v1/jobs before you send it again.";
  return { status: "unknown", error: makeFailure("INTERNAL", { retryable: false, hint }), meta: {} };
}

/** What is kept of an action under its key: nothing where it certainly did nothing, so that sending it again runs it. */
function toEnd(outcome: Outcome): KeyEnd {
  if (outcome.status === "skipped") return { kind: "free" };
  if (outcome.status === "error") {
    // The gate did not answer, so it may be recorded after all; under the same ids nothing happens twice.
    if (outcome.error.code === "OUTBOX_UNAVAILABLE") return { kind: "release" };
    if (outcome.error.retryable || neverBegan(outcome)) return { kind: "free" };
  }
  return {
    kind: "done",
    answer: { json: toStoredOutcome(fitOutcome(outcome)), failed: isFailure(outcome) },
  };
}

/** Whether a step ended without any call of its tool. */
function neverBegan(outcome: Outcome): boolean {
  return outcome.status === "skipped" || (outcome.status === "error" && (outcome.meta.attempts ?? 0) === 0);
}
