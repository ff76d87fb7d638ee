import type { Catalog } from "../catalog/catalog.ts";
import type { KeptAnswer } from "../contract/gate/idempotency.ts";
import { makeRefusal } from "../contract/refusal.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { Execution } from "./execution.ts";

type Reader = Pick<Execution, "caller" | "catalog">;

/** Name the tools of which the answer to a plan tells something: those that its steps call, inside of its batches too. */
export function namesOf({ steps }: Pick<Plan, "steps">, catalog: Catalog): readonly string[] {
  return [...new Set(steps.flatMap((step) => namesOfStep(step, catalog)))];
}

function namesOfStep({ task, toolName }: Step, catalog: Catalog): readonly string[] {
  const tool = task.ok ? task.value.tool : toolName === null ? undefined : catalog.callable(toolName);
  // A name that is no tool for the caller has a result that tells nothing of one.
  if (tool === undefined) return [];
  const inner = tool.inner?.batch.entries.flatMap(({ tool: name }) =>
    name !== null && catalog.callable(name) !== undefined ? name : [],
  );
  return [tool.name, ...(inner ?? [])];
}

/**
 * Whether a caller may be given an answer that was kept under a key: it may call every tool that the answer tells of. The rights of
 * a key may have changed since, and a key of the same name may be another.
 *
 * A name in the list is a tool's, or a category's that the caller could call then. An answer that does not say was kept by an
 * earlier version, and is for keys that may call every tool.
 */
export function mayRead({ tools }: Pick<KeptAnswer, "tools">, { caller, catalog }: Reader): boolean {
  if (caller.tools.includes("*")) return true;
  const maySee = (name: string): boolean =>
    caller.tools.includes(name) || catalog.callable(name) !== undefined;
  return tools?.every(maySee) === true;
}

/** Refuse a key that stands for something else. The words are the same whatever differs: they tell nothing of it. */
export const KEY_CONFLICT = makeRefusal(
  "IDEMPOTENCY_CONFLICT",
  "Its Idempotency-Key was used before, with another body, by another caller or by a key for other tools; nothing ran. Send it under a new key.",
);
