import type { Tool } from "../catalog/define-tool.ts";
import { findRepeats, type Repeats } from "./same-reads.ts";
import type { Plan, Task } from "./step.ts";

/** What may stand between a step and the call of its tool. */
export type Layer = "select" | "verify" | "reads" | "cap" | "permit" | "journal";

/** What the steps of a plan have to do with each other when they call their tools. */
export interface Sharing {
  /** Reads that one call may answer more than once; null without any. */
  readonly repeats: Repeats | null;
  /** Some tool of the plan has a cap. Then all its calls are dispatched in one order. */
  readonly isCapped: boolean;
}

/** Find what the steps of a plan share. Where every tool is called once, no read can be asked for again. */
export function sharingOf(plan: Plan): Sharing {
  const tools = new Set<Tool>();
  let isCapped = false;
  let mayRepeat = false;
  for (const { task } of plan.steps) {
    if (!task.ok) continue;
    const { tool, forEach } = task.value;
    isCapped ||= Number.isFinite(tool.concurrency);
    mayRepeat ||= forEach !== undefined || tools.has(tool);
    tools.add(tool);
  }
  return { repeats: mayRepeat ? findRepeats(plan) : null, isCapped };
}

/**
 * Choose the layers of a step, outermost first. A plain read has none: its call is the first thing that happens when the
 * steps it waits for are over.
 *
 * @param recalls answers of earlier batches may be remembered
 * @param isJournaled writes are written down before they are sent
 */
export function layersOf(
  { tool, select }: Task,
  { repeats, isCapped }: Sharing,
  recalls: boolean,
  isJournaled = false,
): Layer[] {
  const layers: Layer[] = [];
  if (select !== null) layers.push("select");
  if (tool.orchestration.verify_with !== undefined) layers.push("verify");
  // A write has it too: it ends what reads of its domain may share.
  if (repeats !== null || (recalls && tool.orchestration.cache_ttl_s !== undefined)) layers.push("reads");
  if (isCapped) layers.push("cap");
  if (tool.globalLimits !== null) layers.push("permit");
  if (isJournaled && tool.isWrite) layers.push("journal");
  return layers;
}
