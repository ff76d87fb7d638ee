import { makeFailure } from "../../../core/contract/failure.ts";
import { parseExact } from "../../../feature/schema.ts";
import type { Outcome } from "../../../feature/tool.ts";
import type { BatchListener, Execution, Keeper } from "../../../core/gate/execution.ts";
import { attempt, err, ok } from "../../../feature/refuse.ts";
import { sleep } from "../../../feature/kit.ts";
import * as LIMITS from "../limits.ts";
import { keyOf, toEntryJson, toMember, type UndoneEntry, type UndoState } from "../undo-run.ts";
import { callUndo } from "../undo-methods.ts";

interface Following {
  readonly execution: Pick<Execution, "gate" | "ports">;
  /** It follows no longer, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** The state that is known already. */
  readonly begun?: UndoState;
  /** Told of each entry, once, when that is settled. */
  readonly onEvent?: BatchListener["onEvent"];
}

/** Look what becomes of the writes of runs that are being taken back, until nothing more does by itself or the time is over. */
export async function followUndo(
  runs: readonly string[],
  { execution: { gate, ports }, endsAt, begun = UNKNOWN, onEvent }: Following,
): Promise<UndoState> {
  const { clock } = ports;
  const told = new Set<string>();
  let state = begun;
  for (let pauseMs = LIMITS.undoLookMs; ; pauseMs = Math.min(2 * pauseMs, LIMITS.undoLookMostMs)) {
    for (const entry of state.entries) {
      const key = nameOfEntry(entry, runs[0]!);
      if (entry.status === "initiated" || told.has(key)) continue;
      told.add(key);
      onEvent?.("undone", toEntryJson(entry));
    }
    const leftMs = endsAt - clock.now();
    if (state.isSettled || leftMs <= 0) return state;
    await sleep(clock, Math.min(pauseMs, leftMs));
    const looked = await attempt(() => callUndo(gate, "looks", runs));
    if (looked.ok) state = looked.value;
  }
}

/** Answer the decision on a question of an undo: nothing of it runs here, the tenant's object sends what got a yes. */
export function answerDecision(run: string): Keeper {
  return {
    take: (plan) => ok({ ...plan, steps: plan.steps.map((step) => ({ ...step, task: err(NOT_HERE) })) }),
    facts: () => () => ({}),
    open: ({ steps }, { execution, endsAt }) => ({
      later: { run },
      begin: () => Promise.resolve(false),
      end: () => {},
      saw: () => {},
      inside: () => answerDecision(run),
      async close(outcomes) {
        const { entries } = await followUndo([run], { execution, endsAt });
        const told = outcomes.map((outcome, index) => {
          const entry = entries.find((one) => nameOfEntry(one, run) === steps[index]!.id);
          return entry === undefined ? outcome : toOutcome(entry, outcome);
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
  const { code, retryable, hint = "", upstream_status: told } = error;
  const failure = makeFailure(code, { retryable, hint, ...(told !== undefined && { upstreamStatus: told }) });
  return { status: status === "unknown" ? status : "error", error: failure, meta };
}
