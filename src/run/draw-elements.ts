import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { err, type Result } from "../kit/result.ts";
import type { Call } from "../plan/step.ts";
import { rateLimited, toLimit } from "../gate/admit-plan.ts";
import { markDegraded, uncountable } from "../gate/degrade-plan.ts";
import type { Gate } from "../egress/ports.ts";
import type { Queued } from "./tool-pools.ts";

/**
 * Draw from the tool's rate limit once for every element of a loop, then run the loop with the elements that were
 * denied as failures in their place.
 *
 * The batch's admission cannot do this: how many elements there are is known only now. When the gate does not answer
 * every element is denied, because a limit that cannot be asked may be used up; unless the tool declares otherwise.
 */
export function drawElements(
  calls: readonly Result<Call, Failure>[],
  tool: Tool,
  gate: Gate,
  loop: (calls: readonly Result<Call, Failure>[]) => Queued,
): Queued {
  let stopped: Failure | null = null;
  let running: Queued | null = null;
  const started = draw(calls, tool, gate).then(({ admitted, degraded }) => {
    // A loop that has begun may have sent something already; one that was stopped before must not begin.
    running = loop(stopped === null ? admitted : admitted.map(() => err(stopped!)));
    const { outcome, finished } = running;
    return { outcome: degraded ? outcome.then(markDegraded) : outcome, finished };
  });
  return {
    outcome: started.then(({ outcome }) => outcome),
    finished: started.then(({ finished }) => finished),
    get started() {
      return running?.started ?? false;
    },
    stop(failure, sentWrite) {
      stopped ??= failure;
      running?.stop(failure, sentWrite);
    },
  };
}

interface Drawn {
  readonly admitted: readonly Result<Call, Failure>[];
  /** The gate did not answer. */
  readonly degraded: boolean;
}

async function draw(calls: readonly Result<Call, Failure>[], tool: Tool, gate: Gate): Promise<Drawn> {
  const limit = toLimit(tool);
  const draws = calls.flatMap((call, index) => (call.ok && limit !== null ? [{ index, limit }] : []));
  if (draws.length === 0) return { admitted: calls, degraded: false };
  try {
    const { denied } = await gate.admit({ quota: null, draws, jobs: [], allOrNothing: false });
    const waits = new Map(denied.map(({ index, retryAfterMs }) => [index, retryAfterMs]));
    const admitted = calls.map((call, index) =>
      waits.has(index) ? err(rateLimited(waits.get(index)!)) : call,
    );
    return { admitted, degraded: false };
  } catch {
    if (tool.whenLimiterDown === "run") return { admitted: calls, degraded: true };
    const refused = makeFailure("OVERLOADED", { hint: uncountable(tool.isWrite) });
    return { admitted: calls.map((call) => (call.ok ? err(refused) : call)), degraded: true };
  }
}
