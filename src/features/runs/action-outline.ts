import { isInDoubt, type Outcome } from "../../core/contract/outcome.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import type { Step } from "../../core/plan/step.ts";

/** Where a batch stands in a run of several. */
export interface Placed {
  /** Which of several batches of one run it is; its actions say so. */
  readonly round?: number | undefined;
  /** The id of that batch. */
  readonly batchId?: string | undefined;
  /** How long after its run it began. */
  readonly afterMs?: number | undefined;
}

/**
 * Write the fields of an action that have no word of its caller or its upstream, but for the id, which has no room for more. They are put
 * together from text, as results are: every action has them.
 */
export function toOpening(
  { id }: Step,
  tool: string,
  outcome: Outcome,
  { round, batchId, afterMs = 0 }: Placed,
): string {
  const { startedMs, queuedMs, durationMs, attempts, tries } = outcome.meta;
  const { bytes, items, replayed, demoted, deduplicatedOf } = outcome.meta;
  let text = `{"id":${JSON.stringify(id)},"tool":${JSON.stringify(tool)},"status":"${outcome.status}"`;
  if (isInDoubt(outcome)) text += ',"in_doubt":true';
  if (round !== undefined) text += `,"round":${round}`;
  if (batchId !== undefined) text += `,"batch_id":${JSON.stringify(batchId)}`;
  if (outcome.status === "initiated") text += `,"job_id":${JSON.stringify(outcome.jobId)}`;
  if (outcome.status === "skipped") text += `,"because":${JSON.stringify(outcome.because)}`;
  if (startedMs !== undefined) text += `,"started_ms":${afterMs + startedMs}`;
  if (queuedMs !== undefined) text += `,"queued_ms":${queuedMs}`;
  if (durationMs !== undefined) text += `,"duration_ms":${durationMs}`;
  if (attempts !== undefined) text += `,"attempts":${attempts}`;
  if (tries !== undefined) {
    const later = tries.map((one) => ({ ...one, started_ms: afterMs + one.started_ms }));
    text += `,"tries":${JSON.stringify(later)}`;
  }
  if (bytes !== undefined) text += `,"bytes":${bytes}`;
  if (items !== undefined) text += `,"items":${JSON.stringify(items)}`;
  if (replayed) text += ',"replayed":true';
  if (demoted) text += ',"demoted":true';
  if (deduplicatedOf !== undefined) text += `,"deduplicated_of":${JSON.stringify(deduplicatedOf)}`;
  return text;
}

/** Write what is kept of a failure or a question without its texts. */
export function toOutline(outcome: Outcome): string {
  if ("error" in outcome) {
    const { code, upstream } = outcome.error;
    const said = upstream && { status: upstream.status, code: upstream.code };
    return `,"error":${JSON.stringify({ code, upstream: said })}`;
  }
  if (outcome.status !== "pending_confirmation") return "";
  const { id, expiresAt } = outcome.confirmation;
  return `,"confirmation":${JSON.stringify({ id, expires_at: new Date(expiresAt).toISOString() })}`;
}

/** Write what an action was sent with besides its arguments; null where that is nothing. */
export function toOthersJson({ task, keyed }: Step): string | null {
  if (!task.ok) return null;
  const { tool, forEach, select, timeoutMs, callbackUrl, runAt } = task.value;
  // A field that is undefined is not written, and most actions have none.
  const others = JSON.stringify({
    for_each: forEach,
    select: select?.map((tokens) => toPointer(tokens)),
    timeout_ms: timeoutMs < tool.timeoutMs ? timeoutMs : undefined,
    callback_url: callbackUrl,
    run_at: runAt === undefined ? undefined : new Date(runAt).toISOString(),
    idempotency_key: keyed?.key,
  });
  return others === "{}" ? null : others;
}
