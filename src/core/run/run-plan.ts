import { type Failure, makeFailure } from "../contract/failure.ts";
import { isFailure, isMet, type Outcome, type OutcomeMeta } from "../contract/outcome.ts";
import type { Waiting } from "../egress/isolate-bytes.ts";
import { OVERLOADED } from "../egress/byte-budget.ts";
import type { Clock } from "../kit/clock.ts";
import { attemptNow, type Result } from "../kit/result.ts";
import { type Prepared, prepareTask } from "../plan/prepare-task.ts";
import { type DataOf, Room, type Source } from "../plan/references.ts";
import { ASKED_ELEMENT, type Begun, type Call, type Plan, type Step, type Task } from "../plan/step.ts";
import { deadlineExceeded } from "./call-scope.ts";
import { type Demotion, isDemotable, type Unfinished } from "./demotion.ts";
import type { Park, ParkedStep } from "../plan/parked-step.ts";
import { failUnsent, NOT_BEGUN, skipped, skippedAfter } from "../answer/failed-outcome.ts";
import type { Prepare, StartStep } from "./start-step.ts";
import { Ticket } from "./ticket.ts";

export interface PlanRunOptions {
  readonly clock: Clock;
  /** Aborts when the caller has gone away; null when the platform then ends everything by itself. */
  readonly signal: AbortSignal | null;
  /** Aborts when nothing more is to begin; what is under way ends as it would. */
  readonly closing?: AbortSignal | undefined;
  /** Data that the plan refers to besides its own, by id. */
  readonly given?: ReadonlyMap<string, unknown> | undefined;
  /** Results of earlier batches that this one refers to, by handle, on their way; never rejects. */
  readonly recalling?: Promise<ReadonlyMap<string, Source>>;
  /** Outcomes that are known before anything runs, by step. */
  readonly known?: ReadonlyMap<number, Outcome>;
  /** Decides about steps once what they refer to is resolved, before they begin: an outcome, or null when they run. Never rejects. */
  readonly undecided?: {
    readonly has: (step: Step) => boolean;
    readonly decide: (step: Step, prepared: Prepared) => Promise<Outcome | null>;
  };
  /** Holds the bytes of arguments that were looked up; their turn, where they have to wait for it. */
  readonly hold?: (bytes: number) => Waiting | null;
  /** Admits an outcome to the answer, or makes of it what is said where there is no room: the plan goes on with that. */
  readonly admit?: (step: Step, outcome: Outcome) => Outcome;
  /** Says what an outcome is to the caller; the plan goes on with what it was. */
  readonly amend?: (step: Step, outcome: Outcome) => Outcome;
  /** Makes jobs of safe actions that are unfinished at the deadline; without it they end there. */
  readonly demotion?: (() => Demotion) | undefined;
  /** Whether a person is asked about a call of a step that may ask. */
  readonly asks?: (call: Call) => boolean;
  /** The facts of what let a call through that would wait, by the names of the wire. */
  readonly vouchFor?: (call: Call) => OutcomeMeta["more"];
  /** Records what waits for a person. */
  readonly park: Park;
  /** Called once for every step, the moment its outcome is known. */
  readonly onOutcome: (step: Step, outcome: Outcome) => void;
}

/** A finished run: one outcome for every step, in the plan's order. */
export interface PlanResult {
  readonly outcomes: readonly Outcome[];
  /** Wait until nothing of the plan is under way any more: writes that outlived the deadline included. */
  readonly drain: () => Promise<unknown>;
}

/** Run a plan: every step starts the moment the steps it waits for allow, not when a layer of them ends. */
export function runPlan(plan: Plan, start: StartStep, options: PlanRunOptions): Promise<PlanResult> {
  return new PlanRun(plan, start, options).run();
}

class PlanRun {
  readonly #plan: Plan;
  readonly #start: StartStep;
  readonly #options: PlanRunOptions;
  readonly #position: ReadonlyMap<string, number>;
  readonly #outcomes: (Outcome | undefined)[];
  /** For every step, how many of the steps it waits for are not over yet. */
  readonly #open: number[];
  /** For every step, who needs it to succeed, and who only comes after it. */
  readonly #needing: number[][];
  readonly #following: number[][];
  readonly #running = new Map<number, Ticket>();
  /** Steps that wait for a person, as long as nothing they need besides that fails. */
  readonly #parked = new Map<number, ParkedStep>();
  readonly #finished = Promise.withResolvers<void>();
  /** The calls of steps that were looked up: their bytes are held. */
  readonly #prepared = new Map<number, Result<Prepared, Failure>>();
  /** The turn of the one step that waits for bytes, and of all that come after it meanwhile. */
  #turn: Waiting | null = null;
  readonly #decided = new Set<number>();
  /** Results of earlier batches, once they are there. */
  #handles: ReadonlyMap<string, Source> | undefined;
  /** The work that looking up may still cost; made when something is looked up. */
  #room: Room | undefined;
  /** How many steps something is under way of, answered or not. */
  #underWay = 0;
  /** Called whenever nothing is, which may be between two steps too. */
  #onIdle: () => void = () => {};
  #left: number;
  #stopped = false;
  /** Whether what begins no more says that it was cancelled. */
  #isCancelled = false;
  /** Whether time or the caller ended the batch: whichever comes first decides. */
  #ended = false;

  constructor(plan: Plan, start: StartStep, options: PlanRunOptions) {
    const { steps } = plan;
    this.#plan = plan;
    this.#start = start;
    this.#options = options;
    this.#position = new Map(steps.map(({ id, index }) => [id, index]));
    this.#left = steps.length;
    this.#outcomes = steps.map(() => undefined);
    this.#open = steps.map(
      ({ needs, after, recalls }) => needs.length + after.length + (this.#waits(recalls) ? 1 : 0),
    );
    this.#needing = steps.map(() => []);
    this.#following = steps.map(() => []);
    for (const { index, needs, after } of steps) {
      for (const needed of needs) this.#needing[needed]!.push(index);
      for (const earlier of after) this.#following[earlier]!.push(index);
    }
  }

  async run(): Promise<PlanResult> {
    const { clock, signal, closing } = this.#options;
    const cancelDeadline = clock.after(this.#plan.deadlineMs, () => this.#guard(() => this.#onDeadline()));
    const onDisconnect = (): void => this.#guard(() => this.#onDisconnect());
    signal?.addEventListener("abort", onDisconnect, { once: true });
    const onClosing = (): void => this.#guard(() => this.#onClosing());
    closing?.addEventListener("abort", onClosing, { once: true });

    this.#settleKnown();
    // Gone while the batch was admitted: nothing of it begins.
    if (signal?.aborted === true) this.#onDisconnect();
    if (closing?.aborted === true) this.#onClosing();
    for (const step of this.#plan.steps) if (this.#isReady(step.index)) this.#begin(step);
    if (this.#options.recalling !== undefined) this.#watch(this.#recall(this.#options.recalling));

    await this.#finished.promise;
    cancelDeadline();
    signal?.removeEventListener("abort", onDisconnect);
    closing?.removeEventListener("abort", onClosing);
    if (this.#parked.size > 0) await this.#recordParked();
    // Every place is filled: #left reached 0.
    return { outcomes: this.#outcomes as Outcome[], drain: () => this.#drain() };
  }

  #waits(recalls: boolean | undefined): boolean {
    return recalls === true && this.#options.recalling !== undefined;
  }

  /** Begin what waits for nothing but results of earlier batches, once they are there. Everything else goes on meanwhile. */
  async #recall(recalling: Promise<ReadonlyMap<string, Source>>): Promise<void> {
    this.#handles = await recalling;
    for (const step of this.#plan.steps) {
      if (!this.#waits(step.recalls)) continue;
      this.#open[step.index]! -= 1;
      if (this.#isReady(step.index)) this.#begin(step);
    }
  }

  #isReady(index: number): boolean {
    return (
      this.#open[index] === 0 &&
      this.#outcomes[index] === undefined &&
      !this.#running.has(index) &&
      !this.#parked.has(index) &&
      !this.#stopped
    );
  }

  #begin(step: Step): void {
    if (!step.task.ok) return;
    const { undecided } = this.#options;
    if (step.task.value.call === null && !this.#isHeld(step, step.task.value)) return;
    if (undecided?.has(step) === true && !this.#decided.has(step.index))
      return this.#watch(this.#decide(step, step.task.value, undecided.decide));
    if ((step.parking === "gated" || step.mayAsk === true) && this.#parks(step)) return;
    this.#underWay += 1;
    const ticket = new Ticket({
      settled: (outcome) => {
        this.#running.delete(step.index);
        this.#guard(() => this.#settle(step, outcome));
      },
      asked: (begun) => {
        this.#running.delete(step.index);
        this.#guard(() => this.#parkBegun(step, begun));
      },
      over: () => {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#onIdle();
      },
    });
    this.#running.set(step.index, ticket);
    this.#start(ticket, step, (task) => this.#preparedOf(step, task));
  }

  /** Look up what a step refers to and hold it; false where that has to wait. It is one more thing that the step waits for then. */
  #isHeld(step: Step, task: Task): boolean {
    const { index } = step;
    if (this.#prepared.has(index)) return true;
    const turn = (this.#turn ??= this.#hold(index, task));
    if (turn === null) return true;
    this.#open[index]! += 1;
    const going = turn.granted.then((isGranted) => {
      this.#open[index]! -= 1;
      if (!isGranted) this.#settle(step, failUnsent(OVERLOADED));
      else if (this.#isReady(index)) this.#begin(step);
    });
    this.#watch(going);
    return false;
  }

  /** Do what a ticket or a timer brings. A bug in it ends the run, which a caller waits for. */
  #guard(work: () => void): void {
    const done = attemptNow(work);
    if (!done.ok) this.#finished.reject(done.error);
  }

  /** Leave work to itself; a bug in it ends the run likewise. */
  #watch(work: Promise<unknown>): void {
    void work.then(undefined, (bug: unknown) => this.#finished.reject(bug));
  }

  /** Nothing that was looked up is kept as long as it waits for the turn that this gives. */
  #hold(index: number, task: Task): Waiting | null {
    const room = (this.#room ??= new Room());
    const before = room.bytes;
    this.#prepared.set(index, this.#prepare(task));
    const turn = this.#options.hold?.(before - room.bytes);
    if (!turn) return null;
    this.#prepared.delete(index);
    room.bytes = before;
    const granted = turn.granted.then((isGranted) => {
      this.#turn = null;
      if (isGranted) this.#prepared.set(index, this.#prepare(task));
      return isGranted;
    });
    return { ...turn, granted };
  }

  /** Begin a step once it is decided that it runs. That is one more thing that it waits for. */
  async #decide(
    step: Step,
    task: Task,
    decide: (step: Step, prepared: Prepared) => Promise<Outcome | null>,
  ): Promise<void> {
    const { index } = step;
    this.#open[index]! += 1;
    this.#decided.add(index);
    const prepared = this.#preparedOf(step, task);
    const outcome = prepared.ok ? await decide(step, prepared.value) : null;
    this.#open[index]! -= 1;
    if (outcome !== null) this.#settle(step, outcome);
    else if (this.#isReady(index)) this.#begin(step);
  }

  #preparedOf({ index }: Step, task: Task): Result<Prepared, Failure> {
    return this.#prepared.get(index) ?? this.#prepare(task);
  }

  /** After the last outcome nothing begins any more, so the next time that nothing is under way is the end. */
  async #drain(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /**
   * Park a gated step whose dependencies are met, and everything that needs it; false when there is nothing to say yes to,
   * because it cannot be called with what it refers to. Starting it then says why, and calls nothing.
   */
  #parks(step: Step): boolean {
    if (!step.task.ok) return false;
    const prepared = this.#preparedOf(step, step.task.value);
    if (!prepared.ok || !hasCall(prepared.value)) return false;
    if (step.parking === null) {
      // It is prepared once: the person is asked about what is sent.
      this.#prepared.set(step.index, prepared);
      if (!callsOf(prepared.value).some((call) => this.#options.asks?.(call) === true)) return false;
    }
    this.#parkLate(step, prepared.value);
    return true;
  }

  #parkBegun(step: Step, begun: Begun): void {
    const prepared = step.task.ok ? this.#preparedOf(step, step.task.value) : null;
    if (prepared?.ok !== true) throw new Error(`Cannot park '${step.id}': it has begun with no call`);
    this.#parkLate(step, prepared.value, begun);
  }

  /** Park a step that asks, and everything that needs it. Parked, they hold no other step back as hazards any more. */
  #parkLate(step: Step, prepared: Prepared, begun?: Begun): void {
    const before = new Set(this.#parked.keys());
    this.#park(step, prepared, begun);
    const freed = [...this.#parked.keys()].filter((index) => !before.has(index));
    const following = freed.flatMap((index) => this.#following[index]!);
    for (const index of freed) this.#following[index] = [];
    for (const index of following) this.#open[index]! -= 1;
    for (const index of following) if (this.#isReady(index)) this.#begin(this.#plan.steps[index]!);
    if (this.#left === 0) this.#finished.resolve();
  }

  #park(step: Step, prepared: Prepared | null, begun?: Begun): void {
    const { index, task } = step;
    // A step that is wrong itself, or needs one that failed, was settled before.
    if (!task.ok || this.#outcomes[index] !== undefined || this.#parked.has(index)) return;
    const had = begun ?? begunIn(prepared);
    this.#parked.set(index, { step, task: task.value, prepared, ...(had !== undefined && { begun: had }) });
    this.#left -= 1;
    for (const dependent of this.#needing[index]!) this.#park(this.#plan.steps[dependent]!, null);
  }

  async #recordParked(): Promise<void> {
    // A step that waits for a parked one was never begun, and the results that it refers to are recorded with it.
    this.#handles ??= await this.#options.recalling;
    const parked = [...this.#parked.values()]
      .sort((a, b) => a.step.index - b.step.index)
      .map((one) => this.#withShown(one));
    const outcomes = await this.#options.park(parked, this.#dataOf);
    for (const { step } of parked) this.#record(step, outcomes.get(step.index)!);
  }

  /** Look up what a gated step refers to that waited for another one: a person is to see it, as far as it is known now. */
  #withShown(parked: ParkedStep): ParkedStep {
    const { parking, mayAsk } = parked.step;
    if ((parking !== "gated" && mayAsk !== true) || parked.prepared !== null) return parked;
    const prepared = this.#prepare(parked.task);
    return prepared.ok && hasCall(prepared.value) ? { ...parked, prepared: prepared.value } : parked;
  }

  readonly #prepare: Prepare = (task) => prepareTask(task, this.#dataOf, (this.#room ??= new Room()));

  readonly #dataOf: DataOf = (id) => {
    const index = this.#position.get(id);
    if (index === undefined) {
      const { given } = this.#options;
      return given?.has(id) === true ? { data: given.get(id) } : this.#handles?.get(id);
    }
    const outcome = this.#outcomes[index];
    if (outcome?.status !== "success") return undefined;
    return outcome.meta.isCut ? { refused: cutAway(id) } : { data: outcome.data };
  };

  /**
   * Settle what was wrong or known from the beginning before anything starts: under fail-fast nothing may start after a
   * failure. All of it at once, so that each says what became of itself even where it depends on another.
   */
  #settleKnown(): void {
    const known: [Step, Outcome][] = this.#plan.steps.flatMap((step) => {
      const outcome = this.#knownOf(step);
      return outcome === null ? [] : [[step, outcome]];
    });
    if (known.length === 0) return;
    const failed =
      this.#plan.onError === "fail-fast" ? known.find(([, outcome]) => isFailure(outcome)) : undefined;
    this.#stopped = failed !== undefined;
    for (const [step, outcome] of known) this.#record(step, outcome);
    for (const [step, outcome] of known) this.#release(step, outcome);
    if (failed !== undefined) this.#abortRest(failed[0]);
  }

  #knownOf(step: Step): Outcome | null {
    const { index, task } = step;
    const known = this.#options.known?.get(index);
    if (known !== undefined) return this.#admit(step, known);
    return task.ok ? null : failUnsent(task.error);
  }

  #settle(step: Step, came: Outcome): void {
    if (this.#outcomes[step.index] !== undefined) return;
    const outcome = this.#admit(step, this.#withReading(step, came));
    this.#record(step, outcome);
    this.#release(step, outcome);
  }

  /** Say from where arguments were read that came as JSON text, also where references brought them, and what let its calls through. */
  #withReading({ index, task }: Step, outcome: Outcome): Outcome {
    const prepared = this.#prepared.get(index);
    const calls =
      prepared?.ok === true ? callsOf(prepared.value) : task.ok && task.value.call ? [task.value.call] : [];
    const readAs = calls.find((call) => call.readAs !== undefined)?.readAs;
    const { vouchFor } = this.#options;
    const more = vouchFor && calls.map(vouchFor).find((found) => found !== undefined);
    if (readAs === undefined && more === undefined) return outcome;
    const { meta } = outcome;
    const read = readAs !== undefined && { readAs };
    return { ...outcome, meta: { ...meta, ...read, ...(more && { more: { ...meta.more, ...more } }) } };
  }

  #admit(step: Step, outcome: Outcome): Outcome {
    const { admit } = this.#options;
    return admit === undefined ? outcome : admit(step, outcome);
  }

  #record(step: Step, outcome: Outcome): void {
    const { amend, onOutcome } = this.#options;
    const told = amend === undefined ? outcome : amend(step, outcome);
    this.#outcomes[step.index] = told;
    if (!this.#parked.delete(step.index)) this.#left -= 1;
    onOutcome(step, told);
  }

  /** Let go of everything that waits for a step, or stop it. */
  #release(step: Step, outcome: Outcome): void {
    const met = isMet(outcome);
    const failsBatch = isFailure(outcome) && this.#plan.onError === "fail-fast" && !this.#stopped;
    // Before its dependents are skipped: what comes after those must not start now.
    if (failsBatch) this.#stopped = true;
    for (const index of this.#needing[step.index]!) {
      this.#open[index]! -= 1;
      if (!met) this.#settle(this.#plan.steps[index]!, skippedAfter(step.id, outcome));
      else if (this.#isCancelled && this.#hasNeeds(index)) this.#settle(this.#plan.steps[index]!, NOT_BEGUN);
    }
    if (failsBatch) this.#abortRest(step);

    for (const index of this.#following[step.index]!) this.#open[index]! -= 1;
    for (const index of [...this.#needing[step.index]!, ...this.#following[step.index]!]) {
      if (this.#isReady(index)) this.#begin(this.#plan.steps[index]!);
    }
    if (this.#left === 0) this.#finished.resolve();
  }

  /** Fail fast: stop everything but what depends on the failed step, which was skipped for that before. */
  #abortRest(failed: Step): void {
    const hint = `Action '${failed.id}' failed first; fix it, then send only what did not succeed again.`;
    const aborted = makeFailure("ABORTED", { hint });
    this.#settleUnstarted(skipped("ABORTED", failed.id));
    for (const ticket of this.#running.values()) ticket.stop(aborted, "wait");
  }

  #onDeadline(): void {
    // When the caller is gone there is no reader of a job's id; writes under way are all that is left.
    const demotion = this.#ended ? undefined : this.#options.demotion;
    this.#ended = true;
    this.#stopped = true;
    const exceeded = deadlineExceeded(this.#plan.deadlineMs);
    const demoted = demotion === undefined ? [] : this.#demotable();
    const spared = new Set([...demoted.map(({ step }) => step.index), ...this.#waitingForPersonOnly()]);
    const stopped = [...this.#running].flatMap(([index, ticket]) => (spared.has(index) ? [] : [ticket]));
    this.#settleUnstarted(failUnsent(exceeded), spared);
    for (const ticket of stopped) ticket.stop(exceeded, "report-unknown");
    if (demoted.length > 0) demotion?.().demote(demoted, exceeded);
  }

  /** Steps that may become jobs: one call, ready to be made or under way, and safe to make twice. */
  #demotable(): Unfinished[] {
    return [...this.#running].flatMap(([index, ticket]) =>
      ticket.wants !== null && isDemotable(ticket.wants.tool)
        ? [{ step: this.#plan.steps[index]!, call: ticket.wants, ticket }]
        : [],
    );
  }

  /** Parked steps for which nothing is missing but a person, whose time it is not. */
  #waitingForPersonOnly(): number[] {
    const isThere = (index: number): boolean =>
      this.#outcomes[index] !== undefined || this.#parked.has(index);
    return [...this.#parked.values()].flatMap(({ step }) => (step.needs.every(isThere) ? [step.index] : []));
  }

  #onDisconnect(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelUnstarted();
    for (const ticket of this.#running.values()) ticket.stop(makeFailure("CANCELLED"), "wait");
  }

  #onClosing(): void {
    if (this.#ended) return;
    const waiting = [...this.#running.values()].filter(({ started }) => !started);
    this.#cancelUnstarted();
    for (const ticket of waiting) ticket.stop(makeFailure("CANCELLED"), "wait");
  }

  /** Settle what was to begin; the rest is skipped because of that, or settled when everything that it needs is over. */
  #cancelUnstarted(): void {
    this.#stopped = true;
    this.#isCancelled = true;
    const waiting = this.#plan.steps.flatMap(({ index }) => (this.#hasNeeds(index) ? [] : [index]));
    this.#settleUnstarted(NOT_BEGUN, new Set(waiting));
  }

  /** Whether everything that a step needs is over. */
  #hasNeeds(index: number): boolean {
    return this.#plan.steps[index]!.needs.every((needed) => this.#outcomes[needed] !== undefined);
  }

  /**
   * Settle what was never dispatched: neither begun, parked or not, nor out of its tool's queue. All of it at once, so that each says
   * why it did not start, and not that another did not.
   */
  #settleUnstarted(outcome: Outcome, spared: ReadonlySet<number> = new Set()): void {
    this.#turn?.cancel();
    const unstarted = this.#plan.steps.filter(
      ({ index }) =>
        this.#outcomes[index] === undefined &&
        this.#running.get(index)?.started !== true &&
        this.#parked.get(index)?.begun === undefined &&
        !spared.has(index),
    );
    for (const step of unstarted) this.#record(step, outcome);
    for (const step of unstarted) this.#release(step, outcome);
  }
}

function hasCall(prepared: Prepared): boolean {
  return callsOf(prepared).length > 0;
}

function callsOf(prepared: Prepared): readonly Call[] {
  if (prepared.kind === "call") return [prepared.call];
  return prepared.calls.flatMap((call) => (call.ok ? [call.value] : []));
}

/** Collect what an earlier run did of a loop; undefined if it did nothing. */
function begunIn(prepared: Prepared | null): Begun | undefined {
  const calls = prepared?.kind === "loop" ? prepared.calls : [];
  const elements = calls.map((call) => (call.ok && call.value.begun) || ASKED_ELEMENT);
  return elements.every((element) => element === ASKED_ELEMENT) ? undefined : { kind: "loop", elements };
}

/** Refuse to make a call of data of which an earlier attempt has left a part. */
function cutAway(id: string): Failure {
  return makeFailure("RESPONSE_TOO_LARGE", { hint: `Only a part of '${id}' was kept; have it answer less.` });
}
