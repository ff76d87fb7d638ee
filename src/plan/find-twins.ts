import type { Tool } from "../catalog/define-tool.ts";
import { flightKey } from "./read-key.ts";
import type { Plan } from "./step.ts";

/**
 * Find the reads of a plan that are certain to be answered by an earlier one's call (later → first), among those that
 * `concerns` is true of.
 *
 * Certain is only what is known before anything runs: arguments without references, and no sync write of the domain
 * anywhere in the plan, after which the same question must be asked again.
 */
export function findTwins(plan: Plan, concerns: (tool: Tool) => boolean): ReadonlyMap<number, number> {
  const twins = new Map<number, number>();
  if (!plan.sharesReads) return twins;
  const first = new Map<string, number>();
  for (const { index, parking, keyed, task } of plan.steps) {
    // What waits for a person is not called in this batch, and one with an idempotency key may have its result already:
    // neither answers anybody.
    if (parking !== null || keyed !== undefined) continue;
    if (!task.ok || task.value.call === null || task.value.tool.isWrite || !concerns(task.value.tool))
      continue;
    const { call, tool } = task.value;
    if (isWritten(plan, tool.domain)) continue;
    const key = flightKey(call);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else twins.set(index, earlier);
  }
  return twins;
}

function isWritten({ steps }: Plan, domain: string): boolean {
  return steps.some(
    ({ task }) =>
      task.ok &&
      task.value.tool.isWrite &&
      task.value.tool.execution === "sync" &&
      task.value.tool.domain === domain,
  );
}
