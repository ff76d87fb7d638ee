import { combineElements } from "../../../core/answer/combine-elements.ts";
import { NOT_BEGUN } from "../../../core/answer/failed-outcome.ts";
import { fromStoredOutcome, toStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import type { AnswerBudget } from "../../../core/answer/envelope.ts";
import { makeFailure } from "../../../core/contract/failure.ts";
import type { JobClaim } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";
import { isConsequence, isMet, type Outcome } from "../../../core/contract/outcome.ts";
import { admit } from "../../../core/gate/admission.ts";
import type { Execution, Inside, Journal, Resumed } from "../../../core/gate/execution.ts";
import { attempt, ok } from "../../../feature/refuse.ts";
import { sleep } from "../../../feature/kit.ts";
import {
  ASKED_ELEMENT,
  type BegunElement,
  type Plan,
  type Step,
  type Task,
} from "../../../core/plan/step.ts";
import { refuseParked } from "../../../core/run/fail-parked.ts";
import { runAdmitted } from "../../../core/run/run-admitted.ts";
import { ELEMENT, type KeptStep } from "../flow-run.ts";
import { ElementJournal, isCut, isUnfinished, keepStep, type Ledger, resumeRun } from "./run-journal.ts";

type RunLoop = NonNullable<Journal["runLoop"]>;
type Calls = Parameters<RunLoop>[1];

export interface LongLoopOptions {
  readonly claim: JobClaim;
  readonly ledger: Ledger;
  /** The entries that earlier attempts left. */
  readonly kept: readonly KeptStep[];
  readonly execution: Execution;
  /** The id of the run that they are of, which its jobs and events name. */
  readonly batchId: string;
  readonly answer: AnswerBudget;
  /** Bytes that the kept results of all loops may take. */
  readonly keptBytes: number;
  readonly loops: number;
  /** Somebody reads the entries, so failures are kept too. */
  readonly isShown?: boolean;
  /** A person is asked about elements that are in doubt; without, they stay so. */
  readonly asks?: boolean;
  /** Whether this attempt itself has made an element that failed, in an earlier turn. */
  readonly hasFailed?: (outcomeJson: string) => boolean;
  /** Aborted, by time or by a loop that has had its elements, when nothing more is to begin in this turn; absent where there are no turns. */
  readonly closing?: AbortController;
  /** Whether something comes after a loop, which may refer to all of it: then what was cut of one that a turn can end is read again. */
  readonly isNeeded?: (step: Step) => boolean;
  /** Told how many elements a loop has, once that is known. */
  readonly onLoop?: (step: Step, elements: number) => void;
  /** Told that the attempt may send nothing any more. */
  readonly onLost?: () => void;
  /** Says by which keys a slice goes on, where they are not those of its own job. */
  readonly resume?: (slice: Plan, resumed: Omit<Resumed, "journal">) => Omit<Resumed, "journal">;
}

/** A loop while it runs. */
interface Running {
  readonly step: Step;
  readonly task: Task;
  readonly calls: Calls;
  readonly inside: Inside;
  readonly journal: ElementJournal;
  /** How many elements may still begin. */
  readonly room: { left: number };
}

/**
 * The loops of one attempt of a run. The elements run in slices, each a batch of its own, so that a thousand never wait for a place
 * at once. Each element has an entry in the journal: a write before it is sent, and all of them once they have ended. So the next
 * attempt knows of each element whether it is over, and does only the others.
 *
 * An element whose tool has no room in its rate limit waits for it, as long as there is time.
 */
export class LongLoops {
  readonly #options: LongLoopOptions;
  readonly #kept: ReadonlyMap<string, string | null>;
  readonly #failures: Outcome[] = [];
  readonly #untold: KeptStep[] = [];

  constructor(options: LongLoopOptions) {
    this.#options = options;
    this.#kept = new Map(options.kept.map(({ id, outcomeJson }) => [id, outcomeJson]));
  }

  /** The ends of elements that have not succeeded, those among them that have not begun. */
  get failures(): readonly Outcome[] {
    return this.#failures;
  }

  /** The entries of elements that were not begun: a run that is over keeps them too, where somebody reads them. */
  get untold(): readonly KeptStep[] {
    return this.#untold;
  }

  /** Run a loop: one outcome for all of its elements. */
  readonly run: RunLoop = async (step, calls, inside) => {
    const { execution, ledger, keptBytes, loops, isShown = false, onLoop } = this.#options;
    const { clock } = execution.ports;
    const startedAt = clock.now();
    onLoop?.(step, calls.length);
    const task = taskOf(step);
    const keeping = { mostBytes: Math.floor(keptBytes / Math.max(1, loops * calls.length)), isShown };
    const journal = new ElementJournal({ ledger, ...keeping });
    const room = { left: this.#roomOf(task) };
    const outcomes: Outcome[] = [];
    for (let from = 0; from < calls.length; from += LIMITS.loopElements) {
      const slice = [...calls.keys()].slice(from, from + LIMITS.loopElements);
      // Timers have their chance: calls that never leave the platform keep them out, that of the time limit too.
      if (from > 0) await attempt(() => sleep(clock, 0, inside.signal));
      const failed = isFailFast(task) ? outcomes.findIndex((one) => !isMet(one) && !isConsequence(one)) : -1;
      outcomes.push(
        ...(failed === -1
          ? await this.#runSlice(slice, { step, task, calls, inside, journal, room })
          : slice.map(() => abortedAfter(failed))),
      );
    }
    for (const [element, outcome] of outcomes.entries()) {
      if (isMet(outcome) || outcome === ASKED) continue;
      this.#failures.push(outcome);
      const entry =
        outcome.meta.attempts === undefined ? keepStep(nameOf(step, element), outcome, keeping) : null;
      if (entry !== null) this.#untold.push(entry);
    }
    if (outcomes.includes(ASKED) && !outcomes.some(isUnfinished))
      return { asks: { kind: "loop", elements: outcomes.map(toBegun) } };
    const durationMs = clock.now() - startedAt;
    const { idempotent: repeatable } = task.tool;
    return combineElements(outcomes, { failFast: isFailFast(task), repeatable, durationMs });
  };

  async #runSlice(slice: readonly number[], loop: Running): Promise<readonly Outcome[]> {
    const { closing, execution } = this.#options;
    const { clock } = execution.ports;
    const { inside, journal } = loop;
    const outcomes = new Map<number, Outcome>();
    const isOver = (): boolean =>
      inside.signal.aborted || closing?.signal.aborted === true || clock.now() >= inside.endsAt;
    for (let left = slice; left.length > 0;) {
      const done = new Map(left.flatMap((element) => this.#doneOf(element, loop)));
      const open = left.filter((element) => !done.has(element));
      const begun = isOver() ? [] : open.slice(0, loop.room.left);
      loop.room.left -= begun.length;
      const made = begun.length === 0 ? [] : await this.#runElements(begun, loop);
      // The steps after the loop must not begin before the rest of it.
      if (begun.length < open.length) closing?.abort();
      for (const [at, element] of begun.entries()) done.set(element, made[at]!);
      const ran = left.map((element) => done.get(element) ?? unbegun(clock.now() >= inside.endsAt));
      for (const [at, element] of left.entries()) outcomes.set(element, ran[at]!);
      left = left.filter((element) => waitOf(outcomes.get(element)!) > 0);
      const waitMs = Math.max(...left.map((element) => waitOf(outcomes.get(element)!)));
      if (left.length === 0 || clock.now() + waitMs >= inside.endsAt) break;
      await journal.flush();
      const until = closing === undefined ? inside.signal : AbortSignal.any([inside.signal, closing.signal]);
      if (!(await attempt(() => sleep(clock, waitMs, until))).ok) break;
    }
    await journal.flush();
    if (journal.isLost) this.#options.onLost?.();
    return slice.map((element) => outcomes.get(element)!);
  }

  /** How many elements may begin in this attempt. The ids of jobs depend on those that are recorded with them, always a slice. */
  #roomOf({ tool }: Task): number {
    const { closing, loops } = this.#options;
    if (closing === undefined) return Number.POSITIVE_INFINITY;
    if (tool.execution !== "sync") return LIMITS.loopElements;
    return Math.max(1, Math.floor(LIMITS.batchSliceElements / loops));
  }

  /** The outcome of an element that an earlier attempt has done; none where it has to be looked at. */
  #doneOf(element: number, loop: Running): readonly (readonly [number, Outcome])[] {
    const { task, inside } = loop;
    const [kept] = this.#keptOf(element, loop);
    if (kept === undefined) return [];
    const { isWrite, idempotent, inner } = task.tool;
    const isOpen = kept.outcomeJson === null || kept.outcomeJson.startsWith('{"status":"unknown"');
    const mayAsk = this.#options.asks === true && isWrite && !idempotent && inner === undefined;
    if (isOpen && mayAsk) return [[element, ASKED]];
    if (kept.outcomeJson === null) return [];
    const outcome = fromStoredOutcome(kept.outcomeJson, inside.budget);
    if (!isMet(outcome) && this.#options.hasFailed?.(kept.outcomeJson) !== true) return [];
    return [[element, this.#options.answer.admitElement(outcome, isWrite)]];
  }

  /** Run some elements as a batch. */
  async #runElements(elements: readonly number[], loop: Running): Promise<readonly Outcome[]> {
    const { execution, claim, answer, batchId } = this.#options;
    const { step, task, calls, inside, journal } = loop;
    const { ports } = execution;
    const { tool } = task;
    const inOrder = tool.isWrite && tool.execution === "sync";
    const steps = elements.map((element, index): Step => {
      const call = calls[element]!;
      return {
        index,
        id: nameOf(step, element),
        toolName: step.toolName,
        needs: [],
        after: inOrder && index > 0 ? [index - 1] : [],
        edges: [],
        parking: null,
        remaining: 1,
        task: call.ok ? ok({ ...task, input: call.value.input, call: call.value, forEach: undefined }) : call,
      };
    });
    const plan: Plan = {
      steps,
      onError: isFailFast(task) ? "fail-fast" : "partial-success",
      deadlineMs: Math.max(1, inside.endsAt - ports.clock.now()),
      demotes: false,
      maxTokens: null,
      handles: [],
      sharesReads: true,
    };
    const { idempotencyKey, id } = claim.spec;
    // Calls are told apart by their elements, and jobs by the seed of their slice.
    const seed =
      tool.execution === "sync"
        ? idempotencyKey
        : await seedOfSlice(`${idempotencyKey} ${step.id} ${elements.join()}`, ports.sha256);
    const kept = elements.flatMap((element) => this.#keptOf(element, loop));
    const own = resumeRun(plan, { spec: { id, idempotencyKey: seed }, fence: claim.fence }, kept);
    const resumed = this.#options.resume?.(plan, own) ?? own;
    // A slice is no batch that anybody asked for: neither the operator nor the log of runs is told of it.
    const { watch: _, batchKey: __, ...around } = execution;
    const within: Execution = {
      ...around,
      within: { inside, isCounted: true, answer, batchId, resumed: { ...resumed, journal } },
      signal: inside.signal,
      listener: {},
    };
    const admission = await admit(plan, within);
    if (!admission.ok) {
      const error = makeFailure("OVERLOADED", { hint: admission.error.refusal.hint });
      return steps.map(() => ({ status: "error", error, meta: {} }));
    }
    const { outcomes } = await runAdmitted(admission.value, within, {
      lost: inside.signal,
      closing: this.#options.closing?.signal,
      park: (parked) => Promise.resolve(refuseParked(parked)),
    });
    // Nothing but another element can have kept one back.
    return outcomes.map((outcome) =>
      outcome.status === "skipped" ? { status: "error", error: outcome.error, meta: {} } : outcome,
    );
  }

  /** The entry of an element that an earlier attempt left; none of a read of which not everything was kept, where that is needed. */
  #keptOf(element: number, { step, task, calls }: Running): readonly KeptStep[] {
    const id = nameOf(step, element);
    const outcomeJson = this.#kept.get(id);
    if (outcomeJson === undefined) return [];
    const isDone =
      task.tool.isWrite || this.#options.isNeeded?.(step) === false || calls.length > this.#roomOf(task);
    return isDone || !isCut(outcomeJson) ? [{ id, outcomeJson }] : [];
  }
}

/** The outcome of an element that a person is asked about, until then. */
const ASKED: Outcome = {
  status: "unknown",
  error: makeFailure("INTERNAL", { hint: "It may have taken effect in an earlier run." }),
  meta: {},
};

function toBegun(outcome: Outcome): BegunElement {
  if (outcome === ASKED || outcome.status === "skipped") return ASKED_ELEMENT;
  return { kind: "over", outcomeJson: toStoredOutcome(outcome) };
}

function nameOf({ id }: Step, element: number): string {
  return `${id}${ELEMENT}${element}`;
}

/** It was not begun, for want of time: that of the attempt, or of the whole. */
function unbegun(isOver: boolean): Outcome {
  return isOver ? { status: "error", error: makeFailure("DEADLINE_EXCEEDED"), meta: {} } : NOT_BEGUN;
}

function abortedAfter(element: number): Outcome {
  const hint = `Element ${element} failed first; fix it and run the loop again over what did not succeed.`;
  return { status: "error", error: makeFailure("ABORTED", { hint }), meta: {} };
}

/** How long an element is to wait for its tool's rate limit; 0 where it has not been turned away. */
function waitOf(outcome: Outcome): number {
  if (outcome.status !== "error" || !isUnfinished(outcome)) return 0;
  return outcome.error.code === "RATE_LIMITED" ? Math.max(1, outcome.error.retryAfterMs ?? 0) : 0;
}

function isFailFast({ tool }: Task): boolean {
  return tool.onError === "fail-fast" && tool.execution === "sync";
}

function taskOf({ id, task }: Step): Task {
  if (!task.ok) throw new Error(`Cannot run the loop '${id}': it was refused`);
  return task.value;
}

/** Make the seed of one slice of a loop: a UUID that is the same in every attempt. */
async function seedOfSlice(text: string, sha256: (text: string) => Promise<string>): Promise<string> {
  const hex = await sha256(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
