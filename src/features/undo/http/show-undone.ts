import type { Gives } from "../../../feature/gives.ts";
import { parseExact } from "../../../feature/schema.ts";
import { callUndo, isGone, toWirePlace, type UndoneEntry, undoneIn } from "../undo-run.ts";

export const afterRuns: Gives["afterRuns"] = {
  async show({ names, startedAt, actions }, { gate }) {
    const { entries } = await callUndo(gate, "looks", names);
    const isOf = (entry: UndoneEntry, action: (typeof actions)[number]): boolean => {
      const { id, round } = toWirePlace(entry.id);
      if (action.id !== id) return false;
      return round === undefined ? (action.batch_id ?? entry.run) === entry.run : action.round === round;
    };
    const told = entries.flatMap((entry) => {
      const action = actions.find((one) => isOf(entry, one));
      return action === undefined ? [] : [toShown(entry, action.round, startedAt)];
    });
    if (told.length === 0) return {};
    const marked = actions.map((action) => {
      const undone = undoneIn(entries.filter((entry) => isOf(entry, action)));
      return undone === undefined ? action : { ...action, undone };
    });
    return { actions: marked, undone: told };
  },
  async goneOf(runs, { gate }) {
    const { entries, isSettled } = await callUndo(gate, "looks", runs);
    if (!isSettled) return null;
    const ofRuns = Map.groupBy(entries, ({ run = "" }) => run);
    return new Map([...ofRuns].map(([run, all]) => [run, goneIn(all)]));
  },
};

function toShown(entry: UndoneEntry, round: number | undefined, runStartedAt: number): object {
  const { id, action, element, tool, status, dataJson, error, startedAt, endedAt, tries = [], jobId } = entry;
  return {
    id: toWirePlace(id).id,
    round,
    action,
    element,
    tool,
    status,
    ...(dataJson !== undefined && { data: parseExact(dataJson) }),
    error,
    ...(startedAt !== undefined && { started_ms: startedAt - runStartedAt }),
    ...(startedAt !== undefined && endedAt !== undefined && { duration_ms: endedAt - startedAt }),
    ...(tries.length > 0 && {
      tries: tries.map(({ at, durationMs, code }) => ({
        started_ms: at - runStartedAt,
        duration_ms: durationMs,
        code,
      })),
    }),
    job_id: jobId,
  };
}

/** An action is gone when nothing of it stands; one that is gone in part, or in doubt, is unsure. */
function goneIn(entries: readonly UndoneEntry[]): ReadonlyMap<string, "gone" | "unsure"> {
  const all = [...Map.groupBy(entries, ({ id }) => toWirePlace(id).id)];
  return new Map(
    all.flatMap(([id, own]): (readonly [string, "gone" | "unsure"])[] => {
      const gone = own.filter(isGone).length;
      const isUnsure = gone > 0 || own.some(({ status }) => status === "unknown");
      if (gone === own.length) return [[id, "gone"]];
      return isUnsure ? [[id, "unsure"]] : [];
    }),
  );
}
