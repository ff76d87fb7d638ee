import type { Failure } from "../contract/failure.ts";
import type { ByteBudget } from "../egress/read-body.ts";
import { attempt, ok, type Result } from "../kit/result.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";

/** Data of earlier batches, by the id that refers to it; or why it cannot be had although it is there. */
export type Recalled = ReadonlyMap<string, Result<unknown, Failure>>;

/**
 * Fetch the kept results that a batch refers to, by handle. One that is gone is simply not there: the action that
 * refers to it says so, and the others run. The same holds for all of them when the gate does not answer.
 *
 * @param budget has the values that the batch's data may have, these included
 */
export async function recallResults(
  handles: readonly string[],
  gate: Gate,
  budget: ByteBudget,
): Promise<Recalled> {
  if (handles.length === 0) return new Map();
  const kept = await attempt(() => gate.recall(handles));
  if (!kept.ok) return new Map();
  return new Map(
    kept.value.map(({ handle, json }) => {
      const taken = budget.takeValues(json);
      return [handle, taken.ok ? ok(JSON.parse(json) as unknown) : taken];
    }),
  );
}
