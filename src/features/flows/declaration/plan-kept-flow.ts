import { findReferences, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { makePlan, type PlanOptions } from "../../../core/plan/make-plan.ts";
import type { Plan } from "../../../core/plan/step.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import type { Batch } from "../../../core/contract/batch.ts";
import type { Catalog, Tool } from "../../../feature/tool.ts";
import type { InnerBatch } from "../../../core/catalog/define-tool.ts";
import type { HookFacts } from "../../../core/contract/gate/job.ts";
import { type FlowFacts, givenOf } from "./flow-schema.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

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

/** Tokens of an answer besides those of its results. */
const OWN_TOKENS = 20;

interface FlowPlanOptions extends Omit<PlanOptions, "given" | "asksFirst"> {
  /** The input of a run; undefined where it is not known. */
  readonly input?: JsonObject;
  /** The delivery that began the run. */
  readonly hook?: HookFacts | undefined;
  /** The settings that are given when it is run, and not when it is kept. */
  readonly asked?: Partial<Batch>;
}

/** Plan a flow with the tools that it sees of those there are now, or say in a sentence why it cannot run as it was kept. */
export function planKeptFlow(
  tool: Tool,
  catalog: Catalog,
  { input, hook, asked, ...how }: FlowPlanOptions = {},
): Result<Plan, string> {
  if (tool.inner === undefined)
    return err("It was kept by an older version, and is no batch any more; keep it again.");
  const began = input === undefined ? undefined : (hook ?? null);
  const given = givenOf(tool.inner.batch.entries, { input, hook: began });
  const batch = { ...tool.inner.batch, ...asked };
  const planned = makePlan(batch, catalogOfFlow(tool, catalog), { ...how, given });
  if (!planned.ok) return err(planned.error.hint);
  const broken = findBroken(planned.value, tool);
  if (broken !== null) return err(broken);
  // The flow itself is the tenant's, and may have been replaced or deleted, whichever tools its actions call.
  return ok({ ...planned.value, toolsVersion: catalog.version });
}

/**
 * Find what makes it certain that a flow cannot run as it was kept. Its actions are what they were, their tools may be others by
 * now: one is gone, takes other arguments, or does more than the flow says of itself. The kept facts, that a flow is a read or
 * needs no approval, must still be true: it is repeated, shared and run unasked on the strength of them.
 *
 * @param plan of its batch, with the tools that there are now
 */
function findBroken({ steps }: Plan, { isWrite, confirm }: Pick<Tool, "isWrite" | "confirm">): string | null {
  for (const { id, toolName, task } of steps) {
    if (!task.ok) return say(id, task.error.hint ?? "it is not well formed.");
    const { tool: called } = task.value;
    if (called.inner !== undefined) return say(id, `'${visibleText(toolName ?? "")}' is a flow by now.`);
    if (called.isWrite && !isWrite) return say(id, `'${called.name}' writes by now; ${AGAIN}`);
    if (called.confirm && !confirm) return say(id, `'${called.name}' needs a person's yes by now; ${AGAIN}`);
  }
  return null;
}

const AGAIN = "keep the flow again.";

function say(id: string, what: string): string {
  return `Action '${id}': ${what}`;
}

const parts = new WeakMap<InnerBatch, WeakMap<Catalog, Catalog>>();

/**
 * The part of a catalog that a flow sees: its actions call, and discovery among them finds, no tool that the key which kept the
 * flow may not call. The catalog given belongs to the caller that runs the flow, so a run sees the tools that both may call.
 *
 * The part is made once for a flow and a catalog, because it has a search index of its own.
 */
export function catalogOfFlow({ inner }: Pick<Tool, "inner">, { ofInner: catalog }: Catalog): Catalog {
  if (inner === undefined) return catalog;
  const known = getOrMake(parts, inner, () => new WeakMap<Catalog, Catalog>());
  return getOrMake(known, catalog, () => catalog.restrictTo(inner.tools));
}
