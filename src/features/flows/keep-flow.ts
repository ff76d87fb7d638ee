import type { KeptAs } from "../../core/contract/batch.ts";
import type { Plan } from "../../core/plan/step.ts";
import type { DeclarationIssue } from "../added-tools/declared/problems.ts";
import { clockOf, FLOWS, type KeptFlow } from "./declaration/flow-schema.ts";
import { type FlowOptions, parseFlow } from "./declaration/parse-flow.ts";
import { startClock } from "./clock/due-clocks.ts";
import type { ToolToKeep } from "../added-tools/stored-tools.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import { ok, type Result } from "../../feature/refuse.ts";
import { toHeadJson } from "../../core/catalog/tool-head.ts";

export interface KeepFlowOptions extends FlowOptions {
  /** The tools that the key which keeps it may call: names, categories or `*`. */
  readonly tools: readonly string[];
  readonly sha256: (text: string) => Promise<string>;
  /** A feature looks after the writes of its runs. */
  readonly keptAs?: KeptAs | undefined;
}

/** A flow that works, and what is handed over to be kept. */
export interface KeepableFlow {
  readonly kept: KeptFlow;
  readonly plan: Plan;
  readonly tool: ToolToKeep;
}

/**
 * Parse a flow and make of it what can be kept, as the tool that it is, or say all that is wrong with it. Its fingerprint changes
 * with the facts that follow from its tools, and with the tools that its runs may see, so that an approval of a harmless flow is
 * none of a changed one.
 */
export async function keepFlow(
  value: unknown,
  { name, catalog, tools, triggers, sha256, keptAs }: KeepFlowOptions,
): Promise<Result<KeepableFlow, readonly DeclarationIssue[]>> {
  const parsed = parseFlow(value, { name, catalog, triggers });
  if (!parsed.ok) return parsed;
  const { needs, plan } = parsed.value;
  const kept = {
    ...parsed.value.kept,
    tools: tools.includes("*") ? ["*"] : [...new Set(tools)].sort(),
    ...(keptAs !== undefined && { keptAs }),
  };
  const { summary, description = summary } = kept.flow;
  const clock = clockOf(kept.flow.triggers);
  const tool = {
    name,
    fingerprint: await sha256(canonicalJson(kept)),
    headJson: toHeadJson({
      summary,
      description,
      category: FLOWS,
      actions: ["run"],
      is_write: kept.is_write,
    }),
    json: JSON.stringify(kept),
    needs,
    ...(clock !== null && { clock: startClock(clock, triggers.nowMs) }),
  };
  return ok({ kept, plan, tool });
}
