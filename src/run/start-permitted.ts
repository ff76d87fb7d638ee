import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import type { CallPermits } from "./call-permits.ts";
import type { Running } from "./run-action.ts";

/**
 * Start a call of a tool with global limits once it has a permit; `begin` is told how long it waited. Until then it has
 * not started: stopping it gives its place in the queue up, and nothing was sent.
 */
export function startPermitted(
  permits: CallPermits,
  clock: Clock,
  begin: (waitedMs: number) => Running,
): Running {
  const askedAt = clock.now();
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
  let running: Running | null = null;
  let stopped = false;
  const fail = (error: Failure): void =>
    resolve({ status: "error", error, meta: { queuedMs: clock.now() - askedAt } });

  const finished = permits.take().then((denied) => {
    if (denied !== null) return fail(denied);
    if (stopped) return permits.release();
    running = begin(clock.now() - askedAt);
    resolve(running.outcome);
    return running.finished;
  });
  return {
    outcome,
    finished,
    get started() {
      return running !== null;
    },
    stop(failure, sentWrite) {
      if (running !== null) return running.stop(failure, sentWrite);
      stopped = true;
      fail(failure);
      permits.release();
    },
  };
}
