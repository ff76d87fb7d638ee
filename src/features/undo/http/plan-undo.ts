import { type JsonObject, parseExact } from "../../../core/contract/json.ts";
import { attempt } from "../../../feature/refuse.ts";
import { asksByContract, readObject, resolveReversal } from "../resolve-reversal.ts";
import { orderWrites } from "../undo-machine.ts";
import { type AskedPlace, type AskedWrites, keyOf, toWirePlace } from "../undo-run.ts";
import type { PreparedUndo } from "./ask-undo.ts";
import type { Related } from "./find-writes.ts";

/** What takes a write back, as far as that is known before it is asked for. */
interface Planned extends AskedPlace {
  readonly tool: string;
  readonly args?: JsonObject;
}

/** A job that has not begun is cancelled; what one has done is known when it is over. */
async function planJob(
  { jobId, by, ...place }: AskedWrites["jobs"][number],
  { context }: Related,
): Promise<Planned> {
  const tool = by !== null && "compensation" in by ? by.compensation.tool : place.tool;
  const found = await attempt(() => context.gate.job(jobId));
  const job = found.ok ? found.value : null;
  if (job?.status !== "succeeded") return { ...place, tool };
  const output = job.dataJson && parseExact(job.dataJson);
  const reversal = resolveReversal(by, { tool: place.tool, args: readObject(job.argsJson ?? "{}"), output });
  return {
    ...place,
    tool: reversal.tool,
    ...("argsJson" in reversal && { args: readObject(reversal.argsJson) }),
  };
}

/** Say what would be sent, in the order in which it would be. */
export async function toPlanJson({ related, found, before }: PreparedUndo): Promise<string> {
  const { context } = related;
  const stored = new Set(before.entries.map(({ element = null, ...entry }) => keyOf({ ...entry, element })));
  const undoneBefore = new Set(before.entries.map(({ run }) => run));
  const isNew = (write: AskedPlace): boolean => !stored.has(keyOf(write)) && !undoneBefore.has(write.batch);
  const jobs = found.jobs
    .filter(isNew)
    .map((job) => ({ ...job, state: "waits" as const, seq: Number.MAX_SAFE_INTEGER }));
  const writes = found.writes.filter(isNew).map((write) => ({ ...write, state: "waits" as const }));
  const ordered = orderWrites([...jobs, ...writes]);
  const planned = await Promise.all(
    ordered.map(async (one): Promise<Planned> => {
      if ("jobId" in one) return planJob(one, related);
      const { by = { tool: one.tool } } = one;
      return { ...one, tool: by.tool, ...("argsJson" in by && { args: readObject(by.argsJson) }) };
    }),
  );
  const undone = planned.map((one) => {
    const { id, action, element, tool: name, args } = one;
    const tool = context.catalog.callable(name);
    const call = args === undefined ? null : { input: args, args };
    const asks = tool !== undefined && asksByContract(tool) && context.catalog.asks(tool, call) !== false;
    return { ...toWirePlace(id), action, element: element ?? undefined, tool: name, args, asks };
  });
  return JSON.stringify({ undone });
}
