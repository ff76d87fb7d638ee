import type { Failure } from "../../feature/refuse.ts";
import type { JobClaim } from "../../core/contract/gate/job.ts";
import type { Gate } from "../../core/contract/gate/tenant-gate-methods.ts";
import type { Plan, Step } from "../../core/plan/step.ts";
import { ELEMENT, type KeptStep } from "../flows/flow-run.ts";
import type { Ledger } from "../flows/run/run-journal.ts";
import { callBackground, type KeptResult } from "./batch-job.ts";

export interface BatchLedgerOptions {
  readonly plan: Plan;
  readonly claim: JobClaim;
  readonly gate: Pick<Gate, "call">;
  /** Told that the attempt may send nothing any more. */
  readonly onLost: () => void;
}

const FAILED = '{"status":"error"';

/** The rows of a batch in the background: its steps and elements by their places, and how many there are. */
export class BatchLedger implements Ledger {
  readonly #options: BatchLedgerOptions;
  readonly #places: ReadonlyMap<string, number>;
  readonly #elements = new Map<number, number>();

  constructor(options: BatchLedgerOptions) {
    this.#options = options;
    this.#places = new Map(options.plan.steps.map(({ id, index }) => [id, index]));
  }

  /** How many calls there are, as far as that is known: a loop counts its elements. */
  get total(): number {
    const { steps } = this.#options.plan;
    return steps.reduce((sum, { index }) => sum + (this.#elements.get(index) ?? 1), 0);
  }

  /** Hear how many elements a loop has. */
  count({ index }: Step, elements: number): void {
    this.#elements.set(index, elements);
  }

  begin(id: string, ended: readonly KeptStep[]): Promise<boolean> {
    return this.#write([...ended, { id, outcomeJson: null }]);
  }

  end(steps: readonly KeptStep[]): Promise<boolean> {
    return this.#write(steps);
  }

  toResult({ id, outcomeJson, shownJson }: KeptStep): KeptResult {
    const [step = "", element = -1] = id.split(ELEMENT);
    return {
      step: this.#places.get(step)!,
      element: Number(element),
      outcomeJson: this.#tag(outcomeJson ?? shownJson ?? null),
      inDoubt: outcomeJson === null,
    };
  }

  toStep({ step, element, outcomeJson, inDoubt }: KeptResult): KeptStep {
    const { id } = this.#options.plan.steps[step]!;
    return { id: element < 0 ? id : `${id}${ELEMENT}${element}`, outcomeJson: inDoubt ? null : outcomeJson };
  }

  /** Write into a failure in which attempt it came: only a new attempt tries again, not one that goes on in its next turn. */
  #tag(outcomeJson: string | null): string | null {
    if (outcomeJson?.startsWith(FAILED) !== true) return outcomeJson;
    return `{"attempt":${this.#options.claim.attempt},${outcomeJson.slice(1)}`;
  }

  /** Whether a step has failed in this attempt, by what was written of it. */
  hasFailed(outcomeJson: string): boolean {
    if (!outcomeJson.startsWith('{"attempt":')) return false;
    const { attempt, error } = JSON.parse(outcomeJson) as { attempt: number; error: Failure };
    return attempt === this.#options.claim.attempt && error.code !== "CANCELLED";
  }

  async #write(steps: readonly KeptStep[]): Promise<boolean> {
    const { claim, gate, onLost } = this.#options;
    const results = steps.map((step) => this.toResult(step));
    const entry = { results, total: this.total };
    const isIts = await callBackground(gate, "write", claim.spec.id, claim.fence, entry);
    if (!isIts) onLost();
    return isIts;
  }
}
