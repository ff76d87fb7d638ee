import { attempt } from "../kit/result.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { parseExact } from "../contract/json.ts";

/**
 * Fetch the kept results that a batch refers to, by handle. One that is gone is simply not there: the action that
 * refers to it says so, and the others run. The same holds for all of them when the gate does not answer.
 */
export async function recallResults(
  handles: readonly string[],
  gate: Gate,
): Promise<ReadonlyMap<string, unknown>> {
  if (handles.length === 0) return new Map();
  const kept = await attempt(() => gate.recall(handles));
  return new Map(kept.ok ? kept.value.map(({ handle, json }) => [handle, parseExact(json)]) : []);
}
