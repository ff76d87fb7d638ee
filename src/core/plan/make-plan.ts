import type { Catalog } from "../catalog/catalog.ts";
import { parseCall } from "../catalog/parse-args.ts";
import { type Action, type Entry, mostElements, tooManyElements } from "../contract/action.ts";
import type { Batch, OnError } from "../contract/batch.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JsonObject } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { hasMarker, sourcesOf } from "../contract/reference.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { findCycle } from "../kit/layers.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { checkEarly } from "./check-early.ts";
import { fillFromContract } from "./fill-from-contract.ts";
import { type Dependencies, findEdges, tooManyHandles } from "./find-edges.ts";
import { findPlaceholders, type Misplaced, type TryForm, tryForm } from "./find-placeholders.ts";
import { findParking } from "./parked-step.ts";
import { type Effect, findHazards } from "./hazards.ts";
import { prepareCall } from "./prepare-task.ts";
import { findReferences, Room } from "./references.ts";
import { remainingPaths } from "./remaining-paths.ts";
import type { Edge, Plan, Step, Task } from "./step.ts";

/** A step before the hazards are known. */
interface Draft {
  readonly entry: Entry;
  readonly task: Result<Task, Failure>;
  readonly edges: readonly Edge[];
  readonly handles: readonly string[];
  readonly warnings?: readonly string[] | undefined;
  readonly partly?: Failure | undefined;
  /** Whether text of it looks like a reference and is none. */
  readonly isMistaken?: boolean;
}

/** The names that references may use. */
interface Sources {
  readonly entries: readonly Entry[];
  readonly position: ReadonlyMap<string, number>;
  readonly given?: ReadonlyMap<string, unknown> | undefined;
  readonly onError: OnError;
  readonly isLong: boolean;
  /** The work that checking arguments before anything runs may cost; made when something is checked. */
  readonly room: () => Room;
  readonly foresight: typeof FORESIGHT | undefined;
}

/** The part of a catalog that a plan is made with. */
export type PlanCatalog = Pick<
  Catalog,
  "asks" | "callable" | "get" | "hidden" | "mayChange" | "resolve" | "sayUnknown" | "version"
>;

export interface PlanOptions {
  readonly maySkipApproval?: boolean;
  /** Data that references may name besides the actions' own, by id. */
  readonly given?: ReadonlyMap<string, unknown> | undefined;
  /**
   * A person approved the whole of it: only an action that takes arguments from its results, which the person has not seen, asks
   * again.
   */
  readonly isApproved?: boolean | undefined;
  /** Actions that ask a person whatever their tools say, by id, and whether they are known to have been sent before. */
  readonly asksFirst?: ReadonlyMap<string, { readonly wasSent: boolean }> | undefined;
  /** Actions that are held whatever their tools say, by id. */
  readonly held?: Plan["held"];
  /** No caller waits for it, so its loops may be long. */
  readonly isLong?: boolean;
}

/** Finds what is wrong before its turn, and ways to mend it. Without it a plan is the same, and a fault is told when it is met. */
const FORESIGHT = { checkEarly, tryForm };

/** Plan a batch, and find all that is wrong with its actions before anything runs. */
export function makePlan(batch: Batch, catalog: PlanCatalog, options?: PlanOptions): Result<Plan, Refusal> {
  return layPlan(batch, catalog, { ...options, foresight: FORESIGHT });
}

/**
 * Plan a batch: look up every tool, check every argument that is known, and find what must happen before what.
 *
 * Refuses only a cycle, because then no order exists. Anything else that is wrong with an action becomes that step's
 * failure. Every edge points to an existing step and the graph is acyclic: dependencies are checked to be, and a hazard
 * is only ever added where it closes no cycle.
 *
 * An action that needs a person's approval is parked, with those that need it, unless the caller may skip that and asks to. A
 * parked write has not happened, so it is no hazard to other steps.
 */
export function layPlan(
  batch: Batch,
  catalog: PlanCatalog,
  options: PlanOptions & { readonly foresight?: typeof FORESIGHT } = {},
): Result<Plan, Refusal> {
  const { maySkipApproval = false, isApproved = false, isLong = false } = options;
  const { given, asksFirst, held, foresight } = options;
  const entries = catalog.resolve(batch.entries);
  const position = new Map(entries.map(({ id, index }) => [id, index]));
  const handles = new Set<string>();
  let room: Room | undefined;
  const sources = {
    entries,
    position,
    given,
    onError: batch.onError,
    isLong: isLong || batch.background !== undefined,
    room: () => (room ??= new Room()),
    foresight,
  };
  const drafted = entries.map((entry) => admitHandles(draftStep(entry, sources, catalog), handles));
  const drafts = drafted.some(({ isMistaken }) => isMistaken === true)
    ? sayMistakes(drafted, sources, catalog)
    : drafted;

  const needs = drafts.map(({ edges }) => edges.map(({ from }) => from));
  const isTied = drafts.some(({ edges }) => edges.length > 0);
  const cycle = isTied ? findCycle(needs) : null;
  if (cycle !== null) {
    const ids = cycle.map((index) => entries[index]!.id).join(" → ");
    const hint = `The actions wait for each other: ${ids}. Take one of these references or depends_on out.`;
    return err(makeRefusal("INVALID_BATCH", hint));
  }

  const asks = !(batch.skipApproval && maySkipApproval);
  const asked = drafts.map(
    ({ task, entry }) =>
      asksFirst?.has(entry.id) ||
      held?.has(entry.id) ||
      (asks &&
        task.ok &&
        (!isApproved || takesResults(task.value, position)) &&
        catalog.asks(task.value.tool, task.value.call)),
  );
  const gated = asked.map((asksNow) => asksNow === true);
  const parking = gated.includes(true) ? findParking(gated, needs) : gated.map(() => null);
  const effects = drafts.map(({ task }, index) => (parking[index] === null ? effectOf(task) : null));
  const isWritten = effects.some((effect) => effect?.isWrite === true);
  const hazards = isWritten ? findHazards(effects, needs) : drafts.map(() => NONE);
  const remaining =
    isTied || isWritten
      ? remainingPaths(needs.map((needed, index) => [...needed, ...hazards[index]!]))
      : drafts.map(() => 1);
  const steps = drafts.map(({ entry, task, edges, warnings, partly, handles: recalled }, index): Step => {
    const after = hazards[index]!;
    const ordered = after.map((from): Edge => ({ from, reason: `hazard: ${effects[index]!.domain}` }));
    const { action } = entry;
    return {
      index,
      id: entry.id,
      toolName: entry.tool,
      needs: needs[index]!,
      after,
      edges: after.length === 0 ? edges : [...edges, ...ordered],
      parking: parking[index]!,
      ...(asked[index] === undefined && { mayAsk: true as const }),
      ...(asksFirst?.get(entry.id)?.wasSent && { doubted: true as const }),
      remaining: remaining[index]!,
      task,
      readAs: entry.readAs,
      warnings,
      ...(!task.ok &&
        action.ok && { refused: { tool: catalog.callable(action.value.tool), args: action.value.args } }),
      ...(partly !== undefined && { partly }),
      keyed: action.ok ? action.value.keyed : undefined,
      ...(recalled.length > 0 && { recalls: true as const }),
    };
  });
  const { sent, onError, deadlineMs, maxTokens } = batch;
  return ok({
    sent,
    steps,
    onError,
    deadlineMs,
    demotes: true,
    maxTokens,
    handles: [...handles],
    sharesReads: true,
    skipDenied: batch.skipApproval && !maySkipApproval,
    given,
    held,
    ...(batch.tellsStarts && { tellsStarts: true }),
    ...(batch.tags !== undefined && { tags: batch.tags }),
    ...(entries.some(({ action }) => action.ok && catalog.mayChange(action.value.tool)) && {
      toolsVersion: catalog.version,
    }),
  });
}

const NONE: readonly never[] = [];

/** Whether arguments of a task come from what other steps of its plan find. */
function takesResults({ input, forEach }: Task, position: ReadonlyMap<string, number>): boolean {
  const found = findReferences([input, forEach], []);
  return !found.ok || found.value.some(({ id }) => position.has(id));
}

/** Add what a step refers to of earlier batches to what the ones before it do; one that makes it too much fails alone. */
function admitHandles(draft: Draft, handles: Set<string>): Draft {
  if (draft.handles.length === 0) return draft;
  const added = draft.handles.filter((handle) => !handles.has(handle));
  if (handles.size + added.length > LIMITS.handles)
    return { ...draft, task: err(tooManyHandles()), handles: NONE };
  for (const handle of added) handles.add(handle);
  return draft;
}

function draftStep(
  entry: Entry,
  { entries, position, given, onError, isLong, room, foresight }: Sources,
  catalog: PlanCatalog,
): Draft {
  const refused = (failure: Failure): Draft => ({ entry, task: err(failure), edges: [], handles: [] });
  if (!entry.action.ok) return refused(entry.action.error);
  const action = entry.action.value;
  const edgesOf = (args: JsonObject, filledFrom: readonly number[]): Result<Dependencies, Failure> =>
    findEdges(
      entry,
      { ...action, args },
      { filledFrom, position, given, isBackground: (index) => isBackground(entries[index]!, catalog) },
    );

  const tool = catalog.callable(action.tool);
  if (tool === undefined) {
    const found = edgesOf(action.args, []);
    const edges = found.ok ? found.value.edges : [];
    const unknown = makeFailure("UNKNOWN_TOOL", { hint: catalog.sayUnknown(action.tool) });
    return { entry, task: err(unknown), edges, handles: [] };
  }
  const isMistaken =
    action.mayMistake === true && findMistakes(entry, action, { position, given }).length > 0;
  // Where such text is refused nothing else of the action matters; `sayMistakes()` finds the words.
  if (isMistaken && tool.isWrite) return { ...refused(makeFailure("BAD_REFERENCE")), isMistaken };
  const timeoutMs = Math.min(action.timeoutMs ?? tool.timeoutMs, tool.timeoutMs);
  const { forEach, select, callbackUrl, runAt } = action;
  const plain: Task = {
    tool,
    timeoutMs,
    input: action.args,
    call: null,
    forEach,
    select,
    callbackUrl,
    runAt,
    // A question about a thousand calls is none that a person could answer.
    ...(isLong && forEach !== undefined && !tool.confirm && { isLong }),
  };
  if (Array.isArray(forEach) && forEach.length > mostElements(plain))
    return refused(tooManyElements(forEach.length, plain));
  const waits =
    action.dependsOn.length > 0 || forEach !== undefined || (action.mayRefer && hasMarker(action.args));
  // Most actions wait for no other, and then there is nothing to find.
  if (!waits && tool.orchestration.mode !== "dependent")
    return { entry, task: withCall(plain, true), edges: NONE, handles: NONE, isMistaken };

  const filled = fillFromContract(action, tool, { index: entry.index, entries, hidden: catalog.hidden });
  if (!filled.ok) return refused(filled.error);
  const { input, filledFrom } = filled.value;
  const found = edgesOf(input, filledFrom);
  if (!found.ok) return refused(found.error);
  const { edges, handles, isPlain, isKnown } = found.value;

  const task: Task = { ...plain, input };
  // Edges stay when the arguments turn out wrong: the step fails in its place, and nothing about the order changes.
  const draft = { entry, edges, handles, isMistaken };
  if (isKnown) return { ...draft, task: withCall(task, isPlain) };
  const certain = foresight?.checkEarly(task, room());
  if (!certain) return { ...draft, task: ok(task) };
  // Where one failure ends the batch, that of an element is not waited for.
  return certain.isWhole || onError === "fail-fast"
    ? { ...draft, task: err(certain.failure), handles: NONE }
    : { ...draft, task: ok(task), partly: certain.failure };
}

/** Say of every action with such text what is wrong, with a form that would be taken: it is planned before it is told. */
function sayMistakes(drafted: readonly Draft[], sources: Sources, catalog: PlanCatalog): readonly Draft[] {
  const { foresight } = sources;
  const needs = drafted.map(({ edges }) => edges.map(({ from }) => from));
  const draft = (entry: Entry): Draft => draftStep(entry, sources, catalog);
  return drafted.map((mistaken): Draft => {
    const { entry, isMistaken } = mistaken;
    if (isMistaken !== true || !entry.action.ok) return mistaken;
    const action = entry.action.value;
    const attempt: TryForm = (path, value) => {
      // Planning it costs as much as the action does, so there is an end to it.
      if (!sources.room().suggests()) return null;
      const tried = foresight!.tryForm(entry, { path, value }, { action, draft, needs });
      if (tried.ok) needs[entry.index] = [...needs[entry.index]!, ...tried.value.map(({ from }) => from)];
      return tried.ok ? null : tried.error;
    };
    const mistakes = findMistakes(entry, action, { ...sources, ...(foresight && { attempt }) });
    return catalog.get(action.tool)?.isWrite === true
      ? { ...mistaken, task: err(refuseMistakes(mistakes)) }
      : { ...mistaken, warnings: mistakes.map(({ sentence }) => sentence) };
  });
}

/** Text of an action that looks like a reference and is none. Where there is no other action nothing can be meant. */
function findMistakes(
  entry: Entry,
  { args, forEach }: Action,
  { position, given, attempt }: Pick<Sources, "position" | "given"> & { readonly attempt?: TryForm },
): readonly Misplaced[] {
  const known = { has: (other: string) => position.has(other) || given?.has(other) === true };
  const loops = forEach !== undefined;
  const search = (inLoop: boolean) => ({ ...sourcesOf(entry, { loops: inLoop, known }), tryForm: attempt });
  const found = findPlaceholders(args, ["args"], search(loops));
  const inLoop = loops ? findPlaceholders(forEach, ["for_each"], search(false)) : NONE;
  return [...found, ...inLoop].slice(0, LIMITS.warnings);
}

/** In a write such text would do harm before anybody reads a warning. */
function refuseMistakes(mistakes: readonly Misplaced[]): Failure {
  const [first, ...others] = mistakes;
  const more = others.length === 0 ? "" : ` So it is at ${others.map(({ issue }) => issue.path).join(", ")}.`;
  return makeFailure("BAD_REFERENCE", {
    issues: mistakes.map(({ issue }) => issue),
    hint: `${first!.sentence}${more}`,
  });
}

/** Arguments without references are checked now, so that what is wrong with them fails before anything runs. */
function withCall(task: Task, isPlain: boolean): Result<Task, Failure> {
  if (!isPlain) {
    const call = prepareCall(task, () => undefined, new Room());
    return call.ok ? ok({ ...task, call: call.value }) : call;
  }
  const { tool, timeoutMs } = task;
  const parsed = parseCall(tool, task.input);
  return parsed.ok ? ok({ ...task, call: { tool, ...parsed.value, timeoutMs } }) : parsed;
}

/** Fire-and-forget happens later than the batch, so it holds nothing back. */
export function effectOf(task: Result<Task, Failure>): Effect | null {
  return task.ok && task.value.tool.execution === "sync" ? task.value.tool : null;
}

function isBackground({ action }: Entry, catalog: PlanCatalog): boolean {
  return action.ok && catalog.get(action.value.tool)?.execution === "fire-and-forget";
}
