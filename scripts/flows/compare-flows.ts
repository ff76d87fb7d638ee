import type { JsonObject } from "../../src/core/contract/json.ts";
import { type Change, findChanges } from "./find-changes.ts";

/** Flows by name, each with the fields that `PUT /v1/flows/{name}` takes; in the order of their list. */
export type Flows = ReadonlyMap<string, JsonObject>;

/** The change to a flow of one side that makes it equal to the other. */
export type Difference = { readonly name: string } & (
  | { readonly kind: "new"; readonly flow: JsonObject }
  | { readonly kind: "changed"; readonly flow: JsonObject; readonly changes: readonly Change[] }
  | { readonly kind: "gone" }
);

/** How two sets of flows differ. */
export interface Comparison {
  /** In the order of the new side; what it does not have comes last. */
  readonly differences: readonly Difference[];
  readonly unchanged: number;
}

/** Compare flows by value: what has to be done to make `to` of `from`. */
export function compareFlows(from: Flows, to: Flows): Comparison {
  const kept = [...to].flatMap(([name, flow]): Difference[] => {
    const before = from.get(name);
    if (before === undefined) return [{ kind: "new", name, flow }];
    const changes = findChanges(before, flow);
    return changes.length === 0 ? [] : [{ kind: "changed", name, flow, changes }];
  });
  const gone = [...from.keys()].filter((name) => !to.has(name));
  return {
    differences: [...kept, ...gone.map((name): Difference => ({ kind: "gone", name }))],
    unchanged: to.size - kept.length,
  };
}
