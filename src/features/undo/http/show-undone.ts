import type { Gives } from "../../../feature/gives.ts";
import { parseExact } from "../../../feature/schema.ts";
import type { JobRecord } from "../../../feature/tool.ts";
import {
  callUndo,
  isGone,
  toEntryJson,
  toMember,
  toWirePlace,
  type UndoneEntry,
  undoneIn,
  type UndoState,
} from "../undo-run.ts";

type AfterRun = Parameters<Gives["afterRuns"]["show"]>[0];
type RunAction = AfterRun["actions"][number];
type Asking = Parameters<Gives["afterRuns"]["show"]>[1];

export const afterRuns: Gives["afterRuns"] = {
  async show(run, context) {
    const { startedAt, actions } = run;
    const { entries } = await entriesOf(run, context);
    const told = entries.flatMap((entry) => {
      const action = actions.find((one) => isOf(entry, one));
      return action === undefined ? [] : [toShown(entry, action.round, startedAt)];
    });
    if (told.length === 0) return {};
    return { actions: actions.map((action) => ({ ...action, ...markOf(action, entries) })), undone: told };
  },
  async tell(run, answerJson, context) {
    const { actions } = run;
    const { entries, isSettled } = await entriesOf(run, context);
    const own = entries.flatMap((entry) => {
      const action = actions.find((one) => isOf(entry, one));
      if (action === undefined) return [];
      const { id } = toWirePlace(entry.id);
      return [action.round === undefined ? entry : { ...entry, id: `${action.round}:${id}` }];
    });
    if (own.length === 0) return { envelope: answerJson, isSettled: true, events: [] };
    const ended = own.filter(({ status }) => status !== "initiated").map(toEntryJson);
    const events = ended.map((json) => `event: undone\ndata: ${json}`);
    const { undone: _, ...answer } = parseExact(answerJson) as Answer;
    const results = answer.results.map((result, at) => ({
      ...result,
      meta: { ...result.meta, ...markOf(actions[at]!, entries) },
    }));
    const whole = JSON.stringify({ ...answer, results });
    return { envelope: `${whole.slice(0, -1)}${toMember(own)}}`, isSettled, events };
  },
  async keep(names, { gate }) {
    const { entries } = await callUndo(gate, "looks", names);
    // A copy hears no more of what is under way.
    const kept = entries.map((entry): UndoneEntry => {
      const { jobId: _, confirmation: __, ...rest } = entry;
      const isOpen = entry.status === "initiated" || entry.status === "pending_confirmation";
      return isOpen ? { ...rest, status: "unknown" } : entry;
    });
    const ofNames = Map.groupBy(kept, ({ root = "" }) => root);
    return new Map([...ofNames].map(([name, all]) => [name, all.map((one) => JSON.stringify(one))]));
  },
  async goneOf(runs, { gate }) {
    const { entries, isSettled } = await callUndo(gate, "looks", runs);
    if (!isSettled) return null;
    const ofRuns = Map.groupBy(entries, ({ run = "" }) => run);
    return new Map([...ofRuns].map(([run, all]) => [run, goneIn(all)]));
  },
};

/** Put into the answer of a job what became of its writes. A run of a flow is kept under the job's own id. */
export async function since(job: JobRecord, context: Asking): Promise<JobRecord> {
  const { id, envelopeJson, createdAt: startedAt } = job;
  if (envelopeJson === undefined) return job;
  const { batch_id: run, results: actions } = parseExact(envelopeJson) as Answer;
  const told = await afterRuns.tell({ names: [run, id], startedAt, actions }, envelopeJson, context);
  return { ...job, envelopeJson: told.envelope };
}

interface Answer {
  readonly batch_id: string;
  readonly undone?: unknown;
  readonly results: readonly { readonly id: string; readonly meta: object }[];
}

/**
 * Find the entries of a run; those that an export kept where there are no others. A rerun comes after an undo: an entry that is older
 * than the run is of the run before it.
 */
async function entriesOf({ names, kept, startedAt: begun }: AfterRun, { gate }: Asking): Promise<UndoState> {
  const { entries, isSettled } = await callUndo(gate, "looks", names);
  if (entries.length === 0 && Array.isArray(kept)) return { entries: kept as UndoneEntry[], isSettled: true };
  return { entries: entries.filter(({ startedAt = begun }) => !(startedAt < begun)), isSettled };
}

function isOf(entry: UndoneEntry, action: RunAction): boolean {
  const { id, round } = toWirePlace(entry.id);
  if (action.id !== id) return false;
  return round === undefined ? (action.batch_id ?? entry.run) === entry.run : action.round === round;
}

/** Whether all that an action did is taken back, where it has entries. */
function markOf(action: RunAction, entries: readonly UndoneEntry[]): object {
  const undone = undoneIn(entries.filter((entry) => isOf(entry, action)));
  return undone === undefined ? {} : { undone };
}

function toShown(entry: UndoneEntry, round: number | undefined, runStartedAt: number): object {
  const { run: _, root: __, dataJson, startedAt, endedAt, tries = [], jobId, ...told } = entry;
  const toTry = ({ at, durationMs, code }: (typeof tries)[number]): object => ({
    started_ms: at - runStartedAt,
    duration_ms: durationMs,
    code,
  });
  return {
    ...told,
    id: toWirePlace(told.id).id,
    round,
    data: dataJson && parseExact(dataJson),
    started_ms: startedAt && startedAt - runStartedAt,
    duration_ms: startedAt && endedAt && endedAt - startedAt,
    tries: tries.length > 0 ? tries.map(toTry) : undefined,
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
