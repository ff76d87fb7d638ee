import { fitOutcome } from "../../../core/answer/fit-answer.ts";
import { toStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import type { IdempotencyAnswer, IdempotencyRequest } from "../../../core/contract/gate/idempotency.ts";
import type { JobClaim } from "../../../core/contract/gate/job.ts";
import type { Gate } from "../../../core/contract/gate/tenant-gate-methods.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Outcome } from "../../../core/contract/outcome.ts";
import type { Journal, Resumed } from "../../../core/gate/execution.ts";
import { attempt } from "../../../core/kit/result.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import { callFlows, type KeptStep } from "../flow-run.ts";

export interface JournalOptions {
  readonly plan: Plan;
  readonly claim: JobClaim;
  readonly gate: Pick<Gate, "call">;
  /** Keep work alive that no request waits for. */
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * The journal that one attempt of a run writes down with its job: of every sync write that it is about to be sent, before it is,
 * and how it ended. Whatever ends the attempt, the next one knows which writes it must not repeat.
 */
export class RunJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #begun = new Map<string, Promise<boolean>>();
  /** The most that the result of one write may take of the kept bytes. */
  readonly #writeBytes: number;

  constructor(options: JournalOptions) {
    this.#options = options;
    const writes = options.plan.steps.filter(isWrite).length;
    this.#writeBytes = LIMITS.runStepsBytes / 2 / Math.max(1, writes);
  }

  /** A loop has one entry, however many of its calls begin. */
  begin({ id }: Step): Promise<boolean> {
    const { claim, gate } = this.#options;
    let begun = this.#begun.get(id);
    if (begun === undefined)
      this.#begun.set(id, (begun = callFlows(gate, "beginStep", claim.spec.id, claim.fence, id)));
    return begun;
  }

  end(step: Step, outcome: Outcome): void {
    const { claim, gate, defer } = this.#options;
    const kept = this.#begun.has(step.id) ? this.#keep(step, outcome) : null;
    if (kept !== null) defer(attempt(() => callFlows(gate, "endStep", claim.spec.id, claim.fence, kept)));
  }

  /**
   * Choose the steps to keep for the attempts to come: every write that succeeded or may have, with as much of its data as there
   * is room for, and reads that fit whole. A step that is not kept is run again.
   */
  keepAll(outcomes: readonly Outcome[]): readonly KeptStep[] {
    let left = LIMITS.runStepsBytes / 2;
    return this.#options.plan.steps.flatMap((step) => {
      const outcome = outcomes[step.index]!;
      if (outcome.status === "error" && !(isWrite(step) && isInDoubt(outcome))) return [];
      if (outcome.status === "success" && !isWrite(step)) {
        left -= outcome.json.length;
        if (left < 0) return [];
      }
      const kept = this.#keep(step, outcome);
      return kept === null ? [] : [kept];
    });
  }

  #keep({ id }: Step, outcome: Outcome): KeptStep | null {
    if (outcome.status === "skipped") return null;
    if (isInDoubt(outcome)) return { id, outcomeJson: null };
    return { id, outcomeJson: toStoredOutcome(fitOutcome(outcome, this.#writeBytes)) };
  }
}

/**
 * Whether a write's effect is unknown: it was lost and may be sent again, or its upstream broke over it, which is called an
 * error, and not retryable where it may not be sent again.
 */
function isInDoubt(outcome: Outcome): boolean {
  if (outcome.status === "unknown") return outcome.error.retryable;
  return outcome.status === "error" && !outcome.error.retryable && (outcome.error.upstreamStatus ?? 0) >= 500;
}

function isWrite({ task }: Step): boolean {
  return task.ok && task.value.tool.isWrite;
}

/**
 * Say the steps that a run's earlier attempts have left, in the words in which keys say them of a batch: an ended step is done,
 * and one that was about to be sent is in doubt. A failed step is run again.
 */
export function resumeRun(
  { steps }: Plan,
  { spec, fence }: JobClaim,
  kept: readonly KeptStep[],
): Omit<Resumed, "journal"> {
  const retaken = fence > 1;
  const { idempotencyKey: seed } = spec;
  const asked: IdempotencyRequest = {
    runId: spec.id,
    batch: { key: spec.id, fingerprint: "", seed: retaken ? "" : seed },
    actions: [],
  };
  const left = new Map(kept.map(({ id, outcomeJson }) => [id, outcomeJson]));
  const actions = steps.flatMap(({ id, index }): IdempotencyAnswer["actions"] => {
    const json = left.get(id);
    if (json === undefined) return [];
    if (json === null) return [{ index, state: { kind: "claimed", seed, inDoubt: true } }];
    const { status } = JSON.parse(json) as { readonly status: Outcome["status"] };
    return status === "error" ? [] : [{ index, state: { kind: "done", answer: { json, failed: false } } }];
  });
  return {
    asked,
    claimed: { batch: { kind: "claimed", seed, inDoubt: false }, actions },
    retaken,
  };
}
