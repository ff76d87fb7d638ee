import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { keepDoubt, type Outcome } from "../contract/outcome.ts";
import { attempt, attemptNow, ok, type Result } from "../kit/result.ts";
import type { Prepared } from "../plan/prepare-task.ts";
import { findAfterWrites, findRepeats, findSameReads, type Repeats } from "../plan/same-reads.ts";
import { ASKED_ELEMENT, type Call, type Plan, type Step, type Task } from "../plan/step.ts";
import type { AnswerBudget } from "../answer/envelope.ts";
import { fromStoredOutcome, toStoredOutcome } from "../answer/stored-outcome.ts";
import { Selections } from "../answer/select-fields.ts";
import { failUnsent } from "../answer/failed-outcome.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { toLimit } from "../gate/admit-plan.ts";
import type {
  BatchListener,
  InnerEnd,
  Inside,
  Journal,
  KeptBatch,
  KeptOutput,
  LoopEnd,
} from "../gate/execution.ts";
import { nameElements, type StepIds } from "../gate/step-ids.ts";
import type { Background } from "./background.ts";
import { awaitPermit, type CallPermits } from "./call-permits.ts";
import { type CallScope, deadlineExceeded } from "./call-scope.ts";
import { breakOff, type CallOptions, callTool, enter, leave, orBreak } from "./call-tool.ts";
import { Reads } from "./reads.ts";
import { runDrawn, runDrawnLoop, runLoop } from "./run-loop.ts";
import type { Ticket } from "./ticket.ts";
import { ToolCaps } from "./tool-caps.ts";
import type { Turn } from "./turn.ts";
import type { Verifications } from "./verifications.ts";

/** Start a step whose dependencies are met; `prepare` looks up what it refers to. */
export type StartStep = (ticket: Ticket, step: Step, prepare: Prepare) => void;

/** Find out what a task will do, now that everything it refers to is known. */
export type Prepare = (task: Task) => Result<Prepared, Failure>;

export interface StepScope {
  readonly plan: Plan;
  readonly scope: CallScope;
  readonly ids: () => StepIds;
  readonly gate: Gate;
  readonly answer: AnswerBudget;
  readonly turn: () => Turn;
  /** When the batch's deadline passes, in the clock's milliseconds: nothing waits for a permit after it. */
  readonly endsAt: number;
  /** Runs tools that are batches; undefined where no tool of the plan is one. */
  readonly runInner: (call: Call, inside: Inside, at: Pick<Place, "step" | "element">) => Promise<InnerEnd>;
  /** All of it is ordered after a write of the batch around it. */
  readonly isAfterWrite?: boolean | undefined;
  /** The journal that writes are written down in before they are sent; undefined where it will not be asked. */
  readonly journal: Journal | undefined;
  /** Looks after the writes; undefined where nothing does. */
  readonly kept?: KeptBatch | undefined;
  /** Told when a call leaves its queues, where a stream tells of it. */
  readonly onStarted?: BatchListener["onStarted"];
  /** Takes the calls of steps that had to be looked up first, by the step's place; undefined where they are not kept. */
  readonly prepared?: Map<number, Call> | undefined;
  readonly background: () => Background;
  readonly verifications: () => Verifications;
}

/** One call of a step: the step's own, or that of one element of its loop. */
interface Place {
  readonly step: Step;
  readonly task: Task;
  readonly element: number | null;
  /** Names the elements of its loop. */
  readonly names?: () => readonly string[];
  /** Holds the permit of a tool with global limits. */
  readonly permits?: CallPermits;
  readonly onOutput?: CallOptions["onOutput"];
}

/** Begin a call. Its ticket is told what becomes of it. */
type Begin = (ticket: Ticket, call: Call, place: Place) => void;

/**
 * Create what starts the steps of a plan. A step looks up what it refers to, then it is a background job, a loop, or one
 * call; a call goes through the layers that its step needs, and those are made when the first step needs them.
 */
export function createStepStarter(batch: StepScope): StartStep {
  const { plan, scope, ids, gate, turn, endsAt } = batch;
  const { clock } = scope.ports;
  const { journal, kept, onStarted } = batch;
  const recalls = plan.sharesReads && scope.cache !== null && batch.isAfterWrite !== true;
  const afterWrites = afterWritesOf(plan);
  const sharing = {
    ...sharingOf(plan, afterWrites),
    recalls,
    isJournaled: journal !== undefined,
    isKept: kept !== undefined,
  };
  const insideOf = ({ index }: Step): Pick<Inside, "isAfterWrite"> =>
    batch.isAfterWrite === true || afterWrites.has(index) ? { isAfterWrite: true } : {};
  let reads: Reads | undefined;
  let undrawn: ReadonlyMap<number, number> | undefined;
  let caps: ToolCaps | undefined;
  let selections: Selections | undefined;

  const late = (): Failure | null => (clock.now() < endsAt ? null : deadlineExceeded(plan.deadlineMs));
  const call: Begin = (ticket, call, { step, element, names, permits, onOutput }) => {
    // The deadline's own timer may come late, where calls that never leave the platform keep timers out.
    const failure = element === null ? null : late();
    if (failure !== null) return ticket.end({ status: "error", error: failure, meta: {} });
    const onTry: CallOptions["onTry"] =
      onStarted && ((start) => onStarted(step, { element: element ?? undefined, ...start }));
    if (call.tool.inner !== undefined) {
      const ownEnd = Math.min(endsAt, clock.now() + call.timeoutMs);
      const run: RunInside = (inside) =>
        batch.runInner(call, { ...inside, ...insideOf(step) }, { step, element });
      return startInside(ticket, { scope, onTry }, { tool: call.tool, endsAt: ownEnd, run });
    }
    callTool(ticket, call, {
      scope,
      onTry,
      idempotencyKey: () => ids().callKey(step, element === null ? null : names!()[element]!),
      maxAttempts: LIMITS.syncAttempts,
      permits,
      onOutput,
    });
  };

  const layers: Readonly<Record<Layer, (next: Begin) => Begin>> = {
    select: (next) => (ticket, call, place) => {
      const { tool, select } = place.task;
      const selection = (selections ??= new Selections(batch.answer));
      ticket.shape((outcome) => selection.show(outcome, select!, tool.isWrite));
      next(ticket, call, place);
    },
    verify: (next) => (ticket, call, place) => {
      if (place.element === null) batch.verifications().watch(place.step.index, call);
      next(ticket, call, place);
    },
    reads: (next) => (ticket, call, place) => {
      const { repeats } = sharing;
      reads ??= new Reads({
        clock,
        startedAt: scope.startedAt ?? clock.now(),
        repeats,
        remembered: recalls ? scope.cache : null,
        budget: scope.budget,
      });
      const make = (own: Ticket): void => next(own, call, place);
      const { index, id } = place.step;
      // Steps that are certain to be answered by another's call have not been counted.
      const hasDrawn = (): boolean =>
        toLimit(call.tool) === null ||
        place.element !== null ||
        !(undrawn ??= findSameReads(plan, (tool) => toLimit(tool) !== null)).has(index);
      const makeLate = (own: Ticket): void => {
        if (hasDrawn()) make(own);
        else orBreak(runDrawn(own, call, { gate, run: make }), own, { tool: call.tool, scope });
      };
      reads.answer(ticket, { id, call, makeLate }, make);
    },
    cap: (next) => (ticket, call, place) => {
      const { step, element } = place;
      const position = step.index + (element ?? 0) / (LIMITS.loopElements + 1);
      caps ??= new ToolCaps(clock, turn());
      caps.enqueue(ticket, { tool: call.tool, remaining: step.remaining, position }, () => {
        const begun = attemptNow(() => next(ticket, call, place));
        if (!begun.ok) breakOff(ticket, { tool: call.tool, scope }, begun.error);
      });
    },
    permit: (next) => (ticket, call, place) => {
      const begin = (permits: CallPermits): void => next(ticket, call, { ...place, permits });
      const limits = call.tool.globalLimits!;
      const asked = awaitPermit(ticket, call, { scope, limits, waitUntilMs: endsAt, begin });
      orBreak(asked, ticket, { tool: call.tool, scope });
    },
    journal: (next) => (ticket, call, place) => {
      const written = attempt(() => journal!.begin(place.step));
      const begun = awaitJournal(ticket, written, () => next(ticket, call, place));
      orBreak(begun, ticket, { tool: call.tool, scope });
    },
    keep: (next) => (ticket, call, place) => {
      const at = { ...place, call };
      let output: KeptOutput | undefined;
      const written = attempt(() => kept!.begin(at));
      ticket.whenEnded((outcome) => kept!.end(at, outcome, output));
      const begun = awaitJournal(ticket, written, () =>
        next(ticket, call, { ...place, onOutput: (came) => (output = came) }),
      );
      orBreak(begun, ticket, { tool: call.tool, scope });
    },
  };
  const beginOf = (task: Task, index: number): Begin =>
    layersOf(task, { ...sharing, isAfterWrite: afterWrites.has(index) }).reduceRight(
      (next, layer) => layers[layer](next),
      call,
    );

  const start: StartStep = (ticket, step, prepare) => {
    if (!step.task.ok) throw new Error(`Cannot start '${step.id}': it was refused`);
    const task = step.task.value;
    const { tool } = task;
    const prepared = task.call === null ? prepare(task) : ok({ kind: "call" as const, call: task.call });
    if (!prepared.ok) return ticket.end(failUnsent(prepared.error));
    if (task.call === null && prepared.value.kind === "call")
      batch.prepared?.set(step.index, prepared.value.call);
    if (prepared.value.kind === "loop" && journal?.runLoop !== undefined) {
      const { calls } = prepared.value;
      const run: RunInside = (inside) => journal.runLoop!(step, calls, { ...inside, ...insideOf(step) });
      return startInside(ticket, batch, { tool, endsAt, run });
    }
    if (tool.execution === "fire-and-forget") {
      const recorded =
        prepared.value.kind === "call"
          ? batch.background().start(ticket, step.index, prepared.value.call)
          : batch.background().startLoop(ticket, step.index, { calls: prepared.value.calls, tool });
      return orBreak(recorded, ticket, { tool, scope });
    }
    const begin = beginOf(task, step.index);
    if (prepared.value.kind === "call") {
      ticket.wants = prepared.value.call;
      return begin(ticket, prepared.value.call, { step, task, element: null });
    }
    const { calls } = prepared.value;
    let named: readonly string[] | undefined;
    const names = (): readonly string[] => (named ??= nameElements(calls));
    const loop = {
      clock,
      batchStartedAt: scope.startedAt,
      inOrder: tool.isWrite,
      failFast: tool.onError === "fail-fast",
      repeatable: tool.idempotent,
      late,
      store: toStoredOutcome,
      admit: (outcome: Outcome, element: number) => {
        const call = calls[element]!;
        const isDoubted = step.doubted && call.ok && call.value.begun?.kind === ASKED_ELEMENT.kind;
        return batch.answer.admitElement(isDoubted ? keepDoubt(outcome) : outcome, tool.isWrite);
      },
      begin: (own: Ticket, call: Call, element: number) => {
        if (call.begun !== undefined && "outcomeJson" in call.begun)
          return own.end(fromStoredOutcome(call.begun.outcomeJson, scope.budget));
        if (call.begun?.kind === ASKED_ELEMENT.kind && plan.approved === undefined)
          return own.ask(ASKED_ELEMENT);
        const begun = attemptNow(() => begin(own, call, { step, task, element, names }));
        if (!begun.ok) breakOff(own, { tool, scope }, begun.error);
      },
    };
    if (toLimit(tool) === null) runLoop(ticket, calls, loop);
    else orBreak(runDrawnLoop(ticket, calls, { ...loop, tool, gate }), ticket, { tool, scope });
  };
  return (ticket, step, prepare) => {
    const started = attemptNow(() => start(ticket, step, prepare));
    if (started.ok) return;
    // A step that was refused when it was planned is none to start.
    if (!step.task.ok) throw started.error;
    breakOff(ticket, { tool: step.task.value.tool, scope }, started.error);
  };
}

/** Let a call begin once the journal has its beginning: a later run of the plan must know. */
async function awaitJournal(
  ticket: Ticket,
  writing: Promise<Result<boolean, unknown>>,
  begin: () => void,
): Promise<void> {
  const written = await writing;
  if (ticket.isOver) return;
  if (written.ok && written.value) return begin();
  const hint = written.ok
    ? "The run was cancelled, or another attempt of it has begun; nothing was sent."
    : "That it was about to be sent could not be written down; nothing was sent.";
  const error = makeFailure(written.ok ? "CANCELLED" : "OVERLOADED", { hint });
  ticket.end(failUnsent(error));
}

type RunInside = (inside: Inside) => Promise<LoopEnd>;

/**
 * Start what runs calls of its own, such as a tool that is a batch. It has the header slots and the bytes of the one that it is inside
 * of, because both are one invocation, and ends with its ticket. Stopping it stops what it runs: reads are given up, and a write that
 * was sent is seen through, as in any batch.
 */
function startInside(
  ticket: Ticket,
  { scope, onTry }: Pick<StepScope, "scope"> & Pick<CallOptions, "onTry">,
  { tool, endsAt, run }: { readonly tool: Tool; readonly endsAt: number; readonly run: RunInside },
): void {
  const { slots, budget, parallelism, ports } = scope;
  const now = ports.clock.now();
  const startedMs = now - (scope.startedAt ?? now);
  const stopped = new AbortController();
  ticket.hold(() => stopped.abort());
  ticket.start();
  onTry?.({ try: 1, started_ms: startedMs });
  if (parallelism !== undefined) enter(parallelism);
  const ran = run({ signal: stopped.signal, endsAt, slots, budget }).then((end) => {
    if (parallelism !== undefined) leave(parallelism);
    if ("asks" in end) ticket.ask(end.asks);
    else ticket.end({ ...end, meta: { ...end.meta, startedMs } });
  });
  orBreak(ran, ticket, { tool, scope });
}

/** The layers that may stand between a step and the call of its tool. */
export type Layer = "select" | "verify" | "reads" | "cap" | "permit" | "journal" | "keep";

/** The parts that the steps of a plan share when they call their tools. */
export interface Sharing {
  /** Reads that one call may answer more than once; null without any. */
  readonly repeats: Repeats | null;
  /** Some tool of the plan has a cap. Then all its calls are dispatched in one order. */
  readonly isCapped: boolean;
}

/** The reasons for layers that are the same for every step of a plan. */
interface Surroundings extends Sharing {
  /** Answers of earlier batches may be remembered. */
  readonly recalls: boolean;
  /** Writes are written down before they are sent. */
  readonly isJournaled?: boolean;
  /** A feature looks after the writes. */
  readonly isKept?: boolean;
  /** The caller ordered it after a write. */
  readonly isAfterWrite?: boolean;
}

/** Find the steps that the caller ordered after a write; most plans order nothing. */
function afterWritesOf(plan: Plan): ReadonlySet<number> {
  return plan.steps.some(({ needs }) => needs.length > 0) ? findAfterWrites(plan) : NONE;
}

const NONE: ReadonlySet<number> = new Set();

/** Find what the steps of a plan share. Where every tool is called once, no read can be asked for again. */
export function sharingOf(plan: Plan, afterWrites = afterWritesOf(plan)): Sharing {
  const tools = new Set<Tool>();
  let isCapped = false;
  let mayRepeat = false;
  for (const { task } of plan.steps) {
    if (!task.ok) continue;
    const { tool, forEach } = task.value;
    isCapped ||= Number.isFinite(tool.concurrency);
    mayRepeat ||= forEach !== undefined || tools.has(tool);
    tools.add(tool);
  }
  return { repeats: mayRepeat ? findRepeats(plan, afterWrites) : null, isCapped };
}

/**
 * Choose the layers of a step, outermost first. A plain read has none: its call is the first thing that happens when the
 * steps it waits for are over.
 */
export function layersOf(
  { tool, select }: Task,
  { repeats, isCapped, recalls, isJournaled = false, isKept = false, isAfterWrite = false }: Surroundings,
): Layer[] {
  const layers: Layer[] = [];
  if (select !== null) layers.push("select");
  if (tool.orchestration.verify_with !== undefined) layers.push("verify");
  // A write has it too: it ends what reads of its domain may share.
  const isOwn = isAfterWrite && !tool.isWrite;
  if (!isOwn && (repeats !== null || (recalls && tool.orchestration.cache_ttl_s !== undefined)))
    layers.push("reads");
  if (isCapped) layers.push("cap");
  if (tool.globalLimits !== null) layers.push("permit");
  if (isJournaled && tool.isWrite) layers.push("journal");
  // The batch that a tool is has its own writes looked after.
  if (isKept && tool.isWrite && tool.inner === undefined) layers.push("keep");
  return layers;
}
