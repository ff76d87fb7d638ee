import type { Catalog } from "../../feature/tool.ts";
import { parseCall } from "../../core/catalog/parse-args.ts";
import type { Claim } from "./confirmation.ts";
import { type BegunFlow, type ParkedAction, type ParkedGroup, recallAsker } from "./parked-group.ts";
import { makeFailure } from "../../core/contract/failure.ts";
import { err, type Failure, ok, type Result } from "../../feature/refuse.ts";
import type { JsonObject } from "../../feature/schema.ts";
import { conditionOf } from "../../core/contract/orchestration.ts";
import { findParking } from "../../core/plan/parked-step.ts";
import { findHazards } from "../../core/plan/hazards.ts";
import { effectOf } from "../../core/plan/make-plan.ts";
import { remainingPaths } from "../../core/plan/remaining-paths.ts";
import type { BegunElement, Call, Edge, Plan, Step, Task } from "../../core/plan/step.ts";

/**
 * Plan the parked actions of a group, now that a person said yes: exactly these, in the order of their batch, with the
 * arguments that were shown, in need of each other as before. Their other dependencies have happened.
 *
 * A gated action whose arguments come from another one of the group was not shown with what it will send. It is parked again,
 * with what needs it: once its arguments are known they are a question of their own.
 */
export function makeApprovedPlan(group: ParkedGroup, catalog: Catalog, claim: Claim): Plan {
  const { actions, requestedBy, asker } = group;
  return {
    ...planParked(group, catalog),
    approved: {
      question: claim.id,
      claim: { part: "confirmations", value: claim },
      requestedBy,
      ...(asker !== undefined && { asker: recallAsker(asker) }),
    },
    ...(actions.some(({ tool }) => catalog.mayChange(tool)) && { toolsVersion: catalog.version }),
  };
}

/** Plan parked actions as `makeApprovedPlan()` does, without the claim: those inside of a flow are run on the strength of the flow's. */
export function planParked(
  group: Pick<ParkedGroup, "actions" | "onError" | "deadlineMs" | "maxTokens" | "results">,
  catalog: Pick<Catalog, "get">,
): Plan {
  const { actions, onError, deadlineMs, maxTokens, results } = group;
  const tasks = actions.map((action) => makeTask(action, catalog));
  const needs = actions.map((action) => action.needs);
  // A gated action whose arguments are not known asks once they are; where only some arguments ask, it may not.
  const asks = actions.map(({ tool: name, gated, args }) => {
    if (!gated || args.kind !== "waiting") return false;
    const tool = catalog.get(name);
    return tool === undefined || conditionOf(tool.orchestration) === undefined ? true : undefined;
  });
  const parking = findParking(
    asks.map((asksNow) => asksNow === true),
    needs,
  );
  const effects = tasks.map((task, index) => (parking[index] === null ? effectOf(task) : null));
  const hazards = findHazards(effects, needs);
  const remaining = remainingPaths(needs.map((needed, index) => [...needed, ...hazards[index]!]));
  const steps = actions.map(({ id, tool, doubted }, index): Step => ({
    index,
    id,
    toolName: tool,
    needs: needs[index]!,
    after: hazards[index]!,
    edges: [...needs[index]!.map(toEdge("depends_on")), ...hazards[index]!.map(toEdge("hazard: parked"))],
    parking: parking[index]!,
    ...(asks[index] === undefined && { mayAsk: true as const }),
    ...(doubted && { doubted }),
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
  };
}

function toEdge(reason: Edge["reason"]): (from: number) => Edge {
  return (from) => ({ from, reason });
}

function makeTask(
  { tool: name, args, timeoutMs, select, callback, runAt, begun }: ParkedAction,
  catalog: Pick<Catalog, "get">,
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
      return call.ok ? ok({ ...task, input: args.input, call: resume(call.value, begun) }) : call;
    }
    case "loop": {
      const calls = args.elements.map((element, index) => {
        if (!("input" in element)) return err(element.error);
        const call = makeCall(task, element.input);
        return call.ok && begun?.kind === "loop" ? ok(resume(call.value, begun.elements[index])) : call;
      });
      return ok({ ...task, forEach: [], calls });
    }
  }
}

/** Make of a call one that goes on with what it had done when it asked. */
function resume(call: Call, begun: ParkedAction["begun"] | BegunElement<BegunFlow>): Call {
  return begun === undefined || begun.kind === "loop" ? call : { ...call, begun };
}

function makeCall({ tool, timeoutMs, callback, runAt }: Task, input: JsonObject): Result<Call, Failure> {
  const parsed = parseCall(tool, input, { isForeign: true });
  return parsed.ok ? ok({ tool, ...parsed.value, timeoutMs, callback, runAt }) : parsed;
}
