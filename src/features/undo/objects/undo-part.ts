import type { PartHost } from "../../../cloudflare/durable/object-part.ts";
import {
  createKind,
  type ObjectPart,
  type OpenPart,
  type PartMethods,
  type PartWorld,
} from "../../../feature/tenant.ts";
import type { AttemptEnd, JobClaim, JobSpec } from "../../../core/contract/gate/job.ts";
import { isLive, type Job, toJobRecord } from "../../../core/gate/state/outbox.ts";
import * as LIMITS from "../limits.ts";
import { nameOf, NOT_ENDED, orderWrites } from "../undo-machine.ts";
import {
  type AskedPlace,
  type Back,
  type ClosedRun,
  keyOf,
  type KeptWrite,
  type Reversal,
  toWirePlace,
  UNDO,
  type UndoState,
  wasRejected,
  type WritePlace,
} from "../undo-run.ts";
import { type BegunJob, type UndoMethods } from "../undo-methods.ts";
import { asksFirst, decideWrite, endWrite, readJob, settleWrite } from "./kept-write.ts";
import { type FoundWrite, isAsking, isGoing, TABLES, type UndoRun, type UndoTable } from "./undo-table.ts";
import { UndoRuns } from "./undo-runs.ts";

/** Make the part of a tenant's object that takes writes back. @param attempt makes an attempt at one */
export function createUndoPart(
  attempt: (claim: JobClaim, host: PartHost) => Promise<AttemptEnd>,
): ObjectPart {
  return {
    name: UNDO,
    steps: [TABLES],
    createKind: (host) =>
      createKind({
        name: UNDO,
        atOnce: LIMITS.undosAtOnce,
        most: LIMITS.undoBacklog,
        // One that failed for good may be asked for again.
        mayMend: "unless refused",
        attempt: (claim) => attempt(claim, host),
      }),
    open: (world) => new UndoPart(world),
  };
}

/** Name a write as its own batch does, which knows of no rounds. */
function keyInBatch(write: WritePlace): string {
  return keyOf({ ...write, id: toWirePlace(write.id).id });
}

class UndoPart implements OpenPart {
  readonly #world: PartWorld;
  readonly #runs: UndoRuns;
  readonly #table: UndoTable;
  readonly methods: PartMethods<UndoMethods>;

  constructor(world: PartWorld) {
    this.#world = world;
    this.#runs = new UndoRuns(world);
    this.#table = this.#runs.table;
    const { outbox } = world;
    this.methods = {
      begin: (now, runId, write, facts, again) => {
        const run = this.#table.run(runId);
        const asks = again === true && run?.facts.before === undefined;
        const before = asks ? this.#table.runBefore(runId, write.key!) : undefined;
        if (before !== undefined && before.state !== "parked") {
          if (before.state === "open") this.#runs.undo(now, before);
          this.#runs.open(now, runId, { ...facts, ...run?.facts, before: before.runId });
          return false;
        }
        const isGone = run !== undefined && (!isGoing(run.state) || run.facts.before !== undefined);
        if (isGone && write.job === undefined) return false;
        // A job is written down once.
        if (write.job === undefined || this.#table.write(runId, keyOf(write)) === undefined)
          this.#runs.add(runId, { ...write, needs: needsOf(write, run), sentAt: now });
        if (isGone) this.#runs.undo(now, run);
        else this.#runs.open(now, runId, { ...facts, ...run?.facts });
        return !isGone;
      },
      end: (now, runId, place, { seq, by, accounts, code }) => {
        const run = this.#table.run(runId);
        const { write } = this.#table.write(runId, keyOf(place)) ?? {};
        // The end of one that was told as lost may come late: as long as nothing was sent for it, it counts.
        if (run === undefined || write === undefined || write.by !== undefined || write.jobId !== undefined)
          return;
        if (seq === undefined) this.#table.saveWrite(runId, endWrite({ ...write, isNone: true }));
        else if (by === undefined) this.#table.saveWrite(runId, { ...write, seq, accounts, code });
        else this.#table.saveWrite(runId, { ...write, seq, by, entry: undefined, state: "waits" });
        if (run.state !== "open") this.#runs.advance(now, run);
      },
      hold: (now, runId) => {
        const run = this.#table.run(runId);
        if (run?.state !== "open") return false;
        this.#runs.save(now, { ...run, dueAt: now + LIMITS.undoLeaseMs });
        return true;
      },
      close: (now, runId, facts, { isFailed, ...asked }) => {
        const run = this.#table.run(runId) ?? { runId, state: "open", dueAt: null, facts };
        if (facts.jobId !== undefined) {
          const { questions, needs } = asked;
          const waits = questions.length > 0 && { questions, needs };
          if (run.state === "open")
            this.#runs.save(now, { ...run, facts: { ...run.facts, isFailed, ...waits } });
          return null;
        }
        if (!isFailed && isGoing(run.state) && this.#park(now, run, asked)) return null;
        const known = this.#table.run(runId) ?? run;
        if (known.state !== "settled") this.#runs.undo(now, known);
        const { questions = [] } = this.#table.run(runId)?.facts ?? {};
        const isWithdrawn = (id: string): boolean => this.#runs.statusOf(now, id) === "rejected";
        return { ...this.#runs.stateOf([runId]), withdrawn: questions.filter(isWithdrawn) };
      },
      claim: (now, root, runs, facts, asked, isDry) => {
        const known = runs.flatMap((id) => this.#table.run(id) ?? []);
        const isUnderWay = known.some(
          ({ runId, state }) =>
            state === "open" || (state === "undoing" && !this.#runs.stateOf([runId]).isSettled),
        );
        const { questions } = asked;
        if (isUnderWay || questions.some((id) => this.#runs.statusOf(now, id) === "running"))
          return { retryAfterMs: LIMITS.undoAgainMs };
        if (!isDry) {
          this.#runs.reject(now, questions, facts);
          for (const run of known) if (run.state === "parked") this.#runs.undo(now, run);
        }
        // A run that waits for a person is undone only when this is asked for.
        const row = (run: string, key: string): FoundWrite | undefined =>
          isDry && this.#table.run(run)?.state === "parked" ? undefined : this.#table.write(run, key);
        const stored = ({ run, asker = run, ...write }: AskedPlace): FoundWrite | undefined =>
          row(run, keyInBatch(write)) ?? row(root, keyOf({ ...write, run })) ?? row(asker, keyInBatch(write));
        // A batch that was an action may have been undone by itself.
        const isNew = (write: AskedPlace): boolean => {
          const before = stored(write)?.write;
          const isUnasked = before === undefined || (before.entry !== undefined && wasRejected(before.entry));
          return isUnasked && !known.some(({ runId }) => runId === write.batch);
        };
        const writes = asked.writes.filter(isNew);
        if (isDry) {
          const waits = writes.map((write) => ({ seq: NOT_ENDED, ...write, state: "waits" as const }));
          return { ...this.#looks(runs), planned: orderWrites(waits) };
        }
        for (const write of writes) {
          const own = { ...write, run: write.run === root ? undefined : write.run };
          const before = stored(write);
          // People are asked once more about a call that got a no, by what was kept of it then.
          const by = before?.write.by ?? write.by;
          this.#runs.add(root, before ? { ...own, job: undefined, jobId: undefined, by } : own);
          if (before !== undefined && before.runId !== root) this.#runs.drop(now, before);
        }
        const own = this.#table.run(root)?.facts;
        const more = {
          runs: [...new Set([...(own?.runs ?? []), ...runs])],
          left: asked.left.filter(isNew).map(({ tool }) => tool),
        };
        if (writes.length > 0) this.#runs.undo(now, { runId: root, facts: { ...own, ...facts, ...more } });
        return { ...this.#runs.stateOf(runs), planned: [] };
      },
      looks: (_, runs) => this.#looks(runs),
      open: (now, jobId, fence) => {
        if (!outbox.holds(jobId, fence)) return null;
        const found = this.#table.ofJob(jobId);
        if (found !== undefined) return { write: found.write, tries: outbox.job(jobId, now)?.tries ?? [] };
        const { runId, facts } = this.#table.runOfJob(jobId) ?? {};
        if (runId === undefined || facts?.asks?.jobId !== jobId) return null;
        const asks = orderWrites(this.#table.writes(runId).filter(asksFirst));
        return { asks, runId, callback: facts.callback };
      },
      found: (_, jobId, fence, told) => {
        const found = this.#table.ofJob(jobId);
        if (found === undefined || !outbox.holds(jobId, fence)) return false;
        this.#table.saveWrite(found.runId, { ...found.write, ...told });
        return true;
      },
      asked: (now, jobId, fence, confirmation, names) => {
        const run = this.#table.runOfJob(jobId);
        if (run === undefined || !outbox.holds(jobId, fence)) return;
        const { runId, facts } = run;
        const asks = confirmation === null ? undefined : { jobId, confirmation };
        this.#runs.change(now, { runId, facts: { ...facts, asks } }, (write) => {
          if (!asksFirst(write)) return write;
          const isAsked = confirmation !== null && names.includes(keyOf(write));
          if (isAsked) return { ...write, question: confirmation.id };
          // Its attempt finds what is wrong with a call about which no question could be made.
          return { ...write, by: { ...(write.by as Reversal), asks: undefined }, state: "waits" };
        });
        // It may have been decided before this came.
        this.changed(now);
      },
    };
  }

  kept(nowMs: number, { id: jobId, kept }: JobSpec): void {
    const [runId, write, facts] = JSON.parse(kept!) as BegunJob;
    this.methods.begin(nowMs, runId, { ...write, jobId }, facts);
  }

  /** Nothing is under way of a run that waits for a person. */
  #looks(runs: readonly string[]): UndoState {
    return this.#runs.stateOf(runs.filter((id) => this.#table.run(id)?.state !== "parked"));
  }

  get nextAt(): number | null {
    return this.#table.nextAt;
  }

  /** Take runs that said nothing any more for lost, ask again for room, and forget what is kept for too long. */
  take(nowMs: number): void {
    for (const run of this.#table.live) {
      if ((run.dueAt ?? Infinity) > nowMs) continue;
      if (run.state === "settled") this.#runs.forgetArgs(nowMs, run);
      else this.#runs.undo(nowMs, run);
    }
  }

  looksAfter(runId: string): boolean {
    return this.#table.run(runId) !== undefined;
  }

  /** Hear of questions: a run goes on with a yes, and is undone without one. */
  changed(nowMs: number): void {
    for (const run of this.#table.live) {
      if (!isAsking(run)) continue;
      if (!isGoing(run.state)) {
        this.#hearDecision(nowMs, run);
        continue;
      }
      const found = run.facts.questions!.map((id) => this.#runs.statusOf(nowMs, id));
      if (found.some((status) => status === "rejected" || status === "expired")) this.#runs.undo(nowMs, run);
      else if (run.state === "parked" && found.includes("running"))
        this.#runs.open(nowMs, run.runId, run.facts);
    }
  }

  /** Hear whether people said yes to the calls that take writes of a run back. */
  #hearDecision(nowMs: number, { runId, facts }: UndoRun): void {
    const { id } = facts.asks!.confirmation!;
    const status = this.#runs.statusOf(nowMs, id);
    if (status === "pending") return;
    const isYes = status === "running" || status === "done";
    const args = this.#world.questions()?.look(nowMs, id)?.args;
    const questions = [...(facts.questions ?? []), id];
    this.#runs.change(nowMs, { runId, facts: { ...facts, asks: undefined, questions } }, (write) =>
      write.question === id ? decideWrite(write, isYes, args?.[keyOf(write)]) : write,
    );
  }

  /** Hear that people could not be asked: what was to be asked about stands. */
  #hearUnasked({ runId, facts }: UndoRun, job: Job): void {
    if (facts.asks?.jobId !== job.spec.id || job.status === "succeeded") return;
    this.#runs.change(job.updatedAt, { runId, facts: { ...facts, asks: undefined } }, (write) =>
      asksFirst(write) ? settleWrite({ ...write, isApproved: true }, job) : write,
    );
  }

  /**
   * Let a run wait for its open questions, or forget one without any. False where a question got a no meanwhile.
   */
  #park(
    nowMs: number,
    { runId, facts }: Pick<UndoRun, "runId" | "facts">,
    { questions: asked, needs, answered }: Omit<ClosedRun, "isFailed">,
  ): boolean {
    const all = [...(facts.questions ?? []), ...asked];
    const questions = all.filter((id) => id !== answered && this.#runs.statusOf(nowMs, id) !== "done");
    if (questions.length === 0) {
      this.#table.remove(runId);
      return true;
    }
    const { jobId: _, ...own } = facts;
    const waiting = { ...own, questions, needs: { ...facts.needs, ...needs } };
    this.#runs.save(nowMs, { runId, state: "parked", dueAt: null, facts: waiting });
    // They may have been decided before this came.
    this.changed(nowMs);
    return isGoing(this.#table.run(runId)!.state);
  }

  turned(job: Job): void {
    this.#hearOfRun(job);
    const found = this.#table.ofJob(job.spec.id);
    const run = found && this.#table.run(found.runId);
    if (run === undefined) return;
    const { runId, write } = found!;
    const isGone = !isGoing(run.state);
    if (write.state === "job") {
      if (isLive(job.status)) return;
      const { keptJson } = job;
      const own = { ...write.job!, ...(keptJson && { found: JSON.parse(keptJson) as Back }) };
      const told = { ...write, seq: this.#runs.seqOfEnd(runId), job: own };
      // Its end is read when its run fails.
      this.#table.saveWrite(runId, isGone ? readJob(told, toJobRecord(job)) : told);
    } else {
      const settled = settleWrite(write, job);
      this.#table.saveWrite(runId, settled);
      if (settled.entry?.status === "error") this.#runs.tellFailed(runId, settled, job);
    }
    if (isGone) this.#runs.advance(job.updatedAt, run);
  }

  /** Hear of the end of a job that is a run: one that failed, or was cancelled, is undone. */
  #hearOfRun(job: Job): void {
    const run = isLive(job.status) ? undefined : this.#table.runOfJob(job.spec.id);
    if (run === undefined) return;
    if (run.state !== "open") return this.#hearUnasked(run, job);
    if (job.status === "succeeded" && run.facts.isFailed !== true)
      this.#park(job.updatedAt, run, { questions: [], needs: {} });
    else this.#runs.undo(job.updatedAt, run);
  }

  prune(nowMs: number): void {
    this.#table.prune(nowMs - LIMITS.undoneKeptMs);
  }
}

/** Find the actions that a write depended on: after a yes it was planned without the rest of its batch. */
function needsOf(
  { needs, ...place }: Pick<KeptWrite, "needs" | "id" | "action">,
  run: UndoRun | undefined,
): readonly string[] {
  return [...new Set([...needs, ...(run?.facts.needs?.[nameOf(place)] ?? [])])];
}
