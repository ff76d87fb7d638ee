import { type Failure, makeFailure, type WireFailure } from "../../../core/contract/failure.ts";
import { parseExact } from "../../../core/contract/json.ts";
import type { Outcome } from "../../../core/contract/outcome.ts";
import type { Keeper } from "../../../core/gate/execution.ts";
import type { Clock } from "../../../core/kit/clock.ts";
import { attempt, err, ok } from "../../../core/kit/result.ts";
import { sleep } from "../../../core/kit/sleep.ts";
import * as LIMITS from "../limits.ts";
import { callUndo, keyOf, toEntryJson, toMember, type UndoneEntry, type UndoState } from "../undo-run.ts";

interface Following {
  readonly clock: Clock;
  /** It follows no longer, in milliseconds since the epoch. */
  readonly endsAt: number;
  readonly look: () => Promise<UndoState>;
  /** Told of what is known by now. */
  readonly onState?: ((state: UndoState) => void) | undefined;
}

/** Look what becomes of writes that are being taken back, until nothing more does by itself or the time is over. */
export async function followUndo(
  begun: UndoState,
  { clock, endsAt, look, onState }: Following,
): Promise<UndoState> {
  let state = begun;
  for (let pauseMs = LIMITS.undoLookMs; ; pauseMs = Math.min(2 * pauseMs, LIMITS.undoLookMostMs)) {
    onState?.(state);
    const leftMs = endsAt - clock.now();
    if (state.isSettled || leftMs <= 0) return state;
    await sleep(clock, Math.min(pauseMs, leftMs));
    const looked = await attempt(look);
    if (looked.ok) state = looked.value;
  }
}

/** Make what tells a listener of each entry, once, when that is settled. */
export function tellEntries(
  runId: string,
  onEvent: (name: string, json: string) => void,
): (state: UndoState) => void {
  const told = new Set<string>();
  return ({ entries }) => {
    for (const entry of entries) {
      const key = nameOfEntry(entry, runId);
      if (entry.status === "initiated" || told.has(key)) continue;
      told.add(key);
      onEvent("undone", toEntryJson(entry));
    }
  };
}

/** Answer the decision on a question of an undo: nothing of it runs here, the tenant's object sends what got a yes. */
export function answerDecision(runId: string): Keeper {
  const later = { run: runId };
  return {
    take: (plan) => ok({ ...plan, steps: plan.steps.map((step) => ({ ...step, task: err(NOT_HERE) })) }),
    facts: () => () => ({}),
    open: (plan, { execution, endsAt }) => ({
      later,
      begin: () => Promise.resolve(false),
      end: () => {},
      saw: () => {},
      inside: () => answerDecision(runId),
      async close(outcomes) {
        const { gate, ports } = execution;
        const look = (): Promise<UndoState> => callUndo(gate, "looks", [runId]);
        const { entries } = await followUndo(UNKNOWN, { clock: ports.clock, endsAt, look });
        const byName = new Map(entries.map((entry) => [nameOfEntry(entry, runId), entry]));
        const told = plan.steps.map(({ id }, index): Outcome => {
          const entry = byName.get(id);
          return entry === undefined ? outcomes[index]! : toOutcome(entry, outcomes[index]!);
        });
        return { outcomes: told, members: toMember(entries) };
      },
    }),
  };
}

const NOT_HERE = makeFailure("INTERNAL");
/** Nothing is known yet. */
export const UNKNOWN: UndoState = { entries: [], isSettled: false };

/** Name the write of an entry among those that are kept with a run. */
function nameOfEntry({ id, action, element, run }: UndoneEntry, runId: string): string {
  return keyOf({ id, action, element: element ?? null, run: run === runId ? undefined : run });
}

function toOutcome(
  { status, dataJson: json = "null", error, jobId }: UndoneEntry,
  otherwise: Outcome,
): Outcome {
  const meta = {};
  if (status === "success") return { status, data: parseExact(json), json, meta };
  if (status === "initiated" && jobId !== undefined) return { status, jobId, meta };
  if (error === undefined) return otherwise;
  return { status: status === "unknown" ? status : "error", error: toFailure(error), meta };
}

function toFailure({ code, retryable, hint = "", upstream_status: upstreamStatus }: WireFailure): Failure {
  return makeFailure(code, { retryable, hint, ...(upstreamStatus !== undefined && { upstreamStatus }) });
}
