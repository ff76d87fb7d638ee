import { findReferences } from "../../plan/references.ts";
import { makePlan } from "../../plan/make-plan.ts";
import type { Plan } from "../../plan/step.ts";
import { err, type Result } from "../../kit/result.ts";
import type { Batch } from "../../contract/batch.ts";
import type { JsonObject } from "../../contract/json.ts";
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

/** What a flow is planned with. */
export interface FlowPlanOptions {
  /** What a run is given; undefined where nobody knows. */
  readonly input?: JsonObject;
  /** What is said when it is run, and not when it is kept. */
  readonly asked?: Partial<Batch>;
  readonly maySkipApproval?: boolean;
}

/** Plan a flow with the tools that there are now, or say in a sentence why it cannot run as it was kept. */
export function planKeptFlow(
  tool: Tool,
  catalog: Catalog,
  { input, asked, maySkipApproval = false }: FlowPlanOptions = {},
): Result<Plan, string> {
  if (tool.flow === undefined)
    return err("It was kept by an older version, and is no batch any more; keep it again.");
  const given = new Map<string, unknown>([[INPUT, input]]);
  const planned = makePlan({ ...tool.flow.batch, ...asked }, catalog, { maySkipApproval, given });
  if (!planned.ok) return err(planned.error.hint);
  const broken = findBroken(planned.value, tool);
  return broken === null ? planned : err(broken);
}

/**
 * Find what makes it certain that a flow cannot run as it was kept. Its actions are what they were, their tools may be others by
 * now: one is gone, takes other arguments, or does more than the flow says of itself. What a flow is taken for, a read or what
 * needs nobody's yes, it has to be: it is repeated, shared and run unasked on the strength of that.
 *
 * @param plan of its batch, with the tools that there are now
 */
function findBroken({ steps }: Plan, { isWrite, confirm }: Pick<Tool, "isWrite" | "confirm">): string | null {
  for (const { id, toolName, task } of steps) {
    if (!task.ok) return say(id, task.error.hint ?? "it is not well formed.");
    const { tool: called } = task.value;
    if (called.flow !== undefined) return say(id, `'${visibleText(toolName ?? "")}' is a flow by now.`);
    if (called.isWrite && !isWrite) return say(id, `'${called.name}' writes by now; ${AGAIN}`);
    if (called.confirm && !confirm) return say(id, `'${called.name}' needs a person's yes by now; ${AGAIN}`);
  }
  return null;
}

const AGAIN = "keep the flow again.";

function say(id: string, what: string): string {
  return `Action '${id}': ${what}`;
}
