import * as LIMITS from "../limits.ts";
import { failUnsent } from "../../../core/answer/failed-outcome.ts";
import { fitOutcome } from "../../../core/answer/fit-answer.ts";
import { toStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import { makeFailure } from "../../../core/contract/failure.ts";
import type { IdempotencyAnswer, IdempotencyRequest } from "../../../core/contract/gate/idempotency.ts";
import type { JobClaim } from "../../../core/contract/gate/job.ts";
import type { Gate } from "../../../core/contract/gate/tenant-gate-methods.ts";
import { isInDoubt, type Outcome } from "../../../core/contract/outcome.ts";
import type { Journal, Resumed } from "../../../core/gate/execution.ts";
import { attempt, type Result } from "../../../feature/refuse.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import { callFlows, ELEMENT, type KeptStep } from "../flow-run.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

/** The rows of a run's journal, written for one of its attempts. Each call is false when the attempt may send nothing any more. */
export interface Ledger {
  /** Write down that a write is about to be sent, and how other steps ended before. */
  begin(id: string, ended: readonly KeptStep[]): Promise<boolean>;
  /** Write down how steps ended. */
  end(steps: readonly KeptStep[]): Promise<boolean>;
}

interface JournalOptions {
  readonly plan: Plan;
  readonly ledger: Ledger;
  /** Keep work alive that no request waits for. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Runs loops, whose elements have entries of their own. */
  readonly runLoop?: NonNullable<Journal["runLoop"]>;
  /** Bytes that the results of its steps may take. */
  readonly keptBytes?: number;
  /** Somebody reads them. */
  readonly isShown?: boolean;
}

/** Open the rows of a flow's run. */
export function openLedger(gate: Pick<Gate, "call">, { spec: { id: jobId }, fence }: JobClaim): Ledger {
  return {
    begin: (id, ended) =>
      ended.length === 0
        ? callFlows(gate, "beginStep", jobId, fence, id)
        : callFlows(gate, "beginStep", jobId, fence, id, ended),
    end: (steps) => callFlows(gate, "endStep", jobId, fence, ...steps),
  };
}

/**
 * The journal that one attempt of a run writes down with its job: of every sync write that it is about to be sent, before it is,
 * and how it ended. However the attempt ends, the next one knows which writes it must not repeat.
 */
export class RunJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #begun = new Map<string, Promise<boolean>>();
  readonly #keptBytes: number;
  readonly #isShown: boolean;
  /** The most that the result of one write may take of the kept bytes. */
  readonly #writeBytes: number;
  /** The same of any step, where all of them are kept as they end. */
  readonly #stepBytes: number;
  /** The steps to which loops refer, by their places. */
  readonly #lists: ReadonlySet<number>;
  /** Whether those that have ended are written down. */
  readonly #listed: Promise<Result<boolean, unknown>>[] = [];
  readonly runLoop?: NonNullable<Journal["runLoop"]>;

  constructor(options: JournalOptions) {
    this.#options = options;
    const writes = options.plan.steps.filter(isWrite).length;
    const { runLoop, keptBytes = LIMITS.runStepsBytes, isShown = false } = options;
    this.#isShown = isShown;
    this.#keptBytes = keptBytes / 2;
    this.#writeBytes = this.#keptBytes / Math.max(1, writes);
    this.#stepBytes = this.#keptBytes / options.plan.steps.length;
    this.#lists = new Set(options.plan.steps.filter(isLoop).flatMap(listsOf));
    // A loop that went over a list which is not written down would be another one in the next attempt.
    if (runLoop !== undefined)
      this.runLoop = async (...loop) =>
        (await Promise.all(this.#listed)).every(({ ok }) => ok) ? runLoop(...loop) : UNLISTED;
  }

  /** A loop has one entry, however many of its calls begin. */
  begin({ id }: Step): Promise<boolean> {
    const { ledger } = this.#options;
    return getOrMake(this.#begun, id, () => ledger.begin(id, []));
  }

  end(step: Step, outcome: Outcome): void {
    const { ledger, defer } = this.#options;
    const isList = this.#isList(step, outcome);
    const isKept = this.#begun.has(step.id) || isList || this.#isNews(step, outcome);
    const kept = isKept ? this.#keep(step, outcome) : null;
    if (kept === null) return;
    const writing = attempt(() => ledger.end([kept]));
    if (isList) this.#listed.push(writing);
    defer(writing);
  }

  /** Whether a loop goes over it: in whichever attempt that goes on, it goes over the same elements. */
  #isList({ index }: Step, { status, meta }: Outcome): boolean {
    return this.#lists.has(index) && status === "success" && meta.replayed !== true;
  }

  /** Whether somebody who reads the run sees a step before its attempt is over. A loop is seen by its elements. */
  #isNews(step: Step, outcome: Outcome): boolean {
    return this.#isShown && outcome.meta.replayed !== true && !isLoop(step) && !isUnfinished(outcome);
  }

  /**
   * Choose the steps to keep for the attempts to come: every write that succeeded or may have, with as much of its data as there
   * is room for, what loops go over, and reads that fit whole. A step that is not kept is run again.
   */
  keepAll(outcomes: readonly Outcome[]): readonly KeptStep[] {
    let left = this.#keptBytes;
    return this.#options.plan.steps.flatMap((step) => {
      const outcome = outcomes[step.index]!;
      // Its elements have entries, which the next attempt puts together again.
      if (this.runLoop !== undefined && isLoop(step) && outcome.status !== "pending_confirmation") return [];
      if (outcome.status === "error" && !(isWrite(step) && staysOpen(outcome))) return [];
      if (outcome.status === "success" && !isWrite(step) && !this.#lists.has(step.index)) {
        left -= outcome.json.length;
        if (left < 0) return [];
      }
      const kept = this.#keep(step, outcome);
      return kept === null ? [] : [kept];
    });
  }

  #keep(step: Step, outcome: Outcome): KeptStep | null {
    const usual = this.#begun.has(step.id) || !this.#isShown ? this.#writeBytes : this.#stepBytes;
    return keepStep(step.id, outcome, { mostBytes: this.roomOf(step, usual), isShown: this.#isShown });
  }

  /** Say how many bytes are kept of a step that usually has so many: more of a list that a loop goes over, in each of its turns. */
  roomOf({ index }: Step, usual: number): number {
    return this.#lists.has(index) ? Math.max(LIMITS.loopListBytes, usual) : usual;
  }
}

const UNLISTED: Outcome = failUnsent(
  makeFailure("OVERLOADED", {
    hint: "The list that the loop goes over could not be written down; nothing was sent.",
  }),
);

interface KeepOptions {
  /** Bytes that its result may take. */
  readonly mostBytes: number;
  /** Somebody reads it. */
  readonly isShown: boolean;
}

/** Make the entry of a step that has ended; null for one that was skipped. */
export function keepStep(id: string, outcome: Outcome, { mostBytes, isShown }: KeepOptions): KeptStep | null {
  if (outcome.status === "skipped") return null;
  const json = toStoredOutcome(fitOutcome(outcome, mostBytes));
  if (!staysOpen(outcome)) return { id, outcomeJson: json };
  return { id, outcomeJson: null, ...(isShown && { shownJson: json }) };
}

export function isLoop({ task }: Pick<Step, "task">): boolean {
  return task.ok && task.value.forEach !== undefined;
}

/** The places of the steps whose data a loop refers to. */
function listsOf({ edges }: Pick<Step, "edges">): readonly number[] {
  return edges.flatMap(({ from, reason }) => (reason === "reference" ? [from] : []));
}

/**
 * Leave out the reads of which earlier attempts kept a part: they are made again, unless a loop over them has begun. That goes over
 * what it began with, or no further.
 */
export function withoutCut(steps: Plan["steps"], kept: readonly KeptStep[]): readonly KeptStep[] {
  const begun = new Set(kept.map(({ id }) => id.split(ELEMENT)[0]!));
  const lists = new Set(steps.filter((step) => isLoop(step) && begun.has(step.id)).flatMap(listsOf));
  const readAgain = new Set(
    steps.flatMap((step) => (isWrite(step) || lists.has(step.index) ? [] : [step.id])),
  );
  return kept.filter(({ id, outcomeJson }) => !readAgain.has(id) || !isCut(outcomeJson));
}

/** Whether a kept outcome was cut to fit. */
export function isCut(outcomeJson: string | null): boolean {
  if (outcomeJson === null) return false;
  const { meta } = JSON.parse(outcomeJson) as Pick<Outcome, "meta">;
  return meta.truncated !== undefined;
}

/** Whether a step was stopped before its end or has never begun, and is left to a later attempt. */
export function isUnfinished(outcome: Outcome): boolean {
  if (!("error" in outcome) || outcome.status === "unknown" || outcome.meta.replayed === true) return false;
  const { code } = outcome.error;
  return code === "CANCELLED" || (code === "RATE_LIMITED" && outcome.meta.attempts === undefined);
}

/**
 * Whether the next attempt finds a write as one that was about to be sent: it is in doubt, and not told as lost for good. That one sends
 * it again under the same key where its tool says that it may be.
 */
function staysOpen(outcome: Outcome): boolean {
  if (outcome.status === "unknown") return outcome.error.retryable;
  return outcome.status === "error" && isInDoubt(outcome);
}

function isWrite({ task }: Step): boolean {
  return task.ok && task.value.tool.isWrite;
}

/**
 * Say the steps that a run's earlier attempts have left, in the words in which keys say them of a batch: an ended step is done,
 * and one that was about to be sent is in doubt. A failed step is run again.
 *
 * @param hasFailed says whether this attempt itself has made a failed step, in an earlier turn
 */
export function resumeRun(
  { steps }: Pick<Plan, "steps">,
  {
    spec,
    fence,
  }: Pick<JobClaim, "fence"> & { readonly spec: Pick<JobClaim["spec"], "id" | "idempotencyKey"> },
  kept: readonly KeptStep[],
  hasFailed: (outcomeJson: string) => boolean = () => false,
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
    const failed = status === "error";
    return failed && !hasFailed(json) ? [] : [{ index, state: { kind: "done", answer: { json, failed } } }];
  });
  return {
    asked,
    claimed: { batch: { kind: "claimed", seed, inDoubt: false }, actions },
    retaken,
    attempt: { jobId: spec.id, fence },
  };
}

/** Where somebody reads the entries, failures are kept too. */
interface ElementJournalOptions extends KeepOptions {
  readonly ledger: Ledger;
}

/**
 * The journal of one slice of a loop. How an element ended is written down with the beginning of the next write, so a write costs
 * one call of the object, and the reads of a slice cost one together.
 */
export class ElementJournal implements Journal {
  readonly #options: ElementJournalOptions;
  #ended: KeptStep[] = [];
  readonly #begun = new Set<string>();
  /** Whether the attempt may send nothing any more. */
  #isLost = false;

  constructor(options: ElementJournalOptions) {
    this.#options = options;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async begin({ id }: Step): Promise<boolean> {
    this.#begun.add(id);
    const isIts = await this.#options.ledger.begin(id, this.#take());
    this.#isLost ||= !isIts;
    return isIts;
  }

  end({ id }: Step, outcome: Outcome): void {
    if (outcome.meta.replayed === true) return;
    const { isShown } = this.#options;
    // One that had begun and sent nothing says so: else it would be in doubt.
    const isWorth = outcome.status !== "error" || (isShown && !isUnfinished(outcome)) || this.#begun.has(id);
    const kept = isWorth ? keepStep(id, outcome, this.#options) : null;
    if (kept !== null) this.#ended.push(kept);
  }

  /** Write down what has ended. An entry that is lost leaves a read to be made again, and a write in doubt. */
  async flush(): Promise<void> {
    const ended = this.#take();
    if (ended.length === 0) return;
    const written = await attempt(() => this.#options.ledger.end(ended));
    this.#isLost ||= written.ok && !written.value;
  }

  #take(): readonly KeptStep[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}
