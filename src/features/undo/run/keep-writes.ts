import { makeFailure } from "../../../core/contract/failure.ts";
import { isFailure, isInDoubt } from "../../../core/contract/outcome.ts";
import type { Outcome, Tool } from "../../../feature/tool.ts";
import type {
  Closed,
  FactsOfJob,
  KeptBatch,
  KeptCall,
  KeptOutput,
  KeptRun,
} from "../../../core/gate/execution.ts";
import { type Clock, sleep } from "../../../feature/kit.ts";
import { attempt, ok, type Result } from "../../../feature/refuse.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import { nameOf } from "../undo-machine.ts";
import * as LIMITS from "../limits.ts";
import { argsOf, findReversal, inAccounts, wayBackOf } from "../resolve-reversal.ts";
import {
  type Back,
  type BegunWrite,
  type ClosedRun,
  jobsInLoop,
  keyOf,
  type KeptWrite,
  type RunFacts,
  type Seal,
  type SecretReversal,
  toMember,
  undoneIn,
  undoKeyOf,
  type UndoState,
  type WriteEnd,
  type WritePlace,
} from "../undo-run.ts";
import { callUndo, type BegunJob } from "../undo-methods.ts";
import { followUndo, tellEntries, UNKNOWN } from "./follow-undo.ts";

/** Names the calls of a plan among the writes of its run, and what each of its actions depends on. */
interface Naming {
  readonly placeOf: (id: string, element: number | null) => WritePlace;
  /** @param own those among the actions of the plan */
  readonly needsOf: (id: string, own: readonly string[]) => readonly string[];
}

const OWN: Naming = { placeOf: (id, element) => ({ id, element }), needsOf: (_, own) => own };

/** The end of a write, with arguments that are not sealed yet. */
interface FoundEnd extends Omit<WriteEnd, "by"> {
  readonly by?: Back | SecretReversal;
}

/** Looks after a plan, and says what the jobs are to know that are recorded with it. */
interface KeptPlan extends KeptBatch {
  readonly facts: FactsOfJob;
}

/** The writes of one run, which are taken back should it fail; those of a flow are its action's. */
export class KeptWrites {
  readonly #run: KeptRun;
  readonly #seal: Seal;
  readonly #begun = new Map<string, Promise<boolean>>();
  readonly #ends: Promise<unknown>[] = [];
  /** The actions that each action of the run depends on, also through others. */
  #needs: ReadonlyMap<string, readonly string[]> = new Map();
  /** The same of those that wait for a person. */
  readonly #asked: Record<string, readonly string[]> = {};
  /** Nothing was written down yet. */
  #isIdle: boolean;
  #seq: number;
  #isClosed = false;
  #cancelHold = (): void => {};

  /** @param goesOn it adds to the writes of a run that is there already */
  constructor(run: KeptRun, seal: Seal, goesOn = false) {
    this.#run = run;
    this.#seal = seal;
    this.#isIdle = !goesOn;
    // Each attempt of a job counts on from those before it.
    const { ports, within } = run.execution;
    this.#seq = goesOn ? ports.clock.now() * 1_000 : (within?.resumed?.attempt.fence ?? 0) * SEQS;
  }

  /** Look after its plan. */
  start(plan: Plan): KeptPlan {
    if (!this.#isIdle) this.#hold();
    const kept = this.keep(plan);
    return { ...kept, close: (outcomes) => this.#close(plan, outcomes, kept) };
  }

  /** Look after some elements of its loops, which run as a batch of their own: each action of that is named after one. */
  keepElements(plan: Plan, around?: KeptRun): KeptPlan {
    const placeOf = (name: string): WritePlace => {
      const [id = "", element] = name.split(ELEMENT);
      return { id, element: Number(element) };
    };
    return this.keep(plan, { placeOf, needsOf: (name) => this.#needs.get(placeOf(name).id)! }, around);
  }

  /** Look after a plan of its run, of which another decides what becomes. */
  keep(plan: Plan, { placeOf, needsOf }: Naming = OWN, around: Partial<KeptRun> = this.#run): KeptPlan {
    const ids = around.keys ? around.ids?.() : undefined;
    const { batchId, execution } = this.#run;
    const { catalog } = execution;
    const needs = new Map(
      [...needsIn(plan)].map(([id, own]): [string, readonly string[]] => [id, needsOf(id, own)]),
    );
    if (needsOf === OWN.needsOf) this.#needs = needs;
    const writeOf = (
      { id }: Step,
      element: number | null,
      { name, domain }: Tool,
      look: KeptWrite["look"],
    ) => ({
      ...placeOf(id, element),
      tool: name,
      domain,
      needs: needs.get(id)!,
      ...(catalog.verifierOf(name) && { look }),
    });
    return {
      later: { run: batchId },
      begin: ({ step, element, names, call: { tool, args, timeoutMs } }) => {
        const write = writeOf(step, element, tool, { argsJson: JSON.stringify(args), timeoutMs });
        const key = ids?.callKey(step, element === null ? null : names!()[element]!);
        return this.#begin({ ...write, key }, ids?.seedOf(step.index).retaken);
      },
      end: ({ step, element, call }, outcome, output) =>
        this.#end(placeOf(step.id, element), call.tool.name, this.#toEnd(call, outcome, output)),
      saw: (step, outcome) => this.#saw(step, outcome),
      facts: ({ step, element, call: { tool, timeoutMs } }) => {
        if (!tool.isWrite) return {};
        // Its arguments are in its row.
        const write = writeOf(step, element, tool, { argsJson: "{}", timeoutMs });
        const job = { by: wayBackOf(tool, catalog) };
        return { kept: JSON.stringify([batchId, { ...write, job }, this.#facts] satisfies BegunJob) };
      },
      inside: ({ step: { id }, element }) => {
        const place = placeOf(id, element);
        const naming: Naming = {
          placeOf: (action, inner) => ({
            ...place,
            action: inner === null ? action : `${action}.${inner}`,
          }),
          needsOf: (_, own) => [...own.map((action) => nameOf({ id: place.id, action })), ...needs.get(id)!],
        };
        // Its writes were looked at with the batch.
        return {
          take: ok,
          open: (inner, own) => this.keep(inner, naming, own),
          facts: (inner) => this.keep(inner, naming).facts,
        };
      },
      close: async (outcomes) => {
        for (const [index, { status }] of outcomes.entries()) {
          const { id } = plan.steps[index]!;
          if (status === "pending_confirmation") this.#asked[nameOf(placeOf(id, null))] = needs.get(id)!;
        }
        return { outcomes, members: "" };
      },
    };
  }

  async #close(plan: Plan, outcomes: readonly Outcome[], kept: KeptBatch): Promise<Closed> {
    const plain = await kept.close(outcomes);
    await Promise.all(this.#ends);
    const isFailed = outcomes.some(isFailure);
    const isJob = this.#facts.jobId !== undefined;
    if (!isJob) {
      this.#isClosed = true;
      this.#cancelHold();
    }
    const asking = outcomes.flatMap((one) =>
      one.status === "pending_confirmation" ? one.confirmation.id : [],
    );
    const isIdle = this.#isIdle && asking.length === 0;
    const closed = {
      isFailed,
      questions: [...new Set(asking)],
      needs: this.#asked,
      answered: plan.approved?.question,
    };
    const begun = isIdle ? (isFailed ? NOTHING : null) : await this.#tellClosed(closed);
    if (isJob || begun === null) return plain;
    const { entries } = await this.#follow(begun);
    const told = outcomes.map((outcome, index): Outcome => {
      // The question that an earlier run asked under the same key is that one's.
      if (outcome.status === "pending_confirmation")
        return (begun.withdrawn?.includes(outcome.confirmation.id) ?? true) ? WITHDRAWN : outcome;
      const { id } = plan.steps[index]!;
      const undone = undoneIn(entries.filter((entry) => entry.id === id));
      if (undone === undefined) return outcome;
      return { ...outcome, meta: { ...outcome.meta, note: NOTES[`${undone}`], more: { undone } } };
    });
    return { outcomes: told, members: toMember(entries) };
  }

  #begin(write: BegunWrite, again?: boolean): Promise<boolean> {
    const { batchId, execution } = this.#run;
    this.#wake();
    const numbered = { ...write, seq: this.#next() };
    const begun = callUndo(execution.gate, "begin", batchId, numbered, this.#facts, again);
    this.#begun.set(keyOf(write), begun);
    return begun;
  }

  #next(): number {
    return (this.#seq += 1);
  }

  /** Write down how a call ended. Where that cannot be said, it stays in doubt. */
  #end(place: WritePlace, tool: string, { by, ...end }: FoundEnd): void {
    const { execution, batchId } = this.#run;
    const { defer, ports, gate, caller } = execution;
    const own = { tenant: caller.tenant, tool, sealedFor: undoKeyOf(batchId, keyOf(place)) };
    const write = async (): Promise<void> => {
      await attempt(() => this.#begun.get(keyOf(place))!);
      const sealed = by && { by: await this.#seal(by, own) };
      await insist(2, ports.clock, () => callUndo(gate, "end", batchId, place, { ...end, ...sealed }));
    };
    const writing = write();
    this.#ends.push(writing);
    defer(writing);
  }

  #saw({ task }: Step, outcome: Outcome): void {
    if (!task.ok || task.value.tool.execution !== "fire-and-forget" || !task.value.tool.isWrite) return;
    const isJob = outcome.status === "initiated";
    if (isJob || (outcome.status === "success" && jobsInLoop(outcome.data).length > 0)) this.#wake();
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

  #toEnd(call: KeptCall["call"], outcome: Outcome, output?: KeptOutput): FoundEnd {
    const seq = this.#next();
    const { accounts } = outcome.meta;
    const code = "error" in outcome ? outcome.error.code : undefined;
    if (outcome.status !== "success") return isInDoubt(outcome) ? { seq, accounts, code } : {};
    const { name: tool } = call.tool;
    const way = wayBackOf(call.tool, this.#run.execution.catalog);
    const by = findReversal(way, { tool, args: argsOf(call), output: output?.value }, output?.redact);
    return { seq, by: inAccounts(accounts, by) };
  }

  #wake(): void {
    if (this.#isIdle) this.#hold();
    this.#isIdle = false;
  }

  /** Say from time to time that the run goes on. */
  #hold(): void {
    if (this.#facts.jobId !== undefined) return;
    const { execution, batchId } = this.#run;
    this.#cancelHold = execution.ports.clock.after(LIMITS.undoLeaseMs / 3, () => {
      void attempt(() => callUndo(execution.gate, "hold", batchId)).then(() => {
        if (!this.#isClosed) this.#hold();
      });
    });
  }

  /** Look what becomes of writes that are being taken back until the batch's time is over. */
  #follow(begun: UndoState): Promise<UndoState> {
    const { execution, batchId, endsAt } = this.#run;
    const { onEvent } = execution.listener ?? {};
    const onState = onEvent && tellEntries(batchId, onEvent);
    return followUndo([batchId], { execution, endsAt, begun, onState });
  }

  /** Tell the object how the run ended. Where it never answers, its lease ends, and then it is undone. */
  async #tellClosed(closed: ClosedRun): Promise<UndoState | null> {
    const { execution, batchId } = this.#run;
    const tell = () => callUndo(execution.gate, "close", batchId, this.#facts, closed);
    const told = await insist(LIMITS.undoAsks, execution.ports.clock, tell);
    return told.ok ? told.value : UNKNOWN;
  }
}

/** Ask a few times, where there is no answer. */
async function insist<T>(times: number, clock: Clock, ask: () => Promise<T>): Promise<Result<T, unknown>> {
  const asked = await attempt(ask);
  if (asked.ok || times <= 1) return asked;
  await sleep(clock, LIMITS.undoAskAgainMs);
  return insist(times - 1, clock, ask);
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

/** Find the ids of the actions that each action of a plan depends on, also through others. */
function needsIn({ steps }: Plan): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  const needsOf = ({ id, needs }: Step): readonly string[] => {
    const found =
      known.get(id) ?? new Set(needs.flatMap((index) => [steps[index]!.id, ...needsOf(steps[index]!)]));
    known.set(id, [...found]);
    return known.get(id)!;
  };
  for (const step of steps) needsOf(step);
  return known;
}

/** Whether each action of a plan is an element of a loop. */
export function namesElements({ steps }: Plan): boolean {
  return steps.every(({ id }) => id.includes(ELEMENT));
}

/** Stands between the id of an action and the number of an element, where each element is an action; no id has one. */
const ELEMENT = ":";
