import type { Batch } from "../../contract/batch.ts";
import { findReferences } from "../../plan/references.ts";
import { makePlan } from "../../plan/make-plan.ts";
import type { Plan } from "../../plan/step.ts";
import { err, type Result } from "../../kit/result.ts";
import { visibleText } from "../../kit/visible-text.ts";
import type { Catalog } from "../catalog.ts";
import type { Tool } from "../define-tool.ts";
import { type FlowFacts, INPUT } from "./flow-schema.ts";

/** Say what follows of a plan in which nothing is wrong. */
export function factsOf({ steps }: Plan, answer: unknown): FlowFacts {
  const found = findReferences(answer, []);
  const answered = new Set(found.ok ? found.value.map(({ id }) => id) : []);
  let isWrite = false;
  let confirm = false;
  let tokens = 0;
  for (const { id, task } of steps) {
    if (!task.ok) continue;
    const { tool } = task.value;
    isWrite ||= tool.isWrite;
    confirm ||= tool.confirm;
    if (answered.has(id)) tokens += tool.typicalTokens;
  }
  return { is_write: isWrite, confirm, typical_tokens: tokens + OWN_TOKENS };
}

/** What an answer says besides what it takes from results. */
const OWN_TOKENS = 20;

export interface PlanFlowOptions {
  /** What the run is given; undefined where it is only planned. */
  readonly input?: unknown;
  readonly maySkipApproval?: boolean;
  /** In the place of the flow's own batch: the same actions, with what the run says of them. */
  readonly batch?: Batch;
}

/**
 * Plan a flow with the tools that there are now, or say in a sentence why it cannot run as it was kept. Its actions are
 * those that were kept, their tools may be others by now: one is gone, takes other arguments, or does more than the flow says
 * of itself. What a flow is taken for, a read or what needs nobody's yes, it has to be.
 */
export function planFlow(
  tool: Tool,
  catalog: Catalog,
  { input, maySkipApproval = false, batch = tool.flow?.batch }: PlanFlowOptions = {},
): Result<Plan, string> {
  if (batch === undefined || tool.flow === undefined)
    return err("It was kept by an older version, and is no batch any more; keep it again.");
  const planned = makePlan(batch, catalog, { maySkipApproval, given: new Map([[INPUT, input]]) });
  if (!planned.ok) return err(planned.error.hint);
  for (const { id, toolName, task } of planned.value.steps) {
    if (!task.ok) return err(say(id, task.error.hint ?? "it is not well formed."));
    const { tool: called } = task.value;
    if (called.flow !== undefined) return err(say(id, `'${visibleText(toolName ?? "")}' is a flow by now.`));
    if (called.isWrite && !tool.isWrite) return err(say(id, `'${called.name}' writes by now; ${AGAIN}`));
    if (called.confirm && !tool.confirm)
      return err(say(id, `'${called.name}' needs a person's yes by now; ${AGAIN}`));
  }
  return planned;
}

const AGAIN = "keep the flow again.";

function say(id: string, what: string): string {
  return `Action '${id}': ${what}`;
}
