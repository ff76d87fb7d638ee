import type { PartQuestion } from "../../../cloudflare/durable/object-part.ts";
import { makeJob, type PartWorld } from "../../../feature/tenant.ts";
import type { Aftermath } from "../../../core/contract/gate/part-call.ts";
import type { JobSpec } from "../../../core/contract/gate/job.ts";
import { makeEvent } from "../../../core/contract/gate/outgoing-event.ts";
import { isLive, type Job } from "../../../core/gate/state/outbox.ts";
import * as LIMITS from "../limits.ts";
import { NOT_ENDED, orderWrites, readyWrites } from "../undo-machine.ts";
import {
  type BegunWrite,
  isGone,
  keyOf,
  type KeptWrite,
  type Reversal,
  type RunFacts,
  toMember,
  toWirePlace,
  UNDO,
  type UndoneEntry,
  undoKeyOf,
  type UndoState,
} from "../undo-run.ts";
import { asksFirst, endLost, endWrite, readJob, toolOf } from "./kept-write.ts";
import { type FoundWrite, isGoing, type UndoRun, UndoTable } from "./undo-table.ts";

/** A run, whatever its state is. */
type Run = Pick<UndoRun, "runId" | "facts">;

/** Between the numbers of two writes there is room for all jobs of a run. */
const JOB_SEQ = 1e-6;

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

  /** Write down a write of a run, with what its row says besides. */
  add(runId: string, write: BegunWrite & Partial<KeptWrite> & Pick<KeptWrite, "sentAt">): void {
    this.table.saveWrite(runId, {
      seq: NOT_ENDED,
      state: write.job === undefined ? "waits" : "job",
      ...write,
    });
  }

  /** Forget a write of a run that is over: another has it now. */
  drop(nowMs: number, found: FoundWrite): void {
    this.table.removeWrite(found);
    this.save(nowMs, this.table.run(found.runId)!);
  }

  /** The place of a job that ends now: behind all that has begun or ended. */
  seqOfEnd(runId: string): number {
    const seqs = this.table.writes(runId).map(({ seq }) => (seq === NOT_ENDED ? 0 : seq));
    return Math.max(0, ...seqs) + JOB_SEQ;
  }

  /**
   * Take the writes of a run back. Its open questions get a no, and its jobs are cancelled where none of their attempts is under way, and
   * else waited for.
   */
  undo(nowMs: number, { runId, facts }: Run): void {
    const found = new Set([...(facts.questions ?? []), ...(this.#world.questions()?.of(runId) ?? [])]);
    found.delete(facts.asks?.confirmation?.id ?? "");
    const run = { runId, state: "undoing", dueAt: null, facts: { ...facts, questions: [...found] } } as const;
    // It hears of each no as well, and begins once.
    this.save(nowMs, run);
    this.reject(nowMs, run.facts.questions, facts);
    const { outbox } = this.#world;
    this.change(nowMs, run, (write) => {
      if (write.state !== "job") return write;
      const jobId = write.jobId!;
      const job = outbox.job(jobId, nowMs);
      if (job?.status === "running" && job.attempts > 0) {
        outbox.endWithAttempt(jobId, nowMs);
        return write;
      }
      if (job !== null && isLive(job.status)) outbox.cancel(jobId, nowMs);
      return readJob(write, outbox.job(jobId, nowMs));
    });
  }

  /** Change writes of a run, and do what is to be done then. */
  change(nowMs: number, run: Run, step: (write: KeptWrite) => KeptWrite): void {
    for (const write of this.table.writes(run.runId)) {
      const changed = step(write);
      if (changed !== write) this.table.saveWrite(run.runId, changed);
    }
    this.advance(nowMs, run);
  }

  /** Say no to those of some questions that are open. */
  reject(nowMs: number, questions: readonly string[], { caller: { name } }: RunFacts): void {
    for (const id of questions)
      if (this.statusOf(nowMs, id) === "pending")
        this.#world.questions()?.withdraw(nowMs, id, { name, via: UNDO, reason: "Its batch is undone." });
  }

  /** Do all that is to be done about a run's writes now. */
  advance(nowMs: number, run: Run): void {
    const { runId } = run;
    const all = new Map(this.table.writes(runId).map((write) => [keyOf(write), write]));
    let isCrowded = false;
    for (let goesOn = true; goesOn;) {
      goesOn = false;
      for (const write of readyWrites([...all.values()])) {
        const begun = this.#begin(nowMs, run, write);
        isCrowded ||= begun === null;
        if (begun === null) continue;
        goesOn ||= begun.state === "over";
        all.set(keyOf(write), begun);
        this.table.saveWrite(runId, begun);
      }
    }
    const writes = [...all.values()];
    const asks = this.#ask(nowMs, run, writes);
    const facts = { ...run.facts, ...asks };
    if (writes.some(({ state }) => state !== "over")) {
      const dueAt = isCrowded || asks === null ? nowMs + LIMITS.undoAgainMs : null;
      return this.save(nowMs, { runId, facts, state: "undoing", dueAt });
    }
    // A later undo may ask anew about what got a no, as long as there is the run.
    const days = Number(this.#world.env["VOLLEY_RUNS_DAYS"]) || LIMITS.undoArgsDays;
    const dueAt = writes.some(({ by }) => by !== undefined)
      ? Math.min(...writes.map(({ sentAt }) => sentAt)) + days * 86_400_000
      : null;
    this.save(nowMs, { runId, facts, state: "settled", dueAt });
    for (const id of facts.questions ?? [])
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
  #ask(nowMs: number, run: Run, writes: readonly KeptWrite[]): Pick<RunFacts, "asks"> | null {
    const isOpen = writes.some(
      ({ state, by }) => state === "job" || (state === "sent" && (by === undefined || by.asks !== undefined)),
    );
    if (run.facts.asks !== undefined || isOpen || !writes.some(asksFirst)) return {};
    const jobId = this.#record(nowMs, run, { ...NO_CALL, tool: UNDO }, "asks");
    return jobId === null ? null : { asks: { jobId } };
  }

  /** Begin to take a write back, or say why that cannot be; null where there is no room. */
  #begin(nowMs: number, run: Run, write: KeptWrite): KeptWrite | null {
    const { by, look, tool, accounts } = write;
    if (by === undefined && look === undefined) return endLost(write);
    if (by?.error !== undefined) return endWrite(write, { ...by, status: "error" });
    if (asksFirst(write)) return { ...write, state: "asked" };
    const jobId = this.#record(nowMs, run, by ?? { ...NO_CALL, tool, accounts }, keyOf(write));
    return jobId === null ? null : { ...write, state: "sent", jobId };
  }

  /** Record a job of a run; null where there is no room. */
  #record(
    nowMs: number,
    { runId, facts: { caller, account, requestId } }: Run,
    { tool, argsJson, delivery, accounts: ids }: Reversal,
    name: string,
  ): string | null {
    const used = account && ids ? { ...account, ids } : account;
    const { tenant, name: key } = caller;
    const spec: JobSpec = {
      ...makeJob({ id: crypto.randomUUID(), kind: UNDO, args: {} }),
      tool,
      argsJson,
      delivery,
      idempotencyKey: undoKeyOf(runId, name),
      toolJson: JSON.stringify({ caller, account: used, requestId } satisfies RunFacts),
      origin: { tenant, key, requestId, ...(used && { account: used }), batchId: runId, askedAt: nowMs },
    };
    const { recorded } = this.#world.outbox.record(nowMs, [{ index: 0, spec }], { queued: true });
    return recorded.length > 0 ? spec.id : null;
  }

  save(nowMs: number, run: UndoRun): void {
    this.table.saveRun(nowMs, run);
    if (run.dueAt !== null) this.#world.onDue(run.dueAt);
    if (isGoing(run.state)) return;
    const { runId: id, facts } = run;
    const { runs = [id], left = [] } = facts;
    const written = this.#read(id).told.map(({ write: { tool, state }, entry: { status } }) => ({
      tool,
      status: state === "asked" ? ("pending_confirmation" as const) : status,
    }));
    // Those that are left to stand have no row.
    const all = [...left.map((tool) => ({ tool, status: "error" as const })), ...written];
    this.#world.tellAfter({ id, runs, at: nowMs, tools: countWrites(all) });
  }

  tellFailed(runId: string, write: KeptWrite, { spec, fence, updatedAt: atMs }: Job): void {
    const { id, entry } = write;
    const { events, tenant } = this.#world;
    const data = {
      tenant,
      run_id: write.run ?? runId,
      ...toWirePlace(id),
      tool: entry!.tool,
      error: { code: entry!.error?.code },
    };
    const make = () => makeEvent("undo.failed", { atMs, of: `${spec.id}-${fence}` }, data);
    events.record(atMs, make);
    this.#world.tell(atMs, make);
  }

  stateOf(runs: readonly string[]): UndoState {
    const roots = runs.flatMap((id) => [id].concat(this.table.run(id)?.facts.before ?? []));
    const states = [...new Set(roots)].map((root) => this.#read(root));
    return {
      entries: states.flatMap(({ told }) => told.map(({ entry }) => entry)),
      isSettled: states.every(({ isSettled }) => isSettled),
    };
  }

  /**
   * Read the writes of a run with their entries. Those wait for an answer that it is about, and those that are behind them when nothing else
   * is under way.
   */
  #read(root: string) {
    const writes = this.table.writes(root);
    const confirmation = this.table.run(root)?.facts.asks?.confirmation;
    const isMoving = writes.some(({ state }) => state === "sent" || state === "job");
    const isAsked = confirmation !== undefined && !isMoving && readyWrites(writes).length === 0;
    const told = orderWrites(writes).flatMap((write) => {
      const { id, action, element, run = root, state, jobId, isNone } = write;
      if (isNone === true) return [];
      const waits = confirmation && (state === "asked" || (isAsked && state === "waits"));
      const entry: UndoneEntry = {
        id,
        action,
        element: element ?? undefined,
        tool: toolOf(write),
        jobId,
        status: "initiated",
        ...write.entry,
        run,
        root,
        ...(waits && { status: "pending_confirmation", confirmation }),
      };
      return { write, entry };
    });
    return { told, isSettled: isAsked || writes.every(({ state }) => state === "over") };
  }
}

const NO_CALL = { argsJson: "{}", delivery: "at-least-once" } as const;

/** Count by their tools what became of writes. */
function countWrites(writes: readonly Pick<UndoneEntry, "tool" | "status">[]): Aftermath["tools"] {
  return [...Map.groupBy(writes, ({ tool }) => tool)].map(([tool, own]) => {
    const count = (...of: readonly UndoneEntry["status"][]): number =>
      own.filter(({ status }) => of.includes(status)).length;
    return {
      tool,
      gone: own.filter(isGone).length,
      stands: count("error", "unknown"),
      unsure: count("unknown"),
      going: count("initiated"),
      waits: count("pending_confirmation"),
    };
  });
}
