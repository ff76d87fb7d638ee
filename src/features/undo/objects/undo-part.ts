import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";
import type {
  ObjectPart,
  OpenPart,
  PartHost,
  PartQuestion,
  PartWorld,
} from "../../../cloudflare/durable/object-part.ts";
import type { AttemptEnd, JobClaim, JobSpec } from "../../../core/contract/gate/job.ts";
import { makeEvent } from "../../../core/contract/gate/outgoing-event.ts";
import type { Aftermath, PartMethods } from "../../../core/contract/gate/part-call.ts";
import { jobAttempts, jobBackoffInitialMs } from "../../../core/contract/limits.ts";
import { isLive, type Job, toJobRecord } from "../../../core/gate/state/outbox.ts";
import { deriveId } from "../../../core/kit/derive-id.ts";
import { createKind } from "../../../feature/tenant.ts";
import * as LIMITS from "../limits.ts";
import { orderWrites, readyWrites } from "../undo-machine.ts";
import {
  type AskedPart,
  type AskedPlace,
  type JobOfRun,
  keyOf,
  nameOf,
  type OpenedEntry,
  type Reversal,
  type RunFacts,
  toMember,
  toWirePlace,
  UNDO,
  undoKeyOf,
  type UndoMethods,
  type UndoState,
  type WritePlace,
} from "../undo-run.ts";
import {
  askAnew,
  asksFirst,
  countWrites,
  decideWrite,
  endWrite,
  letGo,
  type KeptWrite,
  LOST,
  readJob,
  settleWrite,
  toEntry,
} from "./kept-write.ts";
import { isGoing, TABLES, type UndoRun, UndoTable } from "./undo-table.ts";

/** Make the part of a tenant's object that takes writes back. @param attemptOf makes an attempt at one */
export function createUndoPart(
  attemptOf: (host: PartHost) => (claim: JobClaim) => Promise<AttemptEnd>,
): ObjectPart {
  return {
    name: UNDO,
    steps: [TABLES],
    createKind: (host) => createUndoKind(attemptOf(host)),
    open: (world) => new UndoPart(world),
  };
}

function createUndoKind(attempt: (claim: JobClaim) => Promise<AttemptEnd>): JobKind {
  const { undosAtOnce: atOnce, undoBacklog: most } = LIMITS;
  // One that failed for good may be asked for again.
  return createKind({ name: UNDO, atOnce, most, mayMend: "unless refused", attempt });
}

/** Positions of the jobs of a run, away from those of its actions. */
const JOBS_FROM = 0x8000;

/** Name a write as its own batch does, which knows of no rounds. */
function keyInBatch(write: WritePlace): string {
  return keyOf({ ...write, id: toWirePlace(write.id).id });
}

/** Whether a write was not asked for yet, or a person said no. */
function isUnasked(write: KeptWrite | null): boolean {
  return write === null || write.entry?.error?.code === "CONFIRMATION_REJECTED";
}

class UndoPart implements OpenPart {
  readonly #world: PartWorld;
  readonly #table: UndoTable;
  readonly methods: PartMethods<UndoMethods>;

  constructor(world: PartWorld) {
    this.#world = world;
    this.#table = new UndoTable(world.storage.sql);
    const { outbox } = world;
    this.methods = {
      begin: (now, runId, write, facts) => {
        const run = this.#table.run(runId);
        if (run !== null && !isGoing(run.state)) return false;
        this.#open(now, runId, { ...facts, ...run?.facts });
        const place = this.#table.write(runId, keyOf(write))?.place ?? this.#table.countWrites(runId);
        const needs = needsOf(write, run);
        this.#table.saveWrite(runId, { ...write, needs, state: "waits", place, sentAt: now });
        return true;
      },
      tell: (now, runId, isFailed, facts, { questions, needs }) => {
        const run = this.#table.run(runId) ?? { runId, state: "open", dueAt: null, facts };
        if (run.state !== "open") return;
        const asked = questions.length > 0 && { questions, needs };
        this.#save(now, { ...run, facts: { ...run.facts, isFailed, ...asked } });
      },
      end: (now, runId, place, end) => {
        const run = this.#table.run(runId);
        const write = this.#table.write(runId, keyOf(place));
        // The end of one that was told as lost may come late: as long as nothing was sent for it, it counts.
        if (run === null || write === null || write.by !== undefined || write.jobId !== undefined) return;
        if (end.kind === "void") this.#table.saveWrite(runId, endWrite({ ...write, isNone: true }));
        else if (end.kind === "doubt") this.#table.saveWrite(runId, { ...write, seq: end.seq });
        else {
          const { entry: _, ...known } = write;
          this.#table.saveWrite(runId, { ...known, seq: end.seq, by: end.by, state: "waits" });
        }
        if (run.state !== "open") this.#advance(now, { ...run, state: "undoing" });
      },
      hold: (now, runId) => {
        const run = this.#table.run(runId);
        if (run?.state !== "open") return false;
        this.#save(now, { ...run, dueAt: now + LIMITS.undoLeaseMs });
        return true;
      },
      keep: (now, runId, facts, asked) => {
        const run = this.#table.run(runId);
        if (run !== null && !isGoing(run.state)) return false;
        return this.#park(now, { runId, facts: run?.facts ?? facts }, asked);
      },
      undo: (now, runId, facts, jobs) => {
        const known = this.#table.run(runId);
        if (known !== null && known.state === "settled" && jobs.length === 0) return this.#stateOf([runId]);
        for (const job of jobs) this.#add(now, runId, job);
        this.#undo(now, { runId, facts: known?.facts ?? facts, state: "undoing", dueAt: null });
        return this.#stateOf([runId]);
      },
      job: (now, runId, job, facts) => {
        const run = this.#table.run(runId);
        this.#add(now, runId, { ...job, needs: needsOf(job, run) });
        if (run === null || isGoing(run.state)) this.#open(now, runId, run?.facts ?? facts);
        else this.#undo(now, run);
      },
      claim: (now, root, runs, facts, { writes, jobs, left, questions }) => {
        const known = runs.flatMap((id) => this.#table.run(id) ?? []);
        const isUnderWay = known.some(
          ({ runId, state }) =>
            state === "open" || (state === "undoing" && !this.#stateOf([runId]).isSettled),
        );
        if (isUnderWay || questions.some((id) => this.#statusOf(now, id) === "running"))
          return { retryAfterMs: LIMITS.undoAgainMs };
        this.#reject(now, questions, facts);
        for (const run of known) if (run.state === "parked") this.#undo(now, run);
        const stored = ({ run, asker, ...write }: AskedPlace): KeptWrite | null =>
          this.#table.write(run, keyInBatch(write)) ??
          this.#table.write(root, keyOf({ ...write, run })) ??
          (asker === undefined ? null : this.#table.write(asker, keyInBatch(write)));
        // A batch that was an action may have been undone by itself.
        const isNew = (write: AskedPlace): boolean =>
          (write.batch === undefined || this.#table.run(write.batch) === null) && isUnasked(stored(write));
        const placed = <Write extends AskedPlace>({ run, ...write }: Write) => ({
          ...write,
          ...(run !== root && { run }),
        });
        const [newWrites, newJobs] = [writes.filter(isNew), jobs.filter(isNew)];
        const more = {
          runs: [...new Set([...(this.#table.run(root)?.facts.runs ?? []), ...runs])],
          left: left.filter(isNew).map(({ tool }) => tool),
        };
        for (const write of newWrites) {
          const before = stored(write);
          const place = before?.place ?? this.#table.countWrites(root);
          const again = before !== null && { isAgain: true as const };
          this.#table.saveWrite(root, { ...placed(write), ...again, state: "waits", place });
        }
        for (const job of newJobs) {
          const before = stored(job);
          if (before === null) this.#add(now, root, placed(job));
          else this.#table.saveWrite(root, askAnew(before));
        }
        const own = { ...this.#table.run(root)?.facts, ...facts };
        if (newWrites.length + newJobs.length > 0)
          this.#undo(now, { runId: root, facts: { ...own, ...more }, state: "undoing", dueAt: null });
        return this.#stateOf(runs);
      },
      // Nothing is under way of a run that waits for a person.
      looks: (_, runs) => this.#stateOf(runs.filter((id) => this.#table.run(id)?.state !== "parked")),
      look: (_, runId) => {
        const run = this.#table.run(runId);
        return run === null || isGoing(run.state) ? null : this.#stateOf([runId]);
      },
      open: (now, jobId, fence) => {
        if (!outbox.holds(jobId, fence)) return null;
        const found = this.#table.ofJob(jobId);
        if (found === null) return this.#openQuestion(jobId);
        const { by, look, tool, sentAt, isApproved } = found.write;
        return {
          tries: outbox.job(jobId, now)?.tries ?? [],
          ...(by !== undefined && "argsJson" in by && { by }),
          ...(isApproved && { isApproved }),
          ...(by === undefined && look !== undefined && { doubt: { ...look, tool, sentAt } }),
        };
      },
      found: (_, jobId, fence, by) => {
        const found = this.#table.ofJob(jobId);
        if (found === null || !outbox.holds(jobId, fence)) return false;
        const { runId, write } = found;
        this.#table.saveWrite(runId, by === null ? { ...write, isNone: true } : { ...write, by });
        return true;
      },
      asked: (now, jobId, fence, confirmation, names) => {
        const run = this.#table.runOfJob(jobId);
        if (run === null || !outbox.holds(jobId, fence)) return;
        const { runId, facts } = run;
        for (const write of this.#table.writes(runId).filter(asksFirst))
          if (confirmation !== null && names.includes(keyOf(write)))
            this.#table.saveWrite(runId, { ...write, question: confirmation.id });
          else this.#table.saveWrite(runId, letGo(write));
        const { asks: _, ...rest } = facts;
        const asks = confirmation !== null && { asks: { jobId, confirmation } };
        this.#advance(now, { ...run, facts: { ...rest, ...asks } });
        // It may have been decided before this came.
        this.changed(now);
      },
    };
  }

  /** Find the calls that a job asks people about. */
  #openQuestion(jobId: string): OpenedEntry | null {
    const run = this.#table.runOfJob(jobId);
    if (run?.facts.asks?.jobId !== jobId) return null;
    const writes = orderWrites(this.#table.writes(run.runId).filter(asksFirst));
    const calls = writes.map((write) => ({ ...(write.by as Reversal), name: keyOf(write) }));
    return { tries: [], asks: { runId: run.runId, calls, callback: run.facts.callback } };
  }

  get nextAt(): number | null {
    return this.#table.nextAt;
  }

  /** Take runs that said nothing any more for lost, and ask again for room. */
  take(nowMs: number): void {
    for (const runId of this.#table.due(nowMs)) {
      const run = this.#table.run(runId)!;
      this.#undo(nowMs, { ...run, dueAt: null });
    }
  }

  looksAfter(runId: string): boolean {
    return this.#table.run(runId) !== null;
  }

  /** Hear of questions: a run goes on with a yes, and is undone without one. */
  changed(nowMs: number): void {
    for (const runId of this.#table.asking) {
      const run = this.#table.run(runId)!;
      if (!isGoing(run.state)) {
        this.#hearDecision(nowMs, run);
        continue;
      }
      const found = run.facts.questions!.map((id) => this.#statusOf(nowMs, id));
      if (found.some((status) => status === "rejected" || status === "expired")) this.#undo(nowMs, run);
      else if (run.state === "parked" && found.includes("running")) this.#open(nowMs, runId, run.facts);
    }
  }

  /** Hear whether people said yes to the calls that take writes of a run back. */
  #hearDecision(nowMs: number, run: UndoRun): void {
    const { confirmation } = run.facts.asks!;
    const { id } = confirmation!;
    const status = this.#statusOf(nowMs, id);
    if (status === "pending") return;
    const isYes = status === "running" || status === "done";
    const args = this.#world.questions()?.look(nowMs, id)?.args;
    for (const write of this.#table.writes(run.runId))
      if (write.question === id)
        this.#table.saveWrite(run.runId, decideWrite(write, isYes, args?.[keyOf(write)]));
    const { asks: _, ...facts } = run.facts;
    this.#advance(nowMs, { ...run, facts: { ...facts, asked: [...(facts.asked ?? []), id] } });
  }

  /** Hear that people could not be asked: what was to be asked about stands. */
  #hearUnasked(run: UndoRun, job: Job): void {
    if (run.facts.asks?.jobId !== job.spec.id || isLive(job.status) || job.status === "succeeded") return;
    for (const write of this.#table.writes(run.runId).filter(asksFirst))
      this.#table.saveWrite(run.runId, settleWrite({ ...write, isApproved: true }, job));
    const { asks: _, ...facts } = run.facts;
    this.#advance(job.updatedAt, { ...run, facts });
  }

  /** One that is not kept any more was not decided in time. */
  #statusOf(nowMs: number, id: string): PartQuestion["status"] {
    return this.#world.questions()?.look(nowMs, id)?.status ?? "expired";
  }

  /**
   * Let a run wait for its open questions, or forget one without any. False where a question got a no meanwhile.
   */
  #park(
    nowMs: number,
    { runId, facts }: Pick<UndoRun, "runId" | "facts">,
    { questions: asked, needs, answered }: AskedPart,
  ): boolean {
    const all = [...(facts.questions ?? []), ...asked];
    const questions = all.filter((id) => id !== answered && this.#statusOf(nowMs, id) !== "done");
    if (questions.length === 0) {
      this.#table.remove(runId);
      return true;
    }
    const { jobId: _, ...own } = facts;
    const waiting = { ...own, questions, needs: { ...facts.needs, ...needs } };
    this.#save(nowMs, { runId, state: "parked", dueAt: null, facts: waiting });
    // They may have been decided before this came.
    this.changed(nowMs);
    return isGoing(this.#table.run(runId)!.state);
  }

  turned(job: Job): void {
    this.#hearOfRun(job);
    const found = this.#table.ofJob(job.spec.id);
    const run = found && this.#table.run(found.runId);
    if (found === null || run === null) return;
    const { runId, write } = found;
    if (write.state === "job") {
      // Its end is read when its run fails.
      if (isLive(job.status) || isGoing(run.state)) return;
      this.#table.saveWrite(runId, readJob(write, toJobRecord(job)));
    } else {
      const settled = settleWrite(write, job);
      this.#table.saveWrite(runId, settled);
      if (settled.entry?.status === "error") this.#tellFailed(runId, settled, job);
    }
    this.#advance(job.updatedAt, { ...run, state: "undoing" });
  }

  #tellFailed(runId: string, write: KeptWrite, { spec, fence, updatedAt: atMs }: Job): void {
    const { id, tool, error } = toEntry(write);
    const { events, tenant } = this.#world;
    const data = {
      tenant,
      run_id: write.run ?? runId,
      ...toWirePlace(id),
      tool,
      error: { code: error?.code },
    };
    const make = () => makeEvent("undo.failed", { atMs, of: `${spec.id}-${fence}` }, data);
    events.record(atMs, make);
    this.#world.tell(atMs, make);
  }

  /** Hear of the end of a job that is a run: one that failed, or was cancelled, is undone. */
  #hearOfRun(job: Job): void {
    const run = isLive(job.status) ? null : this.#table.runOfJob(job.spec.id);
    if (run === null) return;
    if (run.state !== "open") return this.#hearUnasked(run, job);
    if (job.status === "succeeded" && run.facts.isFailed !== true)
      this.#park(job.updatedAt, run, { questions: [], needs: {} });
    else this.#undo(job.updatedAt, run);
  }

  #open(nowMs: number, runId: string, facts: RunFacts): void {
    const dueAt = facts.jobId === undefined ? nowMs + LIMITS.undoLeaseMs : null;
    this.#save(nowMs, { runId, state: "open", dueAt, facts });
  }

  prune(nowMs: number): void {
    this.#table.prune(nowMs - LIMITS.undoneKeptMs);
  }

  #save(nowMs: number, run: UndoRun): void {
    this.#table.saveRun(nowMs, run);
    if (run.dueAt !== null) this.#world.onDue(run.dueAt);
    if (isGoing(run.state)) return;
    const { runId: id, facts } = run;
    const { runs = [id], left = [] } = facts;
    this.#world.tellAfter({ id, runs, at: nowMs, tools: this.#countOf(id, left) });
  }

  /** Write down a job of a run, once. */
  #add(nowMs: number, runId: string, { jobId, by, looksFor, ...write }: JobOfRun): void {
    if (this.#table.write(runId, keyOf(write)) !== null) return;
    this.#table.saveWrite(runId, {
      ...write,
      // It ends after all that ended before the answer.
      seq: Number.MAX_SAFE_INTEGER,
      place: this.#table.countWrites(runId),
      sentAt: nowMs,
      state: "job",
      job: { by, ...(looksFor !== undefined && { looksFor }) },
      jobId,
    });
  }

  /** Take the writes of a run back. Its jobs are cancelled where none of their attempts is under way, and else waited for. */
  #undo(nowMs: number, known: UndoRun): void {
    const { outbox } = this.#world;
    const run = this.#withdraw(nowMs, known);
    for (const write of this.#table.writes(run.runId)) {
      if (write.state !== "job") continue;
      const jobId = write.jobId!;
      const job = outbox.job(jobId, nowMs);
      const isUnderWay = job?.status === "running" && job.attempts > 0;
      if (isUnderWay) outbox.endWithAttempt(jobId, nowMs);
      else if (job !== null && isLive(job.status)) outbox.cancel(jobId, nowMs);
      const ended = isUnderWay ? null : outbox.job(jobId, nowMs);
      if (ended !== null) this.#table.saveWrite(run.runId, readJob(write, ended));
      // Nothing is kept of a job that is long over.
      else if (job === null) this.#table.saveWrite(run.runId, { ...write, state: "waits" });
    }
    this.#advance(nowMs, run);
  }

  /** Begin to undo a run: its open questions get a no. */
  #withdraw(nowMs: number, known: UndoRun): UndoRun {
    const { runId, facts } = known;
    const found = new Set([...(facts.questions ?? []), ...(this.#world.questions()?.of(runId) ?? [])]);
    const questions = [...found].filter((id) => id !== facts.asks?.confirmation?.id);
    const run: UndoRun = { ...known, state: "undoing", dueAt: null, facts: { ...facts, questions } };
    // It hears of each no as well, and begins once.
    this.#save(nowMs, run);
    this.#reject(nowMs, questions, facts);
    return run;
  }

  /** Say no to those of some questions that are open. */
  #reject(nowMs: number, questions: readonly string[], { caller: { name } }: RunFacts): void {
    for (const id of questions)
      if (this.#statusOf(nowMs, id) === "pending")
        this.#world.questions()?.withdraw(nowMs, id, { name, reason: WITHDRAWN });
  }

  /** Do all that is to be done about a run's writes now. */
  #advance(nowMs: number, run: UndoRun): void {
    const { runId } = run;
    let writes = this.#table.writes(runId);
    let dueAt: number | null = null;
    for (let ready = readyWrites(writes); ready.length > 0; ready = readyWrites(writes)) {
      const changed = new Map(ready.map((write) => [write, this.#begin(nowMs, run, write)]));
      for (const write of changed.values())
        if (write === null) dueAt = nowMs + LIMITS.undoAgainMs;
        else this.#table.saveWrite(runId, write);
      writes = writes.map((write) => changed.get(write) ?? write);
      if (![...changed.values()].some((write) => write?.state === "over")) break;
    }
    const isOver = writes.every(({ state }) => state === "over");
    const asks = this.#ask(nowMs, run, writes);
    if (asks === null) dueAt = nowMs + LIMITS.undoAgainMs;
    const facts = asks === null ? run.facts : { ...run.facts, ...asks };
    this.#save(nowMs, { ...run, facts, state: isOver ? "settled" : "undoing", dueAt });
    if (!isOver) return;
    const { questions = [], asked = [] } = facts;
    for (const id of [...questions, ...asked])
      this.#world.questions()?.conclude(nowMs, id, toMember(this.#stateOf([runId]).entries));
  }

  /**
   * Have people asked about all calls for which they are, once, when it is known what those are; null where there is no room for that.
   */
  #ask(nowMs: number, run: UndoRun, writes: readonly KeptWrite[]): Pick<RunFacts, "asks"> | null {
    const isOpen = writes.some(
      ({ state, by }) => state === "job" || (state === "sent" && (by === undefined || "asks" in by)),
    );
    if (run.facts.asks !== undefined || isOpen || !writes.some(asksFirst)) return {};
    const asking = { tool: UNDO, argsJson: "{}", delivery: "at-least-once" } as const;
    const spec = this.#toSpec(nowMs, run, { ...asking, id: crypto.randomUUID(), name: "asks" });
    return this.#record(nowMs, spec) ? { asks: { jobId: spec.id } } : null;
  }

  #record(nowMs: number, spec: JobSpec): boolean {
    return this.#world.outbox.record(nowMs, [{ index: 0, spec }], { queued: true }).recorded.length > 0;
  }

  /** Begin to take a write back, or say why that cannot be; null where there is no room. */
  #begin(nowMs: number, run: UndoRun, write: KeptWrite): KeptWrite | null {
    const { by, look, tool } = write;
    if (by === undefined && look === undefined)
      return endWrite(write, { tool, status: "unknown", error: LOST });
    if (by !== undefined && !("argsJson" in by))
      return endWrite(write, { tool: by.tool, status: "error", error: by.error });
    if (asksFirst(write)) return { ...write, state: "asked" };
    const call = by ?? { tool, argsJson: "{}", delivery: "at-least-once" };
    const id = write.isAgain ? crypto.randomUUID() : deriveId(run.runId, JOBS_FROM + write.place);
    const spec = this.#toSpec(nowMs, run, { ...call, id, name: keyOf(write) });
    return this.#record(nowMs, spec) ? { ...write, state: "sent", jobId: id } : null;
  }

  #toSpec(
    nowMs: number,
    { runId, facts }: UndoRun,
    call: Pick<JobSpec, "id" | "tool" | "argsJson" | "delivery"> & { readonly name: string },
  ): JobSpec {
    const { caller, account, requestId } = facts;
    const { id, name, tool, argsJson, delivery } = call;
    return {
      id,
      kind: UNDO,
      tool,
      argsJson,
      delivery,
      idempotencyKey: undoKeyOf(runId, name),
      maxAttempts: jobAttempts,
      backoffInitialMs: jobBackoffInitialMs,
      toolJson: JSON.stringify({ caller, account, requestId } satisfies RunFacts),
      origin: {
        tenant: caller.tenant,
        key: caller.name,
        requestId,
        ...(account !== undefined && { account }),
        batchId: runId,
        askedAt: nowMs,
      },
    };
  }

  #stateOf(runs: readonly string[]): UndoState {
    const states = runs.map((runId) => this.#stateOfOne(runId));
    return {
      entries: states.flatMap(({ entries }) => entries),
      isSettled: states.every(({ isSettled }) => isSettled),
    };
  }

  #stateOfOne(runId: string): UndoState {
    const writes = orderWrites(this.#table.writes(runId));
    const confirmation = this.#table.run(runId)?.facts.asks?.confirmation;
    const asks = confirmation !== undefined && ({ status: "pending_confirmation", confirmation } as const);
    const { isAsked, waits } = this.#waitsOf(runId, writes);
    return {
      entries: writes.flatMap((write) =>
        write.isNone === true ? [] : [{ run: runId, ...toEntry(write), ...(waits(write) && asks) }],
      ),
      isSettled: isAsked || writes.every(({ state }) => state === "over"),
    };
  }

  /** Find the writes that wait for an answer: those that it is about, and those that are behind them when nothing else is under way. */
  #waitsOf(
    runId: string,
    writes: readonly KeptWrite[],
  ): { readonly isAsked: boolean; readonly waits: (write: KeptWrite) => boolean } {
    const confirmation = this.#table.run(runId)?.facts.asks?.confirmation;
    const isMoving = writes.some(({ state }) => state === "sent" || state === "job");
    const isAsked = confirmation !== undefined && !isMoving && readyWrites(writes).length === 0;
    return { isAsked, waits: ({ state }) => state === "asked" || (isAsked && state === "waits") };
  }

  #countOf(runId: string, left: readonly string[]): Aftermath["tools"] {
    const writes = this.#table.writes(runId);
    return countWrites(writes, left, this.#waitsOf(runId, writes).waits);
  }
}

const WITHDRAWN = "Its batch is undone.";

/** Find the actions that a write depended on: after a yes it was planned without the rest of its batch. */
function needsOf(
  { needs, ...place }: Pick<KeptWrite, "needs" | "id" | "action">,
  run: UndoRun | null,
): readonly string[] {
  return [...new Set([...needs, ...(run?.facts.needs?.[nameOf(place)] ?? [])])];
}
