import { makeFailure, toWireFailure } from "../../../core/contract/failure.ts";
import { isFailure, isInDoubt, type Outcome } from "../../../core/contract/outcome.ts";
import type {
  Closed,
  FactsOfJob,
  KeptBatch,
  KeptCall,
  KeptLater,
  Keeper,
  KeptOutput,
  KeptRun,
} from "../../../core/gate/execution.ts";
import type { Tool } from "../../../core/catalog/define-tool.ts";
import { attempt, ok } from "../../../core/kit/result.ts";
import { sleep } from "../../../core/kit/sleep.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import { nameInside } from "../undo-machine.ts";
import * as LIMITS from "../limits.ts";
import { argsOf, findReversal, sealReversal, type SecretReversal, wayBackOf } from "../resolve-reversal.ts";
import {
  callUndo,
  type BegunJob,
  type ClosedRun,
  jobsInLoop,
  keyOf,
  type Look,
  nameOf,
  type RunFacts,
  type SealArgs,
  toMember,
  undoneOf,
  type BegunWrite,
  type Irreversible,
  type Reversal,
  undoKeyOf,
  type UndoState,
  type WriteEnd,
  type WritePlace,
} from "../undo-run.ts";
import { followUndo, tellEntries, UNKNOWN } from "./follow-undo.ts";

/** The batch that another is a part of. */
interface Outer {
  readonly writes: KeptWrites;
  /** Name a call of the part. */
  readonly placeOf: (id: string, element: number | null) => WritePlace;
  /** The actions that an action of the part depends on, with those among the part's own that it does. */
  readonly needsOf: (id: string, own: readonly string[]) => readonly string[];
}

interface KeptWays {
  readonly seal: SealArgs;
  readonly outer?: Outer | null;
  /** It adds to the writes of a run that is there already. */
  readonly goesOn?: boolean;
}

/** How a write ended, with arguments that are not sealed yet. */
type FoundEnd =
  | Exclude<WriteEnd, { readonly kind: "done" }>
  | (Omit<Extract<WriteEnd, { readonly kind: "done" }>, "by"> & {
      readonly by: Reversal | SecretReversal | Irreversible;
      readonly tool: string;
    });

/** The writes of one run, which are taken back should it fail; those of a flow are its action's. */
export class KeptWrites implements KeptBatch {
  readonly #plan: Plan;
  readonly #run: KeptRun;
  readonly #outer: Outer | null;
  readonly #begun = new Map<string, Promise<boolean>>();
  readonly #ends: Promise<unknown>[] = [];
  #hasJobs = false;
  readonly #needs: readonly (readonly string[])[];
  /** The actions that wait for a person, with those that each depends on. */
  readonly #asked: Record<string, readonly string[]> = {};
  /** It adds to the writes of a run that is there already. */
  readonly #goesOn: boolean;
  readonly #seal: SealArgs;
  #seq: number;
  #isClosed = false;
  #cancelHold = (): void => {};

  constructor(plan: Plan, run: KeptRun, { seal, outer = null, goesOn = false }: KeptWays) {
    this.#plan = plan;
    this.#run = run;
    this.#outer = outer;
    const needs = needsOf(plan);
    this.#needs =
      outer === null ? needs : plan.steps.map(({ id, index }) => outer.needsOf(id, needs[index]!));
    // Each attempt of a job counts on from those before it.
    const { ports, within } = run.execution;
    this.#seq = goesOn ? ports.clock.now() * 1_000 : (within?.resumed?.attempt.fence ?? 0) * SEQS;
    this.#goesOn = goesOn;
    this.#seal = seal;
  }

  /** Begin to run it. */
  start(): this {
    if (this.#goesOn) this.#hold();
    return this;
  }

  get later(): KeptLater {
    return { run: this.#run.batchId };
  }

  /** Look after some elements of its loops, which run as a batch of their own: each action of that is named after one. */
  ofElements(plan: Plan): KeptWrites {
    const split = (name: string): WritePlace => {
      const [id = "", element] = name.split(ELEMENT);
      return { id, element: Number(element) };
    };
    const indexOf = (name: string): number => this.#plan.steps.findIndex(({ id }) => id === split(name).id);
    return new KeptWrites(plan, this.#run, {
      seal: this.#seal,
      outer: { writes: this, placeOf: split, needsOf: (name) => this.#needs[indexOf(name)]! },
    });
  }

  inside({ step, element }: Pick<KeptCall, "step" | "element">): Keeper {
    const { id } = this.#placeOf(step, element);
    const outer: Outer = {
      writes: this,
      placeOf: (action, inner) => ({
        ...this.#placeOf(step, element),
        action: inner === null ? action : `${action}.${inner}`,
      }),
      needsOf: (_, own) => [...own.map((action) => nameInside(id, action)), ...this.#needs[step.index]!],
    };
    const open = (plan: Plan): KeptWrites => new KeptWrites(plan, this.#run, { seal: this.#seal, outer });
    // Its writes were looked at with the batch.
    return { take: ok, open, facts: (plan) => open(plan).factsOfJob };
  }

  begin({ step, element, call }: KeptCall): Promise<boolean> {
    const look = { argsJson: JSON.stringify(call.args), timeoutMs: call.timeoutMs };
    const place = this.#placeOf(step, element);
    return this.#root.#begin({ ...this.#writeOf(call.tool, step.index, look), ...place, seq: this.#next() });
  }

  /** A write of an action, without its place. */
  #writeOf({ name, domain }: Tool, index: number, look: Look): Omit<BegunWrite, keyof WritePlace> {
    const isLooked = this.#run.execution.catalog.verifierOf(name) !== undefined;
    return { tool: name, domain, needs: this.#needs[index]!, ...(isLooked && { look }) };
  }

  end(at: KeptCall, outcome: Outcome, output?: KeptOutput): void {
    const place = this.#placeOf(at.step, at.element);
    this.#root.#end(place, this.#toEnd(at, outcome, output));
  }

  get #root(): KeptWrites {
    return this.#outer === null ? this : this.#outer.writes.#root;
  }

  #next(): number {
    const root = this.#root;
    root.#seq += 1;
    return root.#seq;
  }

  #placeOf({ id }: Step, element: number | null): WritePlace {
    return this.#outer === null ? { id, element } : this.#outer.placeOf(id, element);
  }

  #begin(write: BegunWrite): Promise<boolean> {
    const { batchId, execution } = this.#run;
    if (this.#isIdle) this.#hold();
    const begun = callUndo(execution.gate, "begin", batchId, write, this.#facts);
    this.#begun.set(keyOf(write), begun);
    return begun;
  }

  #end(place: WritePlace, ended: FoundEnd): void {
    const { execution, batchId } = this.#run;
    const { defer, ports, gate } = execution;
    const write = async (): Promise<void> => {
      await attempt(() => this.#begun.get(keyOf(place))!);
      const end = await this.#sealed(place, ended);
      const written = (): Promise<unknown> => callUndo(gate, "end", batchId, place, end);
      const first = await attempt(written);
      if (first.ok) return;
      await sleep(ports.clock, LIMITS.undoAskAgainMs);
      // A second one that fails leaves the write in doubt.
      await attempt(written);
    };
    const writing = write();
    this.#ends.push(writing);
    defer(writing);
  }

  /** Seal the arguments that may not be kept as they are. */
  async #sealed(place: WritePlace, ended: FoundEnd): Promise<WriteEnd> {
    if (ended.kind !== "done") return ended;
    const { execution, batchId } = this.#run;
    const { tenant } = execution.caller;
    const own = { tool: ended.tool, tenant, sealedFor: undoKeyOf(batchId, keyOf(place)) };
    return { ...ended, by: await sealReversal(ended.by, own, this.#seal) };
  }

  readonly factsOfJob: FactsOfJob = ({ step, element, call: { tool, timeoutMs } }) => {
    if (!tool.isWrite) return {};
    const write = {
      // Its arguments are in its row.
      ...this.#writeOf(tool, step.index, { argsJson: "{}", timeoutMs }),
      ...this.#placeOf(step, element),
      job: { by: wayBackOf(tool, this.#run.execution.catalog) },
    };
    return { kept: JSON.stringify([this.#run.batchId, write, this.#root.#facts] satisfies BegunJob) };
  };

  saw({ task }: Step, outcome: Outcome): void {
    if (!task.ok || task.value.tool.execution !== "fire-and-forget" || !task.value.tool.isWrite) return;
    const isJob = outcome.status === "initiated";
    if (!isJob && (outcome.status !== "success" || jobsInLoop(outcome.data).length === 0)) return;
    const root = this.#root;
    if (root.#isIdle) root.#hold();
    root.#hasJobs = true;
  }

  async close(outcomes: readonly Outcome[]): Promise<Closed> {
    const asked = this.#findAsked(outcomes);
    // The batch around it decides.
    if (this.#outer !== null) return { outcomes, members: "" };
    await Promise.all(this.#ends);
    const isFailed = outcomes.some(isFailure);
    const isJob = this.#facts.jobId !== undefined;
    if (!isJob) {
      this.#isClosed = true;
      this.#cancelHold();
    }
    const closed = { ...asked, isFailed };
    const isIdle = this.#isIdle && asked.questions.length === 0;
    const begun = isIdle ? (isFailed ? NOTHING : null) : await this.#ask(closed);
    if (isJob || begun === null) return { outcomes, members: "" };
    const { entries } = await this.#follow(begun);
    const told = outcomes.map((outcome, index): Outcome => {
      if (outcome.status === "pending_confirmation") return WITHDRAWN;
      const undone = undoneOf(this.#plan.steps[index]!.id, entries);
      if (undone === undefined) return outcome;
      const note = NOTES[`${undone}`];
      return { ...outcome, meta: { ...outcome.meta, note, more: { undone } } };
    });
    return { outcomes: told, members: toMember(entries) };
  }

  /** Find the actions that wait for people, and with which questions. */
  #findAsked(outcomes: readonly Outcome[]): Omit<ClosedRun, "isFailed"> {
    const needs = this.#root.#asked;
    const questions = new Set<string>();
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status !== "pending_confirmation") continue;
      questions.add(outcome.confirmation.id);
      needs[nameOf(this.#placeOf(this.#plan.steps[index]!, null))] = this.#needs[index]!;
    }
    const answered = this.#plan.approved?.question;
    return { questions: [...questions], needs, answered };
  }

  /** Nothing was written down yet. */
  get #isIdle(): boolean {
    return !this.#goesOn && !this.#hasJobs && this.#begun.size === 0;
  }

  get #facts(): RunFacts {
    const { caller, origin, within, watch, callback } = this.#run.execution;
    const { account, requestId } = origin;
    // A conversation's run is one for all of its rounds.
    const joined = within?.outer === undefined ? watch?.joined : undefined;
    return {
      caller,
      requestId,
      account,
      callback,
      jobId: within?.resumed?.attempt.jobId,
      runs: joined === undefined ? undefined : [joined],
    };
  }

  #toEnd({ call }: KeptCall, outcome: Outcome, output?: KeptOutput): FoundEnd {
    const seq = this.#next();
    if (outcome.status === "error" || outcome.status === "unknown")
      return isInDoubt(outcome)
        ? { kind: "doubt", seq, error: toWireFailure(outcome.error) }
        : { kind: "void" };
    if (outcome.status !== "success") return { kind: "void" };
    const { tool } = call;
    const way = wayBackOf(tool, this.#run.execution.catalog);
    const { value, redact = (json: string) => json } = output ?? {};
    const found = findReversal(way, { tool: tool.name, args: argsOf(call), output: value }, redact);
    const { accounts } = outcome.meta;
    const by = accounts === undefined || !("delivery" in found) ? found : { ...found, accounts };
    return { kind: "done", seq, by, tool: tool.name };
  }

  /** Say from time to time that the run goes on. */
  #hold(): void {
    if (this.#facts.jobId !== undefined) return;
    const { execution, batchId } = this.#run;
    const { clock } = execution.ports;
    this.#cancelHold = clock.after(LIMITS.undoLeaseMs / 3, () => {
      void attempt(() => callUndo(execution.gate, "hold", batchId)).then(() => {
        if (!this.#isClosed) this.#hold();
      });
    });
  }

  /** Look what becomes of writes that are being taken back until the batch's time is over. */
  #follow(begun: UndoState): Promise<UndoState> {
    const { execution, batchId, endsAt } = this.#run;
    const { gate, ports, listener } = execution;
    const onEvent = listener?.onEvent;
    return followUndo(begun, {
      clock: ports.clock,
      endsAt,
      look: () => callUndo(gate, "looks", [batchId]),
      onState: onEvent && tellEntries(batchId, onEvent),
    });
  }

  /** Tell the object how the run ended, a few times where it does not answer. Where it never does, its lease ends, and then it is undone. */
  async #ask(closed: ClosedRun): Promise<UndoState | null> {
    const { execution, batchId } = this.#run;
    for (let again = 0; again < LIMITS.undoAsks; again += 1) {
      const asked = await attempt(() => callUndo(execution.gate, "close", batchId, this.#facts, closed));
      if (asked.ok) return asked.value;
      await sleep(execution.ports.clock, LIMITS.undoAskAgainMs);
    }
    return UNKNOWN;
  }
}

/** More than the writes of one attempt. */
const SEQS = 1_000_000;

/** An action whose question was withdrawn, because the rest of its batch had failed by then. */
const WITHDRAWN: Outcome = {
  status: "error",
  error: makeFailure("CONFIRMATION_REJECTED", {
    hint: "The batch failed at another action, and the question was withdrawn; nothing of this action was sent.",
  }),
  meta: {},
};

/** Words for the model that asked, by whether all that its action did is taken back. */
const NOTES = {
  true: "taken back: another call of the batch failed, and nothing of what this one did stands",
  false: "what it did stands, or is not yet undone: look before you call it again",
  unknown: "whether what it did stands is not known: look before you call it again",
} as const;

const NOTHING: UndoState = { entries: [], isSettled: true };

/** The ids of the actions that each step of a plan depends on, also through others. */
function needsOf({ steps }: Plan): readonly (readonly string[])[] {
  const known = new Map<number, ReadonlySet<number>>();
  const needsOfStep = (index: number): ReadonlySet<number> => {
    const found = known.get(index);
    if (found !== undefined) return found;
    const needs = new Set(steps[index]!.needs.flatMap((needed) => [needed, ...needsOfStep(needed)]));
    known.set(index, needs);
    return needs;
  };
  return steps.map(({ index }) => [...needsOfStep(index)].map((needed) => steps[needed]!.id));
}

/** Whether each action of a plan is an element of a loop. */
export function namesElements({ steps }: Plan): boolean {
  return steps.every(({ id }) => id.includes(ELEMENT));
}

/** Stands between the id of an action and the number of an element, where each element is an action; no id has one. */
const ELEMENT = ":";
