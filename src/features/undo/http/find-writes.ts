import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { Tool } from "../../../core/catalog/define-tool.ts";
import type { JsonObject } from "../../../core/contract/json.ts";
import { prepareTask } from "../../../core/plan/prepare-task.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import type { Gives } from "../../../feature/gives.ts";
import { findReferences } from "../../../feature/schema.ts";
import { argsOf, resolveReversal, wayBackOf, withoutSecret } from "../resolve-reversal.ts";
import { nameInside } from "../undo-machine.ts";
import {
  type AskedPlace,
  type AskedWrite,
  type AskedWrites,
  type Irreversible,
  jobsInLoop,
  type NoWayBack,
  type Reversal,
  type WayBack,
} from "../undo-run.ts";

export type Related = Extract<Awaited<ReturnType<Gives["endedRuns"]>>, { readonly ok: true }>["value"];
type EndedRun = Related["runs"][number];
type EndedAction = EndedRun["actions"][number];

/** The writes of runs that may be taken back, and what is known of their actions. */
export interface FoundWrites extends AskedWrites {
  /** The ids of all actions that there are for the key. */
  readonly ids: ReadonlySet<string>;
  /** The place of a job that ended then among them. */
  seqOf(endedAt: number): number;
  /** Those of which not all is kept that their way back needs. */
  readonly lacking: string[];
}

/** Find what runs have written, and how that is taken back, by what is kept of them. */
export function findWrites(
  { runs }: Pick<Related, "runs">,
  catalog: Catalog,
  only: readonly string[] | undefined,
): FoundWrites {
  const finder = new Finder(runs, catalog, only);
  for (const one of finder.inOrder) finder.take(one);
  return finder;
}

interface Placed {
  readonly run: EndedRun;
  readonly action: EndedAction;
}

/** One call that took effect, or may have. */
interface EndedCall {
  readonly element: number | null;
  readonly end: "done" | "doubt";
  readonly args: JsonObject | undefined;
  readonly output: { readonly data: unknown } | undefined;
}

class Finder implements FoundWrites {
  readonly ids = new Set<string>();
  readonly lacking: string[] = [];
  readonly left: (AskedPlace & { readonly tool: string })[] = [];
  readonly questions: readonly string[];
  readonly writes: AskedWrite[] = [];
  readonly inOrder: readonly Placed[];
  readonly #runs: readonly EndedRun[];
  readonly #catalog: Catalog;
  readonly #only: readonly string[] | undefined;
  readonly #seqs = new Map<string, number>();

  constructor(runs: readonly EndedRun[], catalog: Catalog, only: readonly string[] | undefined) {
    this.#runs = runs;
    this.#catalog = catalog;
    this.#only = only;
    this.questions = runs.flatMap(({ actions }) => actions.flatMap(({ question }) => question ?? []));
    this.inOrder = runs
      .flatMap((run) => run.actions.map((action): Placed => ({ run, action })))
      .toSorted((a, b) => a.action.endedAt - b.action.endedAt);
    for (const [seq, { run, action }] of this.inOrder.entries()) this.#seqs.set(idIn(run, action.id), seq);
  }

  take({ run, action }: Placed): void {
    const catalog = this.#catalog;
    const outer = run.of?.id ?? action.id;
    const tool = catalog.get(action.tool);
    if (tool !== undefined && isHiddenFrom(tool, catalog)) return;
    this.ids.add(outer);
    const isLeft = this.#only !== undefined && !this.#only.includes(outer);
    const own = { domain: tool?.domain ?? action.tool, tool: action.tool };
    const known = { ...own, needs: this.#needsOf(run, action), ...placeOf(run, action) };
    const seq = this.#seqs.get(idIn(run, action.id))!;
    const by = tool === undefined ? GONE : wayBackOf(tool, catalog);
    if (tool?.isWrite === false || (tool === undefined && !action.isWrite)) return;
    if (tool?.inner !== undefined) return isLeft ? undefined : this.#takeBatch(run, action);
    if (isLeft) {
      const elements = [
        ...jobsOf(action).map(([element]) => element),
        ...this.#callsOf({ run, action }, tool).map(({ element }) => element),
      ];
      this.left.push(...elements.map((element) => ({ ...known, ...inLoop(known, element) })));
      return;
    }
    const sentAt = action.endedAt;
    const timeoutMs = tool?.timeoutMs ?? 0;
    const isLooked = catalog.verifierOf(action.tool) !== undefined;
    for (const [element, jobId] of jobsOf(action)) {
      const look = isLooked && { look: { argsJson: "{}", timeoutMs } };
      this.writes.push({ ...known, ...inLoop(known, element), sentAt, jobId, job: { by }, ...look });
    }
    if (action.forEach !== undefined && action.data === undefined && endOf(action) !== null)
      return this.#lack(outer);
    for (const { element, end, args, output } of this.#callsOf({ run, action }, tool)) {
      const call = { ...known, ...inLoop(known, element), seq: seq + (element ?? 0) / 1e6, sentAt };
      if (end === "doubt") {
        const look = isLooked && args && { look: { argsJson: JSON.stringify(args), timeoutMs } };
        this.writes.push({ ...call, ...look });
      } else {
        const found = findKept(by, { ...action, args, output });
        // One that a person said no to is asked about anew with what was kept of it then.
        if (found === undefined) this.#lack(outer);
        const { tool: name } = "compensation" in by ? by.compensation : action;
        this.writes.push({ ...call, by: found ?? withoutSecret(name) });
      }
    }
  }

  seqOf(endedAt: number): number {
    const before = this.inOrder.filter(({ action }) => action.endedAt <= endedAt).length;
    // Those that ended behind the same write stay in their order: until the year 2128 this is below the next write.
    return before - 0.5 + endedAt / 1e13;
  }

  #lack(id: string): void {
    if (!this.lacking.includes(id)) this.lacking.push(id);
  }

  /** The writes of a batch that is an action stand in a run of its own. */
  #takeBatch(run: EndedRun, { id, status }: EndedAction): void {
    const isThere = this.#runs.some(({ of }) => of?.run === run.id && of.id === id);
    if (!isThere && status !== "skipped" && status !== "pending_confirmation") this.#lack(id);
  }

  /** The calls of an action that took effect, or may have. */
  #callsOf({ run, action }: Placed, tool: Tool | undefined): readonly EndedCall[] {
    const { status, inDoubt, data, forEach } = action;
    if (forEach !== undefined) {
      const all = this.#argsOf({ run, action }, tool);
      return (Array.isArray(data) ? data : []).flatMap((entry: Entry, element): readonly EndedCall[] => {
        const end = endOf({ status: entry.status, inDoubt: entry.in_doubt === true });
        return end === null ? [] : [{ element, end, args: all[element], output: { data: entry.data } }];
      });
    }
    const end = endOf({ status, inDoubt });
    const output = data === undefined ? undefined : { data };
    return end === null ? [] : [{ element: null, end, args: this.#argsOf({ run, action }, tool)[0], output }];
  }

  /** The arguments of each of its calls, as they were sent; undefined where they are not kept. */
  #argsOf({ run, action }: Placed, tool: Tool | undefined): readonly (JsonObject | undefined)[] {
    const { args, forEach, isResolved } = action;
    if (args === undefined || tool === undefined) return [];
    const input = isResolved ? asLiterals(args) : args;
    const { timeoutMs } = tool;
    const prepared = prepareTask({ tool, input, forEach, timeoutMs, call: null, select: null }, (id) => {
      if (id === "input" && run.input !== undefined) return { data: run.input };
      const isIt = (one: Placed): boolean =>
        one.action.id === inRoundOf(action.id, id) &&
        one.run.of === run.of &&
        one.action.select === undefined;
      const { data } = this.inOrder.findLast(isIt)?.action ?? {};
      return data === undefined ? undefined : { data };
    });
    if (!prepared.ok) return [];
    const calls =
      prepared.value.kind === "call"
        ? [{ ok: true, value: prepared.value.call } as const]
        : prepared.value.calls;
    return calls.map((call) => (call.ok ? argsOf(call.value) : undefined));
  }

  /** The actions that one waited for, also through others. One that ended later was not waited for: it is of another round, or run. */
  #needsOf(run: EndedRun, action: EndedAction): readonly string[] {
    const { of } = run;
    const sharing = of === undefined ? this.#runs.filter((one) => one.of === undefined) : [run];
    const edges = sharing.flatMap((one) => one.edges);
    const needs = new Set<string>();
    const seqOf = (id: string): number => this.#seqs.get(idIn(run, id)) ?? -1;
    const visit = (id: string): void => {
      for (const { from, to } of edges) {
        const needed = inRoundOf(id, from);
        if (inRoundOf(id, to) !== id || needs.has(needed) || seqOf(needed) >= seqOf(id)) continue;
        needs.add(needed);
        visit(needed);
      }
    };
    visit(action.id);
    if (of === undefined) return [...needs];
    const outer = this.#runs.find(({ id }) => id === of.run);
    const around = outer?.actions.find(({ id }) => id === of.id);
    const theirs = outer && around ? this.#needsOf(outer, around) : [];
    return [...[...needs].map((id) => nameInside(of.id, id)), ...theirs];
  }
}

const GONE = { why: "is no tool any more" } as const;

interface Entry {
  readonly status: string;
  readonly in_doubt?: boolean;
  readonly data?: unknown;
}

function endOf({ status, inDoubt }: Pick<EndedAction, "status" | "inDoubt">): EndedCall["end"] | null {
  if (status === "success") return "done";
  return inDoubt || status === "unknown" ? "doubt" : null;
}

/** A key that may not call what takes a write back does not know of that write here. */
function isHiddenFrom(tool: Tool, catalog: Catalog): boolean {
  const name = tool.brought?.compensate?.tool;
  return name !== undefined && catalog.callable(name) === undefined;
}

function idIn({ id: run }: EndedRun, id: string): string {
  return `${run}/${id}`;
}

/** Name an action of the same round as another. */
function inRoundOf(other: string, id: string): string {
  const [round, own] = other.split(":");
  return own === undefined ? id : `${round}:${id}`;
}

function placeOf({ id, of, asker }: EndedRun, action: EndedAction): AskedPlace {
  if (of === undefined) return { run: id, id: action.id, element: null, asker };
  return { run: of.run, id: of.id, action: action.id, element: of.element ?? null, batch: id };
}

/** Name an element of the loop that an action was. */
function inLoop(
  { action, element: outer }: Pick<AskedPlace, "action" | "element">,
  element: number | null,
): Pick<AskedPlace, "action" | "element"> {
  if (action === undefined) return { element };
  return { action: element === null ? action : `${action}.${element}`, element: outer };
}

/** The jobs that an action has become, by element; null where it is no loop. */
function jobsOf({ status, jobId, data, forEach }: EndedAction): ReturnType<typeof jobsInLoop> {
  if (forEach === undefined) return status === "initiated" && jobId !== undefined ? [[null, jobId]] : [];
  return jobsInLoop(data);
}

function asLiterals(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { $literal: value }]));
}

interface KeptCall extends Pick<EndedAction, "tool" | "select">, Pick<EndedCall, "args" | "output"> {}

/** Find how a call is taken back by what is kept of it; undefined where that is not all. */
export function findKept(
  by: WayBack | NoWayBack,
  { tool, select, args, output }: KeptCall,
): Reversal | Irreversible | undefined {
  if ("compensation" in by && !isKept(by, select, { args, output })) return undefined;
  const found = resolveReversal(by, { tool, args: args ?? {}, output: output?.data });
  const isRedacted = "compensation" in by && "error" in found && found.error.code === "NOT_REVERSIBLE";
  return isRedacted ? undefined : found;
}

/** Whether all is kept that the way back of a call needs. */
function isKept(
  { compensation }: WayBack,
  select: readonly string[] | undefined,
  { args, output }: Pick<KeptCall, "args" | "output">,
): boolean {
  const references = findReferences(compensation.args ?? {}, []);
  const all = references.ok ? references.value : [];
  if (all.some(({ id }) => id === "args") && args === undefined) return false;
  const wanted = all.filter(({ id }) => id === "result");
  if (wanted.length > 0 && output === undefined) return false;
  // Other parts than those that were selected are not known.
  const selected = select?.map((pointer) => parsePointer(pointer) ?? []);
  return wanted.every(
    ({ tokens }) => selected?.some((parts) => parts.every((part, at) => part === tokens[at])) ?? true,
  );
}
