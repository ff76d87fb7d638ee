import type { Catalog, Tool } from "../../../feature/tool.ts";
import { findReferences, type JsonObject, parseExact } from "../../../feature/schema.ts";
import { isLive } from "../../../core/gate/state/outbox.ts";
import { attempt, type Result } from "../../../feature/refuse.ts";
import { prepareTask } from "../../../core/plan/prepare-task.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import type { Gives } from "../../../feature/gives.ts";
import { argsOf, findReversal, readArgs, wayBackOf, withoutSecret } from "../resolve-reversal.ts";
import { nameOf } from "../undo-machine.ts";
import { type AskedPlace, type AskedWrite, type AskedWrites, type Back, type Way } from "../undo-run.ts";

export type Related = Extract<Awaited<ReturnType<Gives["endedRuns"]>>, { readonly ok: true }>["value"];
type EndedRun = Related["runs"][number];
type EndedAction = EndedRun["actions"][number];

/** The writes of runs that may be taken back, and what is known of their actions. */
export interface FoundWrites extends AskedWrites {
  /** The ids of all actions that there are for the key. */
  readonly ids: ReadonlySet<string>;
  /** Those of which not all is kept that their way back needs. */
  readonly lacking: Set<string>;
}

interface Placed {
  readonly run: EndedRun;
  readonly action: EndedAction;
}

/** The arguments and the output of one call, as far as they are kept. */
interface KeptCall {
  readonly args?: JsonObject | undefined;
  readonly output?: { readonly data: unknown } | undefined;
}

/** A call that took effect, or may have. */
interface EndedCall extends KeptCall {
  readonly element: number | null;
  /** The job that it is. */
  readonly jobId?: string;
  /** Whether it took effect is not known, and with which failure it ended. */
  readonly inDoubt?: boolean;
  readonly code?: string | undefined;
}

/** Find what runs have written, and how that is taken back, by what is kept of them. */
export async function findWrites(
  { runs, context: { catalog, gate, allTools } }: Related,
  only: readonly string[] | undefined,
): Promise<FoundWrites> {
  const inOrder = runs
    .flatMap((run) => run.actions.map((action): Placed => ({ run, action })))
    .toSorted((a, b) => a.action.endedAt - b.action.endedAt);
  const history = new History(runs, inOrder);
  const ids = new Set<string>();
  const lacking = new Set<string>();
  const left: (AskedPlace & { readonly tool: string })[] = [];
  const writes: Promise<AskedWrite>[] = [];

  let all: Promise<Result<Catalog, unknown>> | undefined;
  /** Whether a tool is there for some key, as far as is known. */
  const isThere = async (name: string): Promise<boolean> => {
    const found = await (all ??= attempt(allTools));
    return !found.ok || found.value.get(name) !== undefined;
  };
  /** Find when the job that a write is has ended, and by which call it is taken back if it succeeded. */
  const ofJob = async (write: AskedWrite, find: (kept: KeptCall) => Back): Promise<AskedWrite> => {
    const read = await attempt(() => gate.job(write.jobId!));
    if (!read.ok || read.value === null || isLive(read.value.status)) return write;
    const { status, updatedAt, argsJson = "{}", dataJson } = read.value;
    const before = inOrder.filter(({ action }) => action.endedAt <= updatedAt).length;
    // Those that ended behind the same write stay in their order: until the year 2128 this is below the next write.
    const placed = { ...write, seq: before - 0.5 + updatedAt / 1e13 };
    if (status !== "succeeded") return placed;
    const output = dataJson === null ? undefined : { data: parseExact(dataJson) };
    return { ...placed, by: find({ args: readArgs(argsJson), output }) };
  };

  for (const [seq, { run, action }] of inOrder.entries()) {
    const { tool: name, endedAt: sentAt, forEach, data, status } = action;
    const tool = catalog.get(name);
    // A key that may not call what takes a write back does not know of that write here.
    const back = tool?.brought?.compensate?.tool;
    if (back !== undefined && catalog.callable(back) === undefined && (await isThere(back))) continue;
    const id = run.of?.id ?? action.id;
    ids.add(id);
    const isLeft = only?.includes(id) === false;
    if (!(tool?.isWrite ?? action.isWrite)) continue;
    if (tool?.inner !== undefined) {
      // The writes of a batch that is an action stand in a run of its own.
      const isKept = runs.some(({ of }) => of?.run === run.id && of.id === action.id);
      const hasRun = status !== "skipped" && status !== "pending_confirmation";
      if (!isLeft && !isKept && hasRun) lacking.add(id);
      continue;
    }
    const hasDone = status === "success" || action.inDoubt;
    if (!isLeft && forEach !== undefined && data === undefined && hasDone) lacking.add(id);
    const by: Way = tool ? wayBackOf(tool, catalog) : { why: "is no tool any more" };
    const needs = history.needsOf(run, action);
    const sent = history.argsOf({ run, action }, tool);
    for (const { element, jobId, inDoubt, code, args, output } of callsOf(action, sent)) {
      const place = { ...placeOf(run, action.id, element), tool: name };
      const write = { ...place, domain: tool?.domain ?? name, needs, sentAt };
      const lookedFor = catalog.verifierOf(name) && (jobId === undefined ? args : {});
      const look = lookedFor && { argsJson: JSON.stringify(lookedFor), timeoutMs: tool?.timeoutMs ?? 0 };
      const ended = { ...write, seq: seq + (element ?? 0) / 1e6 };
      const find = (kept: KeptCall): Back => {
        const found = findKept(by, { ...action, ...kept });
        if (found === undefined) lacking.add(id);
        // One that a person said no to is asked about anew with what was kept of it then.
        return found ?? withoutSecret(by.compensation?.tool ?? name);
      };
      if (isLeft) left.push(place);
      else if (jobId !== undefined) writes.push(ofJob({ ...write, jobId, job: { by }, look }, find));
      else if (inDoubt === true) writes.push(Promise.resolve({ ...ended, look, code }));
      else writes.push(Promise.resolve({ ...ended, by: find({ args, output }) }));
    }
  }

  const questions = runs.flatMap(({ actions }) => actions.flatMap(({ question }) => question ?? []));
  return { writes: await Promise.all(writes), left, questions, ids, lacking };
}

/** The actions that ran, the first that ended first. */
class History {
  readonly #runs: readonly EndedRun[];
  readonly #inOrder: readonly Placed[];
  readonly #seqs: ReadonlyMap<string, number>;

  constructor(runs: readonly EndedRun[], inOrder: readonly Placed[]) {
    this.#runs = runs;
    this.#inOrder = inOrder;
    this.#seqs = new Map(inOrder.map(({ run, action }, seq) => [`${run.id}/${action.id}`, seq]));
  }

  /** The arguments of each call of an action, as they were sent; undefined where they are not kept. */
  argsOf({ run, action }: Placed, tool: Tool | undefined): readonly (JsonObject | undefined)[] {
    const { args, forEach, isResolved } = action;
    if (args === undefined || tool === undefined) return [];
    const asLiteral = ([name, value]: [string, unknown]) => [name, { $literal: value }];
    const input = isResolved ? Object.fromEntries(Object.entries(args).map(asLiteral)) : args;
    const { timeoutMs } = tool;
    const seq = this.#seqs.get(`${run.id}/${action.id}`)!;
    const prepared = prepareTask({ tool, input, forEach, timeoutMs, call: null, select: null }, (id) => {
      if (id === "input" && run.input !== undefined) return { data: run.input };
      const isIt = (one: Placed): boolean =>
        one.action.id === inRoundOf(action.id, id) &&
        one.run.of === run.of &&
        one.action.select === undefined;
      // A later run may have read it again, and found something else.
      const found =
        this.#inOrder.find((one) => one.run === run && isIt(one)) ??
        this.#inOrder.findLast((one, at) => at < seq && isIt(one));
      const { data } = found?.action ?? {};
      return data === undefined ? undefined : { data };
    });
    if (!prepared.ok) return [];
    const { value } = prepared;
    if (value.kind === "call") return [argsOf(value.call)];
    return value.calls.map((call) => (call.ok ? argsOf(call.value) : undefined));
  }

  /** The actions that one waited for, also through others. One that ended later was not waited for: it is of another round, or run. */
  needsOf(run: EndedRun, { id: own }: EndedAction): readonly string[] {
    const { of } = run;
    const sharing = of === undefined ? this.#runs.filter((one) => one.of === undefined) : [run];
    const edges = sharing.flatMap((one) => one.edges);
    const needs = new Set<string>();
    const seqOf = (id: string): number => this.#seqs.get(`${run.id}/${id}`) ?? -1;
    const visit = (id: string): void => {
      for (const { from, to } of edges) {
        const needed = inRoundOf(id, from);
        if (inRoundOf(id, to) !== id || needs.has(needed) || seqOf(needed) >= seqOf(id)) continue;
        needs.add(needed);
        visit(needed);
      }
    };
    visit(own);
    if (of === undefined) return [...needs];
    const around = this.#inOrder.find((one) => one.run.id === of.run && one.action.id === of.id);
    const theirs = around ? this.needsOf(around.run, around.action) : [];
    return [...[...needs].map((id) => nameOf({ id: of.id, action: id })), ...theirs];
  }
}

/** Name an action of the same round as another. */
function inRoundOf(other: string, id: string): string {
  const [round, own] = other.split(":");
  return own === undefined ? id : `${round}:${id}`;
}

function placeOf({ id: run, of, asker }: EndedRun, id: string, element: number | null): AskedPlace {
  if (of === undefined) return { run, id, element, asker };
  const action = element === null ? id : `${id}.${element}`;
  return { run: of.run, id: of.id, action, element: of.element ?? null, batch: run };
}

/** An action that is over, or an element of its loop, as its result has it. */
interface Ended {
  readonly status: string;
  readonly inDoubt?: boolean;
  readonly in_doubt?: boolean;
  readonly error?: { readonly code: string };
  readonly data?: unknown;
  readonly jobId?: string;
  readonly job_id?: string;
}

/** The calls of an action that took effect, or may have, and the jobs that it has become. */
function callsOf(action: EndedAction, args: ReturnType<History["argsOf"]>): readonly EndedCall[] {
  const { forEach, data } = action;
  const isLoop = forEach !== undefined;
  const all = isLoop ? (Array.isArray(data) ? (data as (Ended | null)[]) : []) : [action];
  return all.flatMap((one: Ended | null, at): EndedCall | readonly [] => {
    const { status, error, data: own, job_id, jobId = job_id, in_doubt, inDoubt = in_doubt } = one ?? NO_CALL;
    const element = isLoop ? at : null;
    if (jobId !== undefined && (isLoop || status === "initiated")) return { element, jobId };
    const output = own === undefined && !isLoop ? undefined : { data: own };
    const call = { element, args: args[at], output };
    if (status === "success") return call;
    return inDoubt || status === "unknown" ? { ...call, inDoubt: true, code: error?.code } : [];
  });
}

const NO_CALL: Ended = { status: "skipped" };

interface FoundCall extends Pick<EndedAction, "tool" | "select">, KeptCall {}

/** Find how a call is taken back by what is kept of it; undefined where that is not all. */
function findKept(by: Way, { tool, select, args, output }: FoundCall): Back | undefined {
  const done = { tool, args: args ?? {}, output: output?.data };
  if (by.compensation === undefined) return findReversal(by, done);
  const references = findReferences(by.compensation.args ?? {}, []);
  const all = references.ok ? references.value : [];
  // Other parts than those that were selected are not known.
  const selected = select?.map((pointer) => parsePointer(pointer) ?? []);
  const isThere = all.every(({ id, tokens }) => {
    if (id === "args") return args !== undefined;
    const isSelected = selected?.some((parts) => parts.every((part, at) => part === tokens[at]));
    return output !== undefined && (isSelected ?? true);
  });
  const found = isThere ? findReversal(by, done) : undefined;
  // A secret of it is not kept.
  return found?.error?.code === "NOT_REVERSIBLE" ? undefined : found;
}
