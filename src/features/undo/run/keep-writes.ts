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
  keyOf,
  type KeptWrite,
  type RunFacts,
  type Seal,
  toMember,
  undoneIn,
  undoKeyOf,
  type UndoState,
} from "../undo-run.ts";
import { callUndo, type BegunJob } from "../undo-methods.ts";
import { followUndo, UNKNOWN } from "./follow-undo.ts";

/** Names a call of a plan among the writes of its run, with what it depends on. @param own those of it among the actions of the plan */
type Locate = (
  id: string,
  element: number | null,
  own: readonly string[],
) => Pick<KeptWrite, "id" | "action" | "element" | "needs">;

const HERE: Locate = (id, element, needs) => ({ id, element, needs });

/** Looks after a plan, and says what the jobs are to know that are recorded with it. */
interface KeptPlan extends KeptBatch {
  readonly facts: FactsOfJob;
}

/** An element of a loop in its result: a job, where it goes on as one. */
type Element = { readonly job_id?: string } | null;

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
  readonly #closing = new AbortController();

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
    if (!this.#isIdle) void this.#hold();
    const kept = this.keep(plan);
    return { ...kept, close: (outcomes) => this.#close(plan, outcomes, kept) };
  }

  /** Look after some elements of its loops, which run as a batch of their own: each action of that is named after one. */
  keepElements(plan: Plan, around?: KeptRun): KeptPlan {
    const locate: Locate = (name) => {
      const [id = "", element] = name.split(ELEMENT);
      return { id, element: Number(element), needs: this.#needs.get(id)! };
    };
    return this.keep(plan, locate, around);
  }

  /** Look after a plan of its run, of which another decides what becomes. */
  keep(plan: Plan, locate: Locate = HERE, around: Partial<KeptRun> = this.#run): KeptPlan {
    const ids = around.keys ? around.ids?.() : undefined;
    const { batchId, execution } = this.#run;
    const { catalog } = execution;
    const own = needsIn(plan);
    if (locate === HERE) this.#needs = own;
    const at = ({ id }: Step, element: number | null) => locate(id, element, own.get(id)!);
    const writeOf = (place: ReturnType<Locate>, { name, domain }: Tool, look: KeptWrite["look"]) => ({
      ...place,
      tool: name,
      domain,
      ...(catalog.verifierOf(name) && { look }),
    });
    return {
      later: { run: batchId },
      begin: ({ step, element, names, call: { tool, args, timeoutMs } }) => {
        this.#wake();
        const sent = writeOf(at(step, element), tool, { argsJson: JSON.stringify(args), timeoutMs });
        const key = ids?.callKey(step, element === null ? null : names!()[element]!);
        const write = { ...sent, key, seq: this.#next() };
        const { retaken } = ids?.seedOf(step.index) ?? {};
        const begun = callUndo(execution.gate, "begin", batchId, write, this.#facts, retaken);
        this.#begun.set(keyOf(write), begun);
        return begun;
      },
      end: ({ step, element, call }, outcome, output) =>
        this.#end(at(step, element), call, { outcome, output }),
      saw: ({ task }, outcome) => {
        if (!task.ok || task.value.tool.execution !== "fire-and-forget" || !task.value.tool.isWrite) return;
        const elements: unknown = outcome.status === "success" ? outcome.data : [];
        const hasJobs = Array.isArray(elements) && elements.some((one: Element) => one?.job_id !== undefined);
        if (hasJobs || outcome.status === "initiated") this.#wake();
      },
      facts: ({ step, element, call: { tool, timeoutMs } }) => {
        if (!tool.isWrite) return {};
        // Its arguments are in its row.
        const write = writeOf(at(step, element), tool, { argsJson: "{}", timeoutMs });
        const job = { by: wayBackOf(tool, catalog) };
        return { kept: JSON.stringify([batchId, { ...write, job }, this.#facts] satisfies BegunJob) };
      },
      inside: ({ step, element }) => {
        const { needs, ...place } = at(step, element);
        const within: Locate = (action, inner, others) => ({
          ...place,
          action: inner === null ? action : `${action}.${inner}`,
          needs: [...others.map((other) => nameOf({ id: place.id, action: other })), ...needs],
        });
        // Its writes were looked at with the batch.
        return {
          take: ok,
          open: (inner, run) => this.keep(inner, within, run),
          facts: (inner) => this.keep(inner, within).facts,
        };
      },
      close: async (outcomes) => {
        for (const [index, { status }] of outcomes.entries()) {
          const { needs, ...place } = at(plan.steps[index]!, null);
          if (status === "pending_confirmation") this.#asked[nameOf(place)] = needs;
        }
        return { outcomes, members: "" };
      },
    };
  }

  async #close(plan: Plan, outcomes: readonly Outcome[], kept: KeptBatch): Promise<Closed> {
    const plain = await kept.close(outcomes);
    await Promise.all(this.#ends);
    const { batchId, endsAt, execution } = this.#run;
    const { gate, ports, listener: { onEvent } = {} } = execution;
    const isFailed = outcomes.some(isFailure);
    const isJob = this.#facts.jobId !== undefined;
    if (!isJob) this.#closing.abort();
    const questions = outcomes.flatMap((one) =>
      one.status === "pending_confirmation" ? one.confirmation.id : [],
    );
    const closed = {
      isFailed,
      questions: [...new Set(questions)],
      needs: this.#asked,
      answered: plan.approved?.question,
    };
    const tell = () => callUndo(gate, "close", batchId, this.#facts, closed);
    const isIdle = this.#isIdle && questions.length === 0;
    const told = isIdle ? ok(isFailed ? NOTHING : null) : await insist(LIMITS.undoAsks, ports.clock, tell);
    // Where the object never answers, the run's lease ends, and then it is undone.
    const begun = told.ok ? told.value : UNKNOWN;
    if (isJob || begun === null) return plain;
    const { entries } = await followUndo([batchId], { execution, endsAt, begun, onEvent });
    const seen = outcomes.map((outcome, index): Outcome => {
      // The question that an earlier run asked under the same key is that one's.
      if (outcome.status === "pending_confirmation")
        return (begun.withdrawn?.includes(outcome.confirmation.id) ?? true) ? WITHDRAWN : outcome;
      const { id } = plan.steps[index]!;
      const undone = undoneIn(entries.filter((entry) => entry.id === id));
      if (undone === undefined) return outcome;
      return { ...outcome, meta: { ...outcome.meta, note: NOTES[`${undone}`], more: { undone } } };
    });
    return { outcomes: seen, members: toMember(entries) };
  }

  #next(): number {
    return (this.#seq += 1);
  }

  /** Write down how a call ended. Where that cannot be said, it stays in doubt. */
  #end(
    { id, action, element }: ReturnType<Locate>,
    call: KeptCall["call"],
    { outcome, output }: { readonly outcome: Outcome; readonly output: KeptOutput | undefined },
  ): void {
    const place = { id, action, element };
    const { execution, batchId } = this.#run;
    const { defer, ports, gate, caller, catalog } = execution;
    const seq = this.#next();
    const { accounts } = outcome.meta;
    const { name: tool } = call.tool;
    const code = "error" in outcome ? outcome.error.code : undefined;
    const done = { tool, args: argsOf(call), output: output?.value };
    const by =
      outcome.status === "success"
        ? inAccounts(accounts, findReversal(wayBackOf(call.tool, catalog), done, output?.redact))
        : null;
    const own = { tool, tenant: caller.tenant, sealedFor: undoKeyOf(batchId, keyOf(place)) };
    const write = async (): Promise<void> => {
      await attempt(() => this.#begun.get(keyOf(place))!);
      const unmade = isInDoubt(outcome) ? { seq, accounts, code } : {};
      const end = by === null ? unmade : { seq, by: await this.#seal(by, own) };
      await insist(2, ports.clock, () => callUndo(gate, "end", batchId, place, end));
    };
    const writing = write();
    this.#ends.push(writing);
    defer(writing);
  }

  get #facts(): RunFacts {
    const { caller, origin, within, watch, callback } = this.#run.execution;
    const { account, requestId } = origin;
    // A conversation's run is one for all of its rounds.
    const joined = within?.outer === undefined ? watch?.joined : undefined;
    const jobId = within?.resumed?.attempt.jobId;
    return { caller, requestId, account, callback, jobId, runs: joined === undefined ? joined : [joined] };
  }

  #wake(): void {
    if (this.#isIdle) void this.#hold();
    this.#isIdle = false;
  }

  /** Say from time to time that the run goes on. */
  async #hold(): Promise<void> {
    const { execution, batchId } = this.#run;
    const { clock } = execution.ports;
    if (this.#facts.jobId !== undefined) return;
    // The object stores whole milliseconds only, also by a clock that runs as it is told.
    const ms = Math.floor(LIMITS.undoLeaseMs / 3);
    while ((await attempt(() => sleep(clock, ms, this.#closing.signal))).ok)
      await attempt(() => callUndo(execution.gate, "hold", batchId));
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
