import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { MENDED_ELSEWHERE } from "../contract/failure-codes.ts";
import type {
  IdempotencyAnswer,
  IdempotencyClosing,
  IdempotencyRequest,
  KeptAnswer,
  KeyEnd,
  KeyedContent,
  KeyState,
} from "../contract/gate/idempotency.ts";
import { isFailure, keepDoubt, type Outcome } from "../contract/outcome.ts";
import type { Prepared } from "../plan/prepare-task.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { ByteBudget } from "../egress/byte-budget.ts";
import type { Lease } from "./hold-lease.ts";
import type { BatchKey } from "./read-keys.ts";
import { failUnsent } from "../answer/failed-outcome.ts";
import { fitOutcome } from "../answer/fit-answer.ts";
import { fromStoredOutcome, toStoredOutcome } from "../answer/stored-outcome.ts";

/** Makes the fingerprint of an action whose references are resolved. */
export type FingerprintOf = (step: Step, prepared: Prepared) => Promise<string>;

export interface ClaimedKeysOptions {
  readonly answer: IdempotencyAnswer;
  readonly fingerprintOf: FingerprintOf;
}

/**
 * The idempotency keys of an admitted batch: what they say about its steps before anything runs, and what is kept under
 * them at the end.
 *
 * A step is in doubt when an earlier run began it and never reported. Then nothing may be done twice, and nothing may
 * be said not to have happened: a write that cannot be repeated is `unknown` at once, any other write runs again under
 * the same ids, and if it does not come to that it is `unknown` as well. One that waits for a person, and has in every run so
 * far, is not in doubt: none sent it, and a question that was recorded is found by the same ids.
 */
export class ClaimedKeys {
  readonly #asked: IdempotencyRequest;
  readonly #answer: IdempotencyAnswer;
  readonly #states: ReadonlyMap<number, KeyState>;
  readonly #fingerprintOf: FingerprintOf;
  readonly #inDoubt = new Map<number, { readonly tool: Tool; readonly isParked: boolean }>();
  /** Steps of which a question may be recorded, whatever became of them. */
  readonly #mayAsk = new Set<number>();
  /** The fingerprints of a key's resolved references. */
  readonly #fingerprints = new Map<number, string>();
  /** Steps whose key was used for something else, as it turned out. */
  readonly #conflicts = new Set<number>();

  /** @param plan as it was sent to the gate, before anything was turned away */
  constructor(plan: Plan, asked: IdempotencyRequest, { answer, fingerprintOf }: ClaimedKeysOptions) {
    this.#asked = asked;
    this.#fingerprintOf = fingerprintOf;
    this.#answer = answer;
    this.#states = new Map(answer.actions.map(({ index, state }) => [index, state]));
    for (const { index, parking, mayAsk, task } of plan.steps) {
      const isParked = parking !== null;
      if (isParked || mayAsk === true) this.#mayAsk.add(index);
      if (task.ok && task.value.tool.isWrite && this.#isInDoubt(index, isParked))
        this.#inDoubt.set(index, { tool: task.value.tool, isParked });
    }
  }

  #isInDoubt(index: number, isParked: boolean): boolean {
    const own = this.#states.get(index);
    const state = own ?? this.#answer.batch;
    if (state?.kind !== "claimed" || !state.inDoubt) return false;
    return !isParked || state.parked?.includes(own === undefined ? index : 0) !== true;
  }

  /** When the first run began of which a write is in doubt; undefined where none is. */
  get doubtedSince(): number | undefined {
    const states = Array.from(this.#inDoubt.keys(), (index) => this.#states.get(index) ?? this.#answer.batch);
    const begun = states.flatMap((state) => (state?.kind === "claimed" ? (state.begunAt ?? []) : []));
    return begun.toSorted((a, b) => a - b)[0];
  }

  /**
   * The outcomes that are known before anything runs.
   *
   * @param budget has the values that the batch's data may have
   */
  known(budget: ByteBudget): ReadonlyMap<number, Outcome> {
    const known = new Map<number, Outcome>();
    for (const index of this.#inDoubt.keys()) {
      const outcome = isUndecided(this.#states.get(index)) ? null : this.#doubt(index);
      if (outcome !== null) known.set(index, outcome);
    }
    for (const [index, state] of this.#states) {
      const outcome = isUndecided(state) ? null : toKnown(state, budget);
      if (outcome !== null) known.set(index, outcome);
    }
    return known;
  }

  /** The outcome that an earlier run leaves for a step that is in doubt; null when it may run again. */
  #doubt(index: number): Outcome | null {
    const doubt = this.#inDoubt.get(index);
    if (doubt === undefined) return null;
    const { tool, isParked } = doubt;
    // An earlier run that left only its references does not say what they stood for: this run's values may be others.
    const isBlind = this.#isOpen(index) && !isUndecided(this.#states.get(index));
    // Asking a person a second time would have it done a second time.
    return isParked || isBlind || (tool.execution === "sync" && !tool.repeatable) ? unknown(tool) : null;
  }

  #isOpen(index: number): boolean {
    return this.#asked.actions.some((action) => action.index === index && action.open === true);
  }

  /** Whether what a step's key says is decided when its references are resolved. */
  waits(index: number): boolean {
    const state = this.#states.get(index);
    return (state?.kind === "claimed" || isUndecided(state)) && this.#isOpen(index);
  }

  /**
   * Compare a step, now that its references are resolved, with what its key was used for.
   *
   * @returns its outcome, or null when it is to run
   */
  async decide(step: Step, prepared: Prepared, budget: ByteBudget): Promise<Outcome | null> {
    const { index } = step;
    const state = this.#states.get(index);
    if (state === undefined) return null;
    const fingerprint = await this.#fingerprintOf(step, prepared);
    if (isUndecided(state) && state.of !== fingerprint) {
      this.#conflicts.add(index);
      this.#inDoubt.delete(index);
      return toKnown({ kind: "conflict" }, budget);
    }
    this.#fingerprints.set(index, fingerprint);
    return toKnown(state, budget) ?? (isUndecided(state) ? this.#doubt(index) : null);
  }

  /** Say of a step's outcome what an earlier run may have made of it: that this one did nothing proves nothing. */
  amend(step: Step, outcome: Outcome): Outcome {
    const tool = this.#inDoubt.get(step.index)?.tool;
    if (tool === undefined || outcome.meta.replayed === true) return outcome;
    if (!neverBegan(outcome)) return keepDoubt(outcome);
    // A job that is recorded already is never turned away for these.
    const isCertain =
      tool.execution === "fire-and-forget" &&
      outcome.status === "error" &&
      (outcome.error.code === "RATE_LIMITED" || outcome.error.code === "BACKLOG_FULL");
    return isCertain ? outcome : unknown(tool);
  }

  /** The claims that the run holds on to; null where they need no renewal. */
  get lease(): Lease | null {
    const { runId, batch, actions } = this.#asked;
    const { leaseMs } = this.#answer;
    if (leaseMs === undefined) return null;
    const claimed = [
      ...(batch === null ? [] : [{ content: batch, state: this.#answer.batch }]),
      ...actions.map((content) => ({ content, state: this.#states.get(content.index) ?? null })),
    ];
    const keys = claimed.flatMap(({ content: { key, retentionMs }, state }) =>
      state?.kind === "claimed" ? { key, seed: state.seed, retentionMs } : [],
    );
    return keys.length === 0 ? null : { runId, keys, leaseMs };
  }

  /** The steps that did something under a key of their own which no run had before. */
  begun(outcomes: readonly Outcome[]): readonly number[] {
    return this.#asked.actions.flatMap(({ index, seed }) => {
      const state = this.#states.get(index);
      const isFirst = state?.kind === "claimed" && state.seed === seed;
      return isFirst && toEnd(outcomes[index]!).kind !== "free" ? [index] : [];
    });
  }

  /**
   * Make this run's last word on its keys.
   *
   * @param answer what is kept under the batch's key
   */
  close(
    outcomes: readonly Outcome[],
    answer: Omit<KeptAnswer, "failed">,
    { isShared = false }: Pick<BatchKey, "isShared"> = {},
  ): IdempotencyClosing {
    const { runId, batch, actions } = this.#asked;
    const claimed = actions.filter(({ index }) => this.#states.get(index)?.kind === "claimed");
    const endOf = (index: number): KeyEnd => {
      // A key of other content is another's, and stays what it was.
      if (this.#conflicts.has(index)) return RELEASE;
      const end = toEnd(outcomes[index]!);
      return end.kind === "free" && this.#mayAsk.has(index) ? RELEASE : end;
    };
    const ends = claimed.map((action) => ({
      ...endKey(action, endOf(action.index)),
      fingerprint: this.#fingerprints.get(action.index),
    }));
    if (batch === null) return { runId, ends };
    const end: KeyEnd =
      !isShared && this.#isNothing(outcomes)
        ? { kind: this.#mayAsk.size > 0 ? "release" : "free" }
        : { kind: "done", answer: { ...answer, failed: false } };
    return { runId, ends: [endKey(batch, end), ...ends] };
  }

  /** Whether no run of the batch sent anything, and all of this one failed for reasons that pass. */
  #isNothing(outcomes: readonly Outcome[]): boolean {
    const { batch } = this.#answer;
    const ran = outcomes.filter(({ status }) => status !== "skipped");
    return batch?.kind === "claimed" && !batch.inDoubt && ran.length > 0 && ran.every(passes);
  }
}

const RELEASE: KeyEnd = { kind: "release" };

type Undecided = Extract<KeyState, { readonly of?: string }> & { readonly of: string };

function isUndecided(state: KeyState | undefined): state is Undecided {
  return (state?.kind === "claimed" || state?.kind === "done") && state.of !== undefined;
}

/** Let go of the keys of a batch that ran nothing now. Where jobs of it may be recorded, the next run finds them by the same seed. */
export function abandonKeys(
  { runId, batch, actions }: IdempotencyRequest,
  kind: "release" | "free" = "release",
): IdempotencyClosing {
  const keys = [...(batch === null ? [] : [batch]), ...actions];
  return { runId, ends: keys.map((content) => endKey(content, { kind })) };
}

/** Leave a key, to be kept as long as it was claimed for. */
export function endKey({ key, retentionMs }: KeyedContent, end: KeyEnd): IdempotencyClosing["ends"][number] {
  return { key, end, ...(retentionMs !== undefined && { retentionMs }) };
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
      const hint = `Another batch is running an action under the same idempotency_key; send it again in ${Math.ceil(retryAfterMs)} ms to get its result.`;
      return failed({ retryable: true, retryAfterMs, hint });
    }
  }
}

function failed(details: Partial<Failure>): Outcome {
  return failUnsent(makeFailure("IDEMPOTENCY_CONFLICT", details));
}

function unknown(tool: Tool): Outcome {
  const hint =
    tool.execution === "sync"
      ? "An earlier run of this action may have sent it, and its end is not known: look before you send it again."
      : "An earlier run of this action may have recorded it: look for its job in GET /v1/jobs before you send it again.";
  return { status: "unknown", error: makeFailure("INTERNAL", { retryable: false, hint }), meta: {} };
}

/** The end of an action that is kept under its key: none where it certainly sent nothing, so that sending it again runs it. */
function toEnd(outcome: Outcome): KeyEnd {
  if (outcome.status === "skipped") return { kind: "free" };
  if (outcome.status === "error") {
    // The gate did not answer, so it may be recorded after all; under the same ids nothing happens twice.
    if (outcome.error.code === "OUTBOX_UNAVAILABLE") return { kind: "release" };
    const { attempts = 0, sentNothing = false } = outcome.meta;
    if (sentNothing && (attempts === 0 || passes(outcome))) return { kind: "free" };
  }
  return { kind: "done", answer: { json: toStoredOutcome(fitOutcome(outcome)), failed: isFailure(outcome) } };
}

/** Whether a step failed before anything of it reached a service, and for a reason that passes or that somebody mends elsewhere. */
function passes(outcome: Outcome): boolean {
  if (outcome.status !== "error" || outcome.meta.sentNothing !== true) return false;
  const { code, retryable } = outcome.error;
  return retryable || MENDED_ELSEWHERE.includes(code);
}

/** Whether a step ended without any call of its tool. */
function neverBegan(outcome: Outcome): boolean {
  return outcome.status === "skipped" || (outcome.status === "error" && (outcome.meta.attempts ?? 0) === 0);
}
