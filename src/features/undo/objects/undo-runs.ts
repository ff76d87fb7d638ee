import type { PartQuestion, PartWorld } from "../../../cloudflare/durable/object-part.ts";
import type { JobSpec } from "../../../core/contract/gate/job.ts";
import { makeEvent } from "../../../core/contract/gate/outgoing-event.ts";
import type { Aftermath } from "../../../core/contract/gate/part-call.ts";
import { jobAttempts, jobBackoffInitialMs } from "../../../core/contract/limits.ts";
import { isLive, type Job } from "../../../core/gate/state/outbox.ts";
import { deriveId } from "../../../core/kit/derive-id.ts";
import * as LIMITS from "../limits.ts";
import { NOT_ENDED, orderWrites, readyWrites } from "../undo-machine.ts";
import {
  type Reversal,
  type BegunWrite,
  keyOf,
  type RunFacts,
  toMember,
  toWirePlace,
  UNDO,
  undoKeyOf,
  type UndoState,
} from "../undo-run.ts";
import { asksFirst, countWrites, endWrite, type KeptWrite, LOST, readJob, toEntry } from "./kept-write.ts";
import { isGoing, type UndoRun, UndoTable } from "./undo-table.ts";

/** Positions of the jobs of a run, away from those of its actions. */
const JOBS_FROM = 0x8000;
/** Between the numbers of two writes there is room for all jobs of a run. */
const JOB_SEQ = 1e-6;

/** A write that is to be written down, with what its row says besides. */
type AskedRow = BegunWrite & Partial<KeptWrite> & Pick<KeptWrite, "sentAt">;

/** The runs whose writes are taken back: what is done about each of their writes, and what became of it. */
export class UndoRuns {
  readonly #world: PartWorld;
  readonly table: UndoTable;

  constructor(world: PartWorld) {
    this.#world = world;
    this.table = new UndoTable(world.storage.sql);
  }

  /** One that is not kept any more was not decided in time. */
  statusOf(nowMs: number, id: string): PartQuestion["status"] {
    return this.#world.questions()?.look(nowMs, id)?.status ?? "expired";
  }

  open(nowMs: number, runId: string, facts: RunFacts): void {
    const dueAt = facts.jobId === undefined ? nowMs + LIMITS.undoLeaseMs : null;
    this.save(nowMs, { runId, state: "open", dueAt, facts });
  }

  /** Write down a write of a run, and a job once. */
  add(runId: string, write: AskedRow): void {
    const known = this.table.write(runId, keyOf(write));
    if (known !== null && write.job !== undefined) return;
    this.table.saveWrite(runId, {
      seq: NOT_ENDED,
      place: known?.place ?? this.table.countWrites(runId),
      state: write.job === undefined ? "waits" : "job",
      ...write,
    });
  }

  /** Have people asked once more about a call that got a no. */
  askAnew(runId: string, asked: AskedRow, { by = asked.by, place }: KeptWrite): void {
    const { job: _, jobId: __, ...write } = asked;
    this.add(runId, { ...write, ...(by !== undefined && { by }), place, isAgain: true });
  }

  /** The place of a job that ends now: behind all that has begun or ended. */
  seqOfEnd(runId: string): number {
    const seqs = this.table.writes(runId).map(({ seq }) => (seq === NOT_ENDED ? 0 : seq));
    return Math.max(0, ...seqs) + JOB_SEQ;
  }

  /** Take the writes of a run back. Its jobs are cancelled where none of their attempts is under way, and else waited for. */
  undo(nowMs: number, known: UndoRun): void {
    const { outbox } = this.#world;
    const run = this.#withdraw(nowMs, known);
    for (const write of this.table.writes(run.runId)) {
      if (write.state !== "job") continue;
      const jobId = write.jobId!;
      const job = outbox.job(jobId, nowMs);
      const isUnderWay = job?.status === "running" && job.attempts > 0;
      if (isUnderWay) outbox.endWithAttempt(jobId, nowMs);
      else if (job !== null && isLive(job.status)) outbox.cancel(jobId, nowMs);
      if (!isUnderWay) this.table.saveWrite(run.runId, readJob(write, outbox.job(jobId, nowMs)));
    }
    this.advance(nowMs, run);
  }

  /** Begin to undo a run: its open questions get a no. */
  #withdraw(nowMs: number, known: UndoRun): UndoRun {
    const { runId, facts } = known;
    const found = new Set([...(facts.questions ?? []), ...(this.#world.questions()?.of(runId) ?? [])]);
    const questions = [...found].filter((id) => id !== facts.asks?.confirmation?.id);
    const run: UndoRun = { ...known, state: "undoing", dueAt: null, facts: { ...facts, questions } };
    // It hears of each no as well, and begins once.
    this.save(nowMs, run);
    this.reject(nowMs, questions, facts);
    return run;
  }

  /** Say no to those of some questions that are open. */
  reject(nowMs: number, questions: readonly string[], { caller: { name } }: RunFacts): void {
    for (const id of questions)
      if (this.statusOf(nowMs, id) === "pending")
        this.#world.questions()?.withdraw(nowMs, id, { name, via: UNDO, reason: WITHDRAWN });
  }

  /** Do all that is to be done about a run's writes now. */
  advance(nowMs: number, run: UndoRun): void {
    const { runId } = run;
    let writes = this.table.writes(runId);
    let dueAt: number | null = null;
    for (let ready = readyWrites(writes); ready.length > 0; ready = readyWrites(writes)) {
      const changed = new Map(ready.map((write) => [write, this.#begin(nowMs, run, write)]));
      for (const write of changed.values())
        if (write === null) dueAt = nowMs + LIMITS.undoAgainMs;
        else this.table.saveWrite(runId, write);
      writes = writes.map((write) => changed.get(write) ?? write);
      if (![...changed.values()].some((write) => write?.state === "over")) break;
    }
    const isOver = writes.every(({ state }) => state === "over");
    const asks = this.#ask(nowMs, run, writes);
    if (asks === null) dueAt = nowMs + LIMITS.undoAgainMs;
    const facts = asks === null ? run.facts : { ...run.facts, ...asks };
    // A later undo may ask anew about what got a no, as long as there is the run.
    const days = Number(this.#world.env["VOLLEY_RUNS_DAYS"]) || LIMITS.undoArgsDays;
    if (isOver && writes.some(({ by }) => by !== undefined))
      dueAt = Math.min(...writes.map(({ sentAt }) => sentAt)) + days * 86_400_000;
    this.save(nowMs, { ...run, facts, state: isOver ? "settled" : "undoing", dueAt });
    if (!isOver) return;
    const { questions = [], asked = [] } = facts;
    for (const id of [...questions, ...asked])
      this.#world.questions()?.conclude(nowMs, id, toMember(this.stateOf([runId]).entries));
  }

  /** Forget the arguments of a run that is over. */
  forgetArgs(nowMs: number, run: UndoRun): void {
    for (const write of this.table.writes(run.runId)) this.table.saveWrite(run.runId, endWrite(write));
    this.table.saveRun(nowMs, { ...run, dueAt: null });
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
    call: Pick<JobSpec, "id"> & Omit<Reversal, "asks"> & { readonly name: string },
  ): JobSpec {
    const { caller, requestId } = facts;
    const { id, name, tool, argsJson, delivery, accounts: ids } = call;
    const account = facts.account && ids ? { ...facts.account, ids } : facts.account;
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

  save(nowMs: number, run: UndoRun): void {
    this.table.saveRun(nowMs, run);
    if (run.dueAt !== null) this.#world.onDue(run.dueAt);
    if (isGoing(run.state)) return;
    const { runId: id, facts } = run;
    const { runs = [id], left = [] } = facts;
    this.#world.tellAfter({ id, runs, at: nowMs, tools: this.#countOf(id, left) });
  }

  tellFailed(runId: string, write: KeptWrite, { spec, fence, updatedAt: atMs }: Job): void {
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

  stateOf(runs: readonly string[]): UndoState {
    const states = runs.map((runId) => this.#stateOfOne(runId));
    return {
      entries: states.flatMap(({ entries }) => entries),
      isSettled: states.every(({ isSettled }) => isSettled),
    };
  }

  #stateOfOne(runId: string): UndoState {
    const writes = orderWrites(this.table.writes(runId));
    const confirmation = this.table.run(runId)?.facts.asks?.confirmation;
    const asks = confirmation !== undefined && ({ status: "pending_confirmation", confirmation } as const);
    const { isAsked, waits } = this.#waitsOf(runId, writes);
    return {
      entries: writes.flatMap((write) =>
        write.isNone === true
          ? []
          : [{ ...toEntry(write), run: write.run ?? runId, root: runId, ...(waits(write) && asks) }],
      ),
      isSettled: isAsked || writes.every(({ state }) => state === "over"),
    };
  }

  /** Find the writes that wait for an answer: those that it is about, and those that are behind them when nothing else is under way. */
  #waitsOf(
    runId: string,
    writes: readonly KeptWrite[],
  ): { readonly isAsked: boolean; readonly waits: (write: KeptWrite) => boolean } {
    const confirmation = this.table.run(runId)?.facts.asks?.confirmation;
    const isMoving = writes.some(({ state }) => state === "sent" || state === "job");
    const isAsked = confirmation !== undefined && !isMoving && readyWrites(writes).length === 0;
    return { isAsked, waits: ({ state }) => state === "asked" || (isAsked && state === "waits") };
  }

  #countOf(runId: string, left: readonly string[]): Aftermath["tools"] {
    const writes = this.table.writes(runId);
    return countWrites(writes, left, this.#waitsOf(runId, writes).waits);
  }
}

const WITHDRAWN = "Its batch is undone.";
