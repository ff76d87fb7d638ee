import type { Gives } from "../../../feature/gives.ts";
import { parseExact } from "../../../feature/schema.ts";
import type { JobRecord } from "../../../feature/tool.ts";
import { isGone, toEntryJson, toMember, toWirePlace, type UndoneEntry, undoneIn } from "../undo-run.ts";
import { callUndo } from "../undo-methods.ts";

type AfterRun = Parameters<Gives["afterRuns"]["show"]>[0];
type RunAction = AfterRun["actions"][number];
type Asking = Parameters<Gives["afterRuns"]["show"]>[1];

export const afterRuns: Gives["afterRuns"] = {
  async show(run, context) {
    const { own, marks } = await ownOf(run, context);
    if (own.length === 0) return {};
    const undone = own.map((entry) => toShown(entry, run.startedAt));
    return { actions: run.actions.map((action, at) => ({ ...action, ...marks[at] })), undone };
  },
  async tell(run, answerJson, context) {
    const { own, marks, isSettled } = await ownOf(run, context);
    if (own.length === 0) return { envelope: answerJson, isSettled: true, events: [] };
    const ended = own.filter(({ status }) => status !== "initiated");
    const events = ended.map((entry) => `event: undone\ndata: ${toEntryJson(entry)}`);
    const { undone: _, ...answer } = parseExact(answerJson) as Answer;
    const results = answer.results.map((one, at) => ({ ...one, meta: { ...one.meta, ...marks[at] } }));
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
 * Find the entries of a run's actions, and what each of these says of its own; those that an export kept where there are no others. A rerun
 * comes after an undo: an entry that is older than the run is of the run before it.
 */
async function ownOf({ names, kept, startedAt: begun, actions }: AfterRun, { gate }: Asking) {
  const looked = await callUndo(gate, "looks", names);
  const isKept = looked.entries.length === 0 && Array.isArray(kept);
  const all = isKept ? (kept as UndoneEntry[]) : looked.entries;
  const entries = isKept ? all : all.filter(({ startedAt = begun }) => !(startedAt < begun));
  const isOf = ({ id: name, run }: UndoneEntry, action: RunAction): boolean => {
    const { id, round } = toWirePlace(name);
    if (action.id !== id) return false;
    return round === undefined ? (action.batch_id ?? run) === run : action.round === round;
  };
  const own = entries.flatMap((entry): UndoneEntry | readonly [] => {
    const action = actions.find((one) => isOf(entry, one));
    if (action === undefined) return [];
    return action.round === undefined ? entry : { ...entry, id: `${action.round}:${action.id}` };
  });
  const marks = actions.map((action) => {
    const undone = undoneIn(entries.filter((entry) => isOf(entry, action)));
    return undone === undefined ? {} : { undone };
  });
  return { own, marks, isSettled: isKept || looked.isSettled };
}

function toShown(entry: UndoneEntry, runStartedAt: number): object {
  const { run: _, root: __, id, dataJson, startedAt, endedAt, tries = [], jobId, ...told } = entry;
  const shown = tries.map(({ at, durationMs, code }) => ({
    started_ms: at - runStartedAt,
    duration_ms: durationMs,
    code,
  }));
  return {
    ...told,
    ...toWirePlace(id),
    data: dataJson && parseExact(dataJson),
    started_ms: startedAt && startedAt - runStartedAt,
    duration_ms: startedAt && endedAt && endedAt - startedAt,
    tries: shown.length > 0 ? shown : undefined,
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
