import { runToolCalls } from "../../../turns/run-tool-calls.ts";
import type { ProgressReport } from "../../../core/catalog/define-tool.ts";
import type { QuotaState } from "../../../core/contract/gate/admission.ts";
import type { ToolReply } from "../../../turns/read-turn.ts";
import { toRefusedReply } from "../../../turns/write-reply.ts";
import { ok } from "../../../feature/refuse.ts";
import type { RunBody } from "../../../cloudflare/http/read-request-body.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { quotaHeaders, retryHeaders } from "../../../cloudflare/http/respond.ts";
import { BATCH_TOOL } from "../../../feature/tool.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import type { Clock } from "../../../feature/kit.ts";
import type { BatchListener } from "../../../core/gate/execution.ts";

export interface CallOptions {
  readonly bodyBytes: number;
  /** Makes what the call is known by when it comes again, however its message is numbered. */
  readonly keyed: RunBody["keyed"];
  readonly signal: AbortSignal;
  /** Told how far the call has come, where the client asked for that. */
  readonly onProgress?: (report: ProgressReport) => void;
  /** Told what gives back the bytes that the answer holds. */
  readonly onWritten: (give: () => void) => void;
  /** Told what the answer's headers say of the caller's quota, before there is an answer. */
  readonly onCounted: (headers: Readonly<Record<string, string>>) => void;
}

/**
 * Call one tool for an MCP client, `execute_actions` among them.
 *
 * The answer is text, which escaping may double, and the same as structure: three copies. It is an error where the call
 * itself failed: bad arguments, a single tool that failed, a batch that was refused; not where some action of a batch failed,
 * because the batch did what it was asked.
 */
export async function callTool(
  call: McpCall,
  context: RequestContext,
  { bodyBytes, keyed, signal, onProgress, onCounted, onWritten }: CallOptions,
): Promise<ToolReply> {
  const { caller, ports } = context;
  const { name, args } = call;
  const followed = onProgress === undefined ? null : followCall(call, ports.clock, onProgress);
  const execution = {
    ...context,
    ...keyed(["/mcp", name, args]),
    signal,
    listener: {
      onWritten,
      onAdmitted: (quota: QuotaState | null) => onCounted(quotaHeaders(caller, quota)),
      ...followed?.listener,
    },
  };
  const ran = await runToolCalls([{ name, args: ok(args) }], execution, { bodyBytes, copies: 3 }).finally(
    () => followed?.end(),
  );
  if (!ran.ok) {
    const { refusal, quota, mayHaveBegun } = ran.error;
    context.watch?.sawRefusal({ code: refusal.code, status: 200 });
    onCounted({ ...quotaHeaders(caller, quota), ...retryHeaders(refusal) });
    return toRefusedReply(refusal, mayHaveBegun);
  }
  // A dry run is never admitted.
  onCounted(quotaHeaders(caller, ran.value.quota));
  if (ran.value.replayed) onCounted({ "idempotency-replayed": "true" });
  return ran.value.replies[0]!;
}

/** A call as the client sent it. */
interface McpCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** The listener of a call, and the end of listening: later events are told to no client. */
export interface Followed {
  readonly listener: BatchListener;
  end(): void;
}

/**
 * Follow a call for a client that asked for its progress. A batch is told result by result; a single tool by what it
 * reports, or once, when it has ended, where it reports nothing.
 *
 * Progress only grows, comes no faster than a client should have to read it, and ends with the
 * call: that is what the protocol asks for. A tool that is tried again begins anew, and is told once it is further.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/progress
 */
export function followCall(
  { name, args }: McpCall,
  clock: Clock,
  tell: (report: ProgressReport) => void,
): Followed {
  let last = Number.NEGATIVE_INFINITY;
  let quietUntil = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const say = (report: ProgressReport): void => {
    if (isOver) return;
    last = report.progress;
    tell(report);
  };
  const end = (): void => void (isOver = true);

  if (name === BATCH_TOOL) {
    const { actions } = args;
    const total = Array.isArray(actions) ? actions.length : 0;
    let results = 0;
    return { listener: { onOutcome: () => say({ progress: (results += 1), total }) }, end };
  }
  const onOutcome = (): void => {
    if (last === Number.NEGATIVE_INFINITY) say({ progress: 1, total: 1 });
  };
  const onReport = ({ progress, total, message }: ProgressReport): void => {
    const now = clock.now();
    if (now < quietUntil || !Number.isFinite(progress) || progress <= last) return;
    quietUntil = now + LIMITS.progressIntervalMs;
    say({
      progress,
      ...(Number.isFinite(total) && { total }),
      ...(message !== undefined && { message: message.slice(0, LIMITS.progressMessageChars) }),
    });
  };
  return { listener: { onOutcome, onReport }, end };
}
