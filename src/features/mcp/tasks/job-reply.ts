import { BATCH_TOOL } from "../../../core/catalog/alias.ts";
import type { JobRecord } from "../../../core/contract/gate/job.ts";
import { parseExact } from "../../../core/contract/json.ts";
import { toToolReply } from "../../../turns/write-reply.ts";
import type { CallReply } from "./open-reply.ts";

/** Whether a job is a batch in the background. */
function isBatch({ tool }: Pick<JobRecord, "tool">): boolean {
  return tool.startsWith(`${BATCH_TOOL}:`);
}

/**
 * Say what came of a job that is over, as the call would have been answered that it is of. A job that failed is a failed call, whatever
 * of a batch has succeeded.
 */
export function toJobReply(job: JobRecord): CallReply {
  const { id, tool, status, inDoubt, dataJson, errorJson, envelopeJson, note } = job;
  const failed = status !== "succeeded";
  if (isBatch(job) && envelopeJson !== undefined) return { name: BATCH_TOOL, json: envelopeJson, failed };
  if (!failed && dataJson !== null) {
    const data: unknown = parseExact(dataJson);
    return { name: tool, ...toToolReply({ status: "success", data, json: dataJson, meta: {} }) };
  }
  const said = failed ? (status === "unknown" ? status : "error") : "success";
  const head = JSON.stringify({
    status: said,
    in_doubt: inDoubt,
    job_id: id,
    ...(note !== null && { note }),
  });
  const error = errorJson === null ? "" : `,"error":${errorJson}`;
  return { name: tool, json: `${head.slice(0, -1)}${error}}`, failed };
}
