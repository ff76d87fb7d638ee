import type { Batch } from "../../../core/contract/batch.ts";
import { defineTool, parseBatch, type Tool, ToolFailure } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { resolveAliases } from "../../../core/catalog/alias.ts";
import type { InnerBatch } from "../../../core/catalog/define-tool.ts";
import { toInput } from "../../added-tools/json-schema/to-input.ts";
import type { RunnableBatch } from "../../../core/gate/execution.ts";
import { withAnswer } from "../run/plan-flow.ts";
import { runFlow } from "../run/run-flow.ts";
import { FLOWS, type KeptFlow } from "./flow-schema.ts";

/**
 * Make the tool of a flow: found, listed, checked and confirmed like any other; code that sees `inner` runs it as a batch.
 *
 * One that was kept by a Volley whose batches were other ones may not be a batch any more. Then the tool is there all the same,
 * without `inner`, and says so when it is called.
 */
export function toFlowTool(kept: KeptFlow): Tool {
  const { name, flow, is_write: isWrite, confirm, typical_tokens } = kept;
  const { summary, description, input_schema: input, answer, deadline_ms: deadlineMs } = flow;
  const batch = parseBatch(batchOf(flow), JSON.stringify(flow.actions).length);
  const tool = defineTool({
    name,
    summary,
    description: description ?? summary,
    category: FLOWS,
    actions: ["run"],
    isWrite,
    execution: "sync",
    input: toInput(input),
    hosts: [],
    timeoutMs: deadlineMs ?? LIMITS.deadlineMs,
    typicalTokens: typical_tokens,
    orchestration: {
      mode: isWrite ? "sequential-only" : "parallel-safe",
      confirm: confirm ? "always" : "never",
    },
    run: async () => {
      if (!batch.ok) throw new ToolFailure("FLOW_BROKEN", { hint: batch.error.hint });
      throw new Error(`Cannot call the flow '${name}': it is run as a batch`);
    },
  });
  if (!batch.ok) return tool;
  const value = { ...batch.value, ...(kept.keptAs !== undefined && { keptAs: kept.keptAs }) };
  return { ...tool, inner: toRunnable({ batch: value, answer, tools: kept.tools ?? calledBy(value) }) };
}

/** Add to the batch that a flow is what runs it. */
export function toRunnable(inner: InnerBatch): RunnableBatch {
  return {
    ...inner,
    run: runFlow,
    withAnswer: (envelope, ran) => withAnswer(envelope, inner.answer, ran),
  };
}

/** The tools that the actions of a batch call. A key could call it when it kept them, so it is what is known of that key's rights. */
function calledBy({ entries }: Batch): readonly string[] {
  return resolveAliases(entries).flatMap(({ action }) => (action.ok ? [action.value.tool] : []));
}

/** The batch of a flow, as one is sent. */
export function batchOf({ actions, on_error, deadline_ms }: KeptFlow["flow"]): object {
  return {
    actions,
    ...(on_error !== undefined && { on_error }),
    ...(deadline_ms !== undefined && { deadline_ms }),
  };
}
