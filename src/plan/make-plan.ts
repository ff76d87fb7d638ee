import type { Catalog } from "../catalog/catalog.ts";
import type { Tool } from "../catalog/define-tool.ts";
import { parseArgs } from "../catalog/parse-args.ts";
import type { Action, Entry } from "../contract/action.ts";
import type { Batch, OnError } from "../contract/batch.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JsonObject } from "../contract/json.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { findCycle } from "../kit/layers.ts";
import { nearest } from "../kit/nearest.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/** A call that may be made: its tool exists and its arguments fit. */
export interface Call {
  readonly tool: Tool;
  /** What was sent: a background job keeps this and is checked again when it runs. */
  readonly input: JsonObject;
  /** What the tool's schema made of it. */
  readonly args: unknown;
  readonly timeoutMs: number;
}

/** One place of the batch, planned: what to run, or why not, and which places must have succeeded before. */
export interface Step {
  readonly index: number;
  readonly id: string;
  readonly toolName: string | null;
  readonly needs: readonly number[];
  readonly call: Result<Call, Failure>;
}

/** The order of a batch. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly onError: OnError;
  readonly deadlineMs: number;
}

/**
 * Plan a batch: look up every tool, check every argument, turn `depends_on` into edges.
 *
 * Refuses only a cycle, because then no order exists. Anything else that is wrong with an action becomes that step's
 * failure. Every edge points to an existing step, and the graph is acyclic, so running it always comes to an end.
 */
export function makePlan(batch: Batch, catalog: Catalog): Result<Plan, Refusal> {
  const position = new Map(batch.entries.map(({ id, index }) => [id, index]));
  const steps = batch.entries.map((entry) => makeStep(entry, position, catalog));

  const cycle = findCycle(steps.map(({ needs }) => needs));
  if (cycle !== null) {
    const ids = cycle.map((index) => steps[index]!.id).join(" → ");
    return err(
      makeRefusal(
        "INVALID_BATCH",
        `The actions wait for each other: ${ids}. Take one of these depends_on out.`,
      ),
    );
  }
  return ok({ steps, onError: batch.onError, deadlineMs: batch.deadlineMs });
}

function makeStep(entry: Entry, position: ReadonlyMap<string, number>, catalog: Catalog): Step {
  const { index, id, tool: toolName, action } = entry;
  if (!action.ok) return { index, id, toolName, needs: [], call: action };

  const needs: number[] = [];
  for (const needed of action.value.dependsOn) {
    const at = position.get(needed);
    if (at === undefined) {
      const others = [...position.keys()].filter((other) => other !== id);
      return { index, id, toolName, needs: [], call: err(noSuchAction(needed, others)) };
    }
    if (!needs.includes(at)) needs.push(at);
  }
  return { index, id, toolName, needs, call: makeCall(action.value, catalog) };
}

function makeCall(action: Action, catalog: Catalog): Result<Call, Failure> {
  const tool = catalog.get(action.tool);
  if (tool === undefined) return err(noSuchTool(action.tool, catalog));
  const args = parseArgs(tool, action.args);
  if (!args.ok) return args;
  return ok({
    tool,
    input: action.args,
    args: args.value,
    timeoutMs: Math.min(action.timeoutMs ?? tool.timeoutMs, tool.timeoutMs),
  });
}

function noSuchTool(name: string, catalog: Catalog): Failure {
  const near = nearest(name, catalog.names);
  const hint =
    near.length > 0
      ? `No tool is named '${visibleText(name)}'. Did you mean ${near.map((other) => `'${other}'`).join(" or ")}?`
      : `No tool is named '${visibleText(name)}'; use a name from the tool list.`;
  return makeFailure("UNKNOWN_TOOL", { hint });
}

/** `others` leaves out the action itself: to suggest it would be to suggest a cycle, which costs the whole batch. */
function noSuchAction(id: string, others: readonly string[]): Failure {
  const near = nearest(id, others);
  const meant = (near.length > 0 ? near : others.slice(0, 5)).map((other) => `'${other}'`).join(", ");
  return makeFailure("BAD_REFERENCE", {
    hint: `depends_on names '${visibleText(id)}', which no action of this batch has as its id; there is ${meant || "no other action"}.`,
  });
}
