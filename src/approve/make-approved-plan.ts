import type { Catalog } from "../catalog/catalog.ts";
import { parseArgs } from "../catalog/parse-args.ts";
import type { Claim, ParkedGroup, ParkedAction } from "../contract/gate/confirmation.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JsonObject } from "../contract/json.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { findHazards } from "../plan/hazards.ts";
import { effectOf } from "../plan/make-plan.ts";
import { remainingPaths } from "../plan/remaining-paths.ts";
import type { Call, Edge, Plan, Step, Task } from "../plan/step.ts";

/**
 * Plan the parked actions of a group, now that a person said yes: exactly these, in the order of their batch, with the
 * arguments that were shown, in need of each other as before. Whatever else they needed has happened.
 */
export function makeApprovedPlan(group: ParkedGroup, catalog: Catalog, claim: Claim): Plan {
  const { actions, onError, deadlineMs, maxTokens, results } = group;
  const tasks = actions.map((action) => makeTask(action, catalog));
  const needs = actions.map((action) => action.needs);
  const hazards = findHazards(tasks.map(effectOf), needs);
  const remaining = remainingPaths(needs.map((needed, index) => [...needed, ...hazards[index]!]));
  const steps = actions.map(({ id, tool }, index): Step => ({
    index,
    id,
    toolName: tool,
    needs: needs[index]!,
    after: hazards[index]!,
    edges: [...needs[index]!.map(toEdge("depends_on")), ...hazards[index]!.map(toEdge("hazard: parked"))],
    parking: null,
    remaining: remaining[index]!,
    task: tasks[index]!,
  }));
  return {
    steps,
    onError,
    deadlineMs,
    maxTokens,
    handles: [],
    demotes: true,
    sharesReads: true,
    given: new Map(results),
    approved: { claim },
    ...(actions.some(({ tool }) => catalog.mayChange(tool)) && { toolsVersion: catalog.version }),
  };
}

function toEdge(reason: Edge["reason"]): (from: number) => Edge {
  return (from) => ({ from, reason });
}

function makeTask(
  { tool: name, args, timeoutMs, select, callback, runAt }: ParkedAction,
  catalog: Catalog,
): Result<Task, Failure> {
  const tool = catalog.get(name);
  if (tool === undefined)
    return err(makeFailure("UNKNOWN_TOOL", { hint: `'${name}' is not there any more.` }));
  const plain = { tool, timeoutMs, input: {}, call: null, forEach: undefined };
  const task: Task = { ...plain, select, callback, runAt };
  switch (args.kind) {
    case "waiting":
      return ok({ ...task, input: args.input, forEach: args.forEach });
    case "call": {
      const call = makeCall(task, args.input);
      return call.ok ? ok({ ...task, input: args.input, call: call.value }) : call;
    }
    case "loop": {
      const calls = args.elements.map((element) =>
        "input" in element ? makeCall(task, element.input) : err(element.error),
      );
      return ok({ ...task, forEach: [], calls });
    }
  }
}

function makeCall({ tool, timeoutMs, callback, runAt }: Task, input: JsonObject): Result<Call, Failure> {
  const args = parseArgs(tool, input, { isForeign: true });
  return args.ok ? ok({ tool, input, args: args.value, timeoutMs, callback, runAt }) : args;
}
