import { runToolCalls } from "../../../turns/run-tool-calls.ts";
import type { ProgressReport } from "../../../core/catalog/define-tool.ts";
import type { QuotaState } from "../../../core/contract/gate/admission.ts";
import type { ToolReply } from "../../../turns/read-turn.ts";
import { toRefusedReply } from "../../../turns/write-reply.ts";
import { ok } from "../../../core/kit/result.ts";
import { type SentKey, underKey } from "../../../cloudflare/http/read-idempotency-key.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { quotaHeaders, retryHeaders } from "../../../cloudflare/http/respond.ts";
import { followCall, type McpCall } from "./follow-call.ts";

export interface CallOptions {
  readonly bodyBytes: number;
  /** By what the call is known when it comes again, however its message is numbered; null where by nothing. */
  readonly key: SentKey | null;
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
  { bodyBytes, key, signal, onProgress, onCounted, onWritten }: CallOptions,
): Promise<ToolReply> {
  const { caller, ports } = context;
  const { name, args } = call;
  const followed = onProgress === undefined ? null : followCall(call, ports.clock, onProgress);
  const execution = {
    ...context,
    ...underKey(key, ["/mcp", name, args]),
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
    const { refusal, quota } = ran.error;
    context.watch?.sawRefusal({ code: refusal.code, status: 200 });
    onCounted({ ...quotaHeaders(caller, quota), ...retryHeaders(refusal) });
    return toRefusedReply(refusal);
  }
  // A dry run is never admitted.
  onCounted(quotaHeaders(caller, ran.value.quota));
  if (ran.value.replayed) onCounted({ "idempotency-replayed": "true" });
  return ran.value.replies[0]!;
}
