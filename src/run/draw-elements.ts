import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { err, type Result } from "../kit/result.ts";
import type { Call } from "../plan/step.ts";
import { rateLimited, toLimit } from "./admit-plan.ts";
import type { Gate } from "./ports.ts";
import type { Queued } from "./tool-pools.ts";

/**
 * Draw from the tool's rate limit once for every element of a loop, then run the loop with the elements that were
 * denied as failures in their place.
 *
 * The batch's admission cannot do this: how many elements there are is known only now. When the gate does not answer
 * every element is denied, because a limit that cannot be asked may be used up.
 */
export function drawElements(
  calls: readonly Result<Call, Failure>[],
  tool: Tool,
  gate: Gate,
  loop: (calls: readonly Result<Call, Failure>[]) => Queued,
): Queued {
  let stopped: Failure | null = null;
  let running: Queued | null = null;
  const started = draw(calls, tool, gate).then((admitted) => {
    // A loop that has begun may have sent something already; one that was stopped before must not begin.
    running = loop(stopped === null ? admitted : admitted.map(() => err(stopped!)));
    return running;
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

async function draw(
  calls: readonly Result<Call, Failure>[],
  tool: Tool,
  gate: Gate,
): Promise<readonly Result<Call, Failure>[]> {
  const limit = toLimit(tool);
  if (limit === null) return calls;
  const draws = calls.flatMap((call, index) => (call.ok ? [{ index, limit }] : []));
  if (draws.length === 0) return calls;
  try {
    const { denied } = await gate.admit({ quota: null, draws, jobs: [], allOrNothing: false });
    const waits = new Map(denied.map(({ index, retryAfterMs }) => [index, retryAfterMs]));
    return calls.map((call, index) => (waits.has(index) ? err(rateLimited(waits.get(index)!)) : call));
  } catch {
    return calls.map((call) =>
      call.ok
        ? err(makeFailure("OVERLOADED", { hint: "The limiter did not answer; nothing was sent. Try again." }))
        : call,
    );
  }
}
