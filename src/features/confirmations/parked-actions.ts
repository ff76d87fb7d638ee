import type { Tool } from "../../feature/tool.ts";
import { findReferences, type JsonObject } from "../../feature/schema.ts";
import { ok } from "../../feature/refuse.ts";
export type { BegunFlow } from "./parked-group.ts";
import type { ParkedAction, ParkedArgs, ParkedGroup } from "./parked-group.ts";
import { ITEM } from "../../core/contract/reference.ts";
import type { Ports } from "../../feature/outside.ts";
import { pickPointers } from "../../core/kit/json/json-pointer.ts";
import type { DataOf } from "../../core/plan/references.ts";
import { seenOf } from "./conditions.ts";
import { begunFlows, isOver } from "./confirmation.ts";
import { sayCalls } from "./say-call.ts";
import { hashDeclaration } from "./confirmation-digests.ts";
import type { ParkedStep } from "../../core/plan/parked-step.ts";

/** Make of parked steps what is recorded of them: a group has no other needs than those among its own actions. */
export function toParkedActions(steps: readonly ParkedStep[]): readonly ParkedAction[] {
  const position = new Map(steps.map(({ step }, at) => [step.index, at]));
  return steps.map((parked): ParkedAction => {
    const { step, task } = parked;
    // A flow leaves it, as `FlowQuestions` says.
    const begun = parked.begun as ParkedAction["begun"];
    const says = sayCalls(task.tool, seenBy(parked));
    return {
      id: step.id,
      tool: task.tool.name,
      gated: step.parking === "gated" || step.mayAsk === true || begun !== undefined,
      needs: step.needs.flatMap((needed) => position.get(needed) ?? []),
      args: toParkedArgs(parked),
      ...(says !== undefined && { says }),
      timeoutMs: task.timeoutMs,
      select: task.select,
      ...(task.callback !== undefined && { callback: task.callback }),
      ...(task.runAt !== undefined && { runAt: task.runAt }),
      ...(begun !== undefined && { begun }),
      ...(step.doubted && { doubted: true as const }),
    };
  });
}

function toParkedArgs({ task, prepared }: ParkedStep): ParkedArgs {
  // Input without references is known, whatever its step waits for.
  if (prepared === null && task.call !== null) return { kind: "call", input: task.call.input };
  if (prepared === null) return { kind: "waiting", input: task.input, forEach: task.forEach };
  if (prepared.kind === "call") return { kind: "call", input: prepared.call.input };
  const elements = prepared.calls.map((call) =>
    call.ok ? { input: call.value.input } : { error: call.error },
  );
  return { kind: "loop", elements };
}

/** The arguments of each call as its tool will get them, as far as they are known. */
function seenBy({ task, prepared, begun }: ParkedStep): readonly JsonObject[] {
  if (prepared === null) return [task.call === null ? task.input : seenOf(task.call)];
  const calls = prepared.kind === "call" ? [ok(prepared.call)] : prepared.calls;
  const isDone = (at: number): boolean => isOver(begun as ParkedAction["begun"], at);
  return calls.flatMap((call, at) => (call.ok && !isDone(at) ? [seenOf(call.value)] : []));
}

/** Pick what the waiting actions refer to outside the group, by id; only the parts that they refer to. */
export function pickResults(actions: readonly ParkedAction[], dataOf: DataOf): [string, unknown][] {
  const inside = new Set([ITEM, ...actions.map(({ id }) => id)]);
  const references = actions.flatMap(({ args }) => {
    if (args.kind !== "waiting") return [];
    const found = findReferences([args.input, args.forEach], []);
    return found.ok ? found.value.filter(({ id }) => !inside.has(id)) : [];
  });
  return [...Map.groupBy(references, ({ id }) => id)].flatMap(([id, wanted]): [string, unknown][] => {
    const source = dataOf(id);
    const pointers = wanted.map(({ tokens }) => tokens);
    return source === undefined || "refused" in source ? [] : [[id, pickPointers(source.data, pointers)]];
  });
}

/** Hash the declaration of every tool that a yes would run, those inside of flows that have begun among them. */
export async function declareTools(
  steps: readonly ParkedStep[],
  { sha256 }: Pick<Ports, "sha256">,
): Promise<ParkedGroup["declarations"]> {
  const tools = new Map(steps.map(({ task: { tool } }): [string, Tool] => [tool.name, tool]));
  const own = await Promise.all(
    [...tools.values()].map(async (tool) => [tool.name, await hashDeclaration(tool, sha256)] as const),
  );
  const inside = steps.flatMap(({ begun }) =>
    begunFlows(begun as ParkedAction["begun"]).flatMap(({ flow }) => flow.declarations),
  );
  return [...new Map([...own, ...inside])];
}
