import type { Outcome } from "../contract/outcome.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Ports } from "../egress/ports.ts";
import { attempt } from "../kit/result.ts";

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
