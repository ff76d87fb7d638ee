import type { JobRecord } from "../../../feature/tool.ts";
import { parseExact } from "../../../feature/schema.ts";
import type { KeptAction } from "./kept-run.ts";

/**
 * Read actions as the job that they ran in has left them. A kill may have lost the run of its last attempt, and then the log has what an
 * attempt before has left: what failed there may have succeeded since. An attempt that was cut off may have sent anything.
 *
 * @param kept null where the log has none of them
 * @param job null of one that is forgotten, with what its last attempt has sent
 * @param endedAt when what the log has ended, where that is known
 */
export function leftByJob(
  kept: readonly KeptAction[] | null,
  job: JobRecord | null,
  endedAt = 0,
): readonly KeptAction[] | null {
  const { status = "cancelled", updatedAt = Infinity, envelopeJson }: Partial<JobRecord> = job ?? {};
  if (status === "cancelled") {
    if ((job !== null && job.inDoubt !== true) || endedAt >= updatedAt) return kept;
    const isOpen = (action: KeptAction): boolean => action.status === "error" || action.status === "skipped";
    return kept?.map((action) => (isOpen(action) ? { ...action, status: "unknown" } : action)) ?? null;
  }
  if (envelopeJson === undefined) return kept;
  const told = new Map(readResults(envelopeJson).map((result) => [result.id, result]));
  if (kept === null) return [...told.values()];
  return kept.map((action) => {
    const said = told.get(action.id);
    return said === undefined || said.status === action.status ? action : { ...action, ...said };
  });
}

/** Read the results of an envelope as a run keeps its actions. No other action is given a result that was cut. */
export function readResults(envelope: string): readonly KeptAction[] {
  const { results } = parseExact(envelope) as { readonly results: readonly KeptResult[] };
  return results.map(({ meta, data, ...said }) => {
    const { attempts, in_doubt: inDoubt, items, truncated } = meta;
    return {
      ...said,
      ...(data !== undefined && truncated === undefined && { data }),
      ...(attempts !== undefined && { attempts }),
      ...(inDoubt === true && { in_doubt: inDoubt }),
      ...(items !== undefined && { items }),
    };
  });
}

type KeptResult = KeptAction & {
  readonly meta: Pick<KeptAction, "attempts" | "in_doubt" | "items"> & { readonly truncated?: unknown };
};
