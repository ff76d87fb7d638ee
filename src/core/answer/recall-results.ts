import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { ByteBudget } from "../egress/byte-budget.ts";
import { parseExact } from "../contract/json.ts";
import { attempt } from "../kit/result.ts";
import type { Source } from "../plan/references.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Ports } from "../egress/ports.ts";

export interface RecallOptions {
  readonly budget: ByteBudget;
  /** Undefined names no tool: a version kept it that did not say. */
  readonly maySee: (tool: string | undefined) => boolean;
}

/**
 * Fetch the kept results that a batch refers to, by handle. One that is gone is simply not there: the action that
 * refers to it says so, and the others run. The same holds for all of them when the gate does not answer.
 *
 * Each is bounded as text, but a megabyte may be half a million values, so values are counted before they are parsed; in
 * the order asked, those that are too many together are refused.
 *
 * @param maySee whether the caller may call what gave a result; of any other it has no such handle
 * @param budget has the values that the batch's data may have, these included
 */
export async function recallResults(
  handles: readonly string[],
  gate: Gate,
  { budget, maySee }: RecallOptions,
): Promise<ReadonlyMap<string, Source>> {
  if (handles.length === 0) return new Map();
  const kept = await attempt(() => gate.recall(handles));
  if (!kept.ok) return new Map();
  return new Map(
    kept.value
      .filter(({ tool }) => maySee(tool))
      .map(({ handle, json }) => {
        const taken = budget.takeValues(json);
        return [handle, taken.ok ? { data: parseExact(json) } : { refused: taken.error }];
      }),
  );
}

/**
 * Keep the whole of a write whose selection found nothing to show, and give its outcome the handle by which a later batch can refer to
 * it. The handle is a promise: it is only given once the tenant's gate has the data.
 */
export async function keepWhole(
  outcome: Outcome & { readonly status: "success" },
  tool: string,
  { ports, gate }: { readonly ports: Pick<Ports, "newId">; readonly gate: Pick<Gate, "keep"> },
): Promise<Outcome> {
  const handle = `r-${ports.newId()}`;
  const kept = await attempt(() => gate.keep([{ handle, json: outcome.json, tool }]));
  if (!kept.ok || !kept.value.includes(handle)) return outcome;
  return { ...outcome, meta: { ...outcome.meta, handle } };
}
