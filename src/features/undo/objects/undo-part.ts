import type { PartHost } from "../../../cloudflare/durable/object-part.ts";
import {
  createKind,
  type ObjectPart,
  type OpenPart,
  type PartMethods,
  type PartWorld,
} from "../../../feature/tenant.ts";
import type { AttemptEnd, JobClaim } from "../../../core/contract/gate/job.ts";
import { isLive, type Job, toJobRecord } from "../../../core/gate/state/outbox.ts";
import * as LIMITS from "../limits.ts";
import { nameOf, NOT_ENDED, orderWrites } from "../undo-machine.ts";
import {
  type AskedPlace,
  type Back,
  type ClosedRun,
  keyOf,
  type Reversal,
  toWirePlace,
  UNDO,
  type UndoState,
  type WritePlace,
} from "../undo-run.ts";
import { type BegunJob, type UndoMethods } from "../undo-methods.ts";
import { asksFirst, decideWrite, endWrite, readJob, settleWrite } from "./kept-write.ts";
import { type FoundWrite, isAsking, isGoing, TABLES, type UndoRun } from "./undo-table.ts";
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
    open: openPart,
  };
}

/** Name a write as its own batch does, which knows of no rounds. */
function keyInBatch(write: WritePlace): string {
  return keyOf({ ...write, id: toWirePlace(write.id).id });
}

function openPart(world: PartWorld): OpenPart {
  const { outbox } = world;
  const runs = new UndoRuns(world);
  const { table } = runs;
  /** Nothing is under way of a run that waits for a person. */
  const looks = (ids: readonly string[]): UndoState =>
    runs.stateOf(ids.filter((id) => table.run(id)?.state !== "parked"));
  const methods: PartMethods<UndoMethods> = {
    begin(now, runId, write, told, again) {
      const run = table.run(runId);
      const facts = { ...told, ...run?.facts };
      const isAgain = again === true && facts.before === undefined;
      const before = isAgain ? table.runBefore(runId, write.key!) : undefined;
      if (before !== undefined && before.state !== "parked") {
        if (before.state === "open") runs.undo(now, before);
        runs.open(now, runId, { ...facts, before: before.runId });
        return false;
      }
      const isGone = run !== undefined && (!isGoing(run.state) || facts.before !== undefined);
      if (isGone && write.job === undefined) return false;
      // After a yes it was planned without the rest of its batch.
      const needs = [...new Set([...write.needs, ...(facts.needs?.[nameOf(write)] ?? [])])];
      // A job is written down once.
      if (write.job === undefined || table.write(runId, keyOf(write)) === undefined)
        runs.add(runId, { ...write, needs, sentAt: now });
      if (isGone) runs.undo(now, run);
      else runs.open(now, runId, facts);
      return !isGone;
    },
    end(now, runId, place, { seq, by, accounts, code }) {
      const run = table.run(runId);
      const { write } = table.write(runId, keyOf(place)) ?? {};
      // The end of one that was told as lost may come late: as long as nothing was sent for it, it counts.
      if (run === undefined || write === undefined || write.by !== undefined || write.jobId !== undefined)
        return;
      if (seq === undefined) table.saveWrite(runId, endWrite({ ...write, isNone: true }));
      else if (by === undefined) table.saveWrite(runId, { ...write, seq, accounts, code });
      else table.saveWrite(runId, { ...write, seq, by, entry: undefined, state: "waits" });
      if (run.state !== "open") runs.advance(now, run);
    },
    hold(now, runId) {
      const run = table.run(runId);
      if (run?.state !== "open") return false;
      runs.save(now, { ...run, dueAt: now + LIMITS.undoLeaseMs });
      return true;
    },
    close(now, runId, facts, { isFailed, ...asked }) {
      const run = table.run(runId) ?? { runId, state: "open", dueAt: null, facts };
      if (facts.jobId !== undefined) {
        const { questions, needs } = asked;
        const waits = questions.length > 0 && { questions, needs };
        if (run.state === "open") runs.save(now, { ...run, facts: { ...run.facts, isFailed, ...waits } });
        return null;
      }
      if (!isFailed && isGoing(run.state) && park(now, run, asked)) return null;
      const known = table.run(runId) ?? run;
      if (known.state !== "settled") runs.undo(now, known);
      const { questions = [] } = table.run(runId)?.facts ?? {};
      const withdrawn = questions.filter((id) => runs.statusOf(now, id) === "rejected");
      return { ...runs.stateOf([runId]), withdrawn };
    },
    claim(now, root, ids, facts, { questions, ...asked }, isDry) {
      const known = ids.flatMap((id) => table.run(id) ?? []);
      const isUnderWay = known.some(
        ({ runId, state }) => state === "open" || (state === "undoing" && !runs.stateOf([runId]).isSettled),
      );
      if (isUnderWay || questions.some((id) => runs.statusOf(now, id) === "running"))
        return { retryAfterMs: LIMITS.undoAgainMs };
      if (!isDry) {
        runs.reject(now, questions, facts);
        for (const run of known) if (run.state === "parked") runs.undo(now, run);
      }
      // A run that waits for a person is undone only when this is asked for.
      const row = (run: string, key: string): FoundWrite | undefined =>
        isDry && table.run(run)?.state === "parked" ? undefined : table.write(run, key);
      const stored = ({ run, asker = run, ...write }: AskedPlace): FoundWrite | undefined =>
        row(run, keyInBatch(write)) ?? row(root, keyOf({ ...write, run })) ?? row(asker, keyInBatch(write));
      const isNew = (write: AskedPlace): boolean => {
        const before = stored(write)?.write;
        const isUnasked = before === undefined || before.entry?.error?.code === "CONFIRMATION_REJECTED";
        // A batch that was an action may have been undone by itself.
        return isUnasked && !known.some(({ runId }) => runId === write.batch);
      };
      const writes = asked.writes.filter(isNew);
      if (isDry) {
        const waits = writes.map((write) => ({ seq: NOT_ENDED, ...write, state: "waits" as const }));
        return { ...looks(ids), planned: orderWrites(waits) };
      }
      for (const write of writes) {
        const own = { ...write, run: write.run === root ? undefined : write.run };
        const before = stored(write);
        // People are asked once more about a call that got a no, by what was kept of it then.
        const by = before?.write.by ?? write.by;
        runs.add(root, before ? { ...own, job: undefined, jobId: undefined, by } : own);
        if (before !== undefined && before.runId !== root) runs.drop(now, before);
      }
      const own = table.run(root)?.facts;
      const more = {
        runs: [...new Set([...(own?.runs ?? []), ...ids])],
        left: asked.left.filter(isNew).map(({ tool }) => tool),
      };
      if (writes.length > 0) runs.undo(now, { runId: root, facts: { ...own, ...facts, ...more } });
      return { ...runs.stateOf(ids), planned: [] };
    },
    looks: (_, ids) => looks(ids),
    open(now, jobId, fence) {
      if (!outbox.holds(jobId, fence)) return null;
      const found = table.ofJob(jobId);
      if (found !== undefined) return { write: found.write, tries: outbox.job(jobId, now)?.tries ?? [] };
      const { runId, facts } = table.runOfJob(jobId) ?? {};
      if (runId === undefined || facts?.asks?.jobId !== jobId) return null;
      const asks = orderWrites(table.writes(runId).filter(asksFirst));
      return { asks, runId, callback: facts.callback };
    },
    found(_, jobId, fence, told) {
      const found = table.ofJob(jobId);
      if (found === undefined || !outbox.holds(jobId, fence)) return false;
      table.saveWrite(found.runId, { ...found.write, ...told });
      return true;
    },
    asked(now, jobId, fence, confirmation, names) {
      const run = table.runOfJob(jobId);
      if (run === undefined || !outbox.holds(jobId, fence)) return;
      const asks = confirmation === null ? undefined : { jobId, confirmation };
      runs.change(now, { ...run, facts: { ...run.facts, asks } }, (write) => {
        if (!asksFirst(write)) return write;
        const isAsked = confirmation !== null && names.includes(keyOf(write));
        if (isAsked) return { ...write, question: confirmation.id };
        // Its attempt finds what is wrong with a call about which no question could be made.
        return { ...write, by: { ...(write.by as Reversal), asks: undefined }, state: "waits" };
      });
      // It may have been decided before this came.
      changed(now);
    },
  };

  /** Hear of questions: a run goes on with a yes, and is undone without one. */
  const changed = (now: number): void => {
    for (const run of table.live) {
      if (!isAsking(run)) continue;
      if (!isGoing(run.state)) {
        hearDecision(now, run);
        continue;
      }
      const found = run.facts.questions!.map((id) => runs.statusOf(now, id));
      if (found.some((status) => status === "rejected" || status === "expired")) runs.undo(now, run);
      else if (run.state === "parked" && found.includes("running")) runs.open(now, run.runId, run.facts);
    }
  };
  /** Hear whether people said yes to the calls that take writes of a run back. */
  const hearDecision = (now: number, { runId, facts }: UndoRun): void => {
    const { id } = facts.asks!.confirmation!;
    const status = runs.statusOf(now, id);
    if (status === "pending") return;
    const isYes = status === "running" || status === "done";
    const args = world.questions()?.look(now, id)?.args;
    const questions = [...(facts.questions ?? []), id];
    runs.change(now, { runId, facts: { ...facts, asks: undefined, questions } }, (write) =>
      write.question === id ? decideWrite(write, isYes, args?.[keyOf(write)]) : write,
    );
  };
  /** Let a run wait for its open questions, or forget one without any. False where a question got a no meanwhile. */
  const park = (
    now: number,
    { runId, facts }: Pick<UndoRun, "runId" | "facts">,
    { questions: asked, needs, answered }: Omit<ClosedRun, "isFailed">,
  ): boolean => {
    const all = [...(facts.questions ?? []), ...asked];
    const questions = all.filter((id) => id !== answered && runs.statusOf(now, id) !== "done");
    if (questions.length === 0) {
      table.remove(runId);
      return true;
    }
    const { jobId: _, ...own } = facts;
    const waiting = { ...own, questions, needs: { ...facts.needs, ...needs } };
    runs.save(now, { runId, state: "parked", dueAt: null, facts: waiting });
    // They may have been decided before this came.
    changed(now);
    return isGoing(table.run(runId)!.state);
  };
  /** Hear of the end of a job that is a run, which is undone where it failed or was cancelled, or that was to ask people. */
  const hearOfRun = (job: Job): void => {
    const run = isLive(job.status) ? undefined : table.runOfJob(job.spec.id);
    if (run === undefined) return;
    const { state, facts } = run;
    const hasSucceeded = job.status === "succeeded";
    if (state === "open") {
      if (hasSucceeded && facts.isFailed !== true) park(job.updatedAt, run, { questions: [], needs: {} });
      else runs.undo(job.updatedAt, run);
    } else if (facts.asks?.jobId === job.spec.id && !hasSucceeded)
      // People could not be asked: what was to be asked about stands.
      runs.change(job.updatedAt, { ...run, facts: { ...facts, asks: undefined } }, (write) =>
        asksFirst(write) ? settleWrite({ ...write, isApproved: true }, job) : write,
      );
  };
  return {
    methods,
    kept(now, { id: jobId, kept }) {
      const [runId, write, facts] = JSON.parse(kept!) as BegunJob;
      methods.begin(now, runId, { ...write, jobId }, facts);
    },
    get nextAt() {
      return table.nextAt;
    },
    /** Take runs that said nothing any more for lost, ask again for room, and forget what is kept for too long. */
    take(now) {
      for (const run of table.live) {
        if ((run.dueAt ?? Infinity) > now) continue;
        if (run.state === "settled") runs.forgetArgs(now, run);
        else runs.undo(now, run);
      }
    },
    looksAfter: (runId) => table.run(runId) !== undefined,
    changed,
    turned(job) {
      hearOfRun(job);
      const found = table.ofJob(job.spec.id);
      const run = found && table.run(found.runId);
      if (run === undefined) return;
      const { runId, write } = found!;
      const isGone = !isGoing(run.state);
      if (write.state === "job") {
        if (isLive(job.status)) return;
        const { keptJson } = job;
        const own = { ...write.job!, ...(keptJson && { found: JSON.parse(keptJson) as Back }) };
        const told = { ...write, seq: runs.seqOfEnd(runId), job: own };
        // Its end is read when its run fails.
        table.saveWrite(runId, isGone ? readJob(told, toJobRecord(job)) : told);
      } else {
        const settled = settleWrite(write, job);
        table.saveWrite(runId, settled);
        if (settled.entry?.status === "error") runs.tellFailed(runId, settled, job);
      }
      if (isGone) runs.advance(job.updatedAt, run);
    },
    prune: (now) => table.prune(now - LIMITS.undoneKeptMs),
  };
}
