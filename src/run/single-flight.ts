import type { Tool } from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import { flightKey } from "../plan/read-key.ts";
import type { Call, Plan } from "../plan/step.ts";
import type { SentWrite } from "./run-action.ts";
import type { Queued } from "./tool-pools.ts";

/**
 * Let identical reads of one batch share one call: the same tool, arguments and timeout.
 *
 * Whoever comes later gets the outcome of the first, a failure too. It takes no place under the tool's cap and sends
 * nothing. What is known beforehand to be asked once pays nothing for this.
 */
export class SingleFlight {
  readonly #clock: Clock;
  readonly #repeats: Repeats;
  readonly #flights = new Map<string, Map<string, Flight>>();

  constructor(plan: Plan, clock: Clock) {
    this.#clock = clock;
    this.#repeats = plan.sharesReads ? findRepeats(plan) : NO_REPEATS;
  }

  /**
   * Join the call that asks the same, or make it with `queue`.
   *
   * @param id the action that asks; named in the results of those that join later
   */
  join(id: string, call: Call, queue: () => Queued): Queued {
    const { open, keys } = this.#repeats;
    const { tool } = call;
    const isOpen = open.has(tool);
    if (!isOpen && keys.size === 0) return queue();
    const key = flightKey(call);
    if (tool.isWrite || !(isOpen || keys.has(key))) return queue();

    let flights = this.#flights.get(tool.domain);
    if (flights === undefined) this.#flights.set(tool.domain, (flights = new Map()));
    const known = flights.get(key);
    if (known !== undefined && !known.isAbandoned)
      return known.board((outcome, waitedMs) => share(outcome, known.id, waitedMs));
    const flight = new Flight(id, queue(), this.#clock);
    flights.set(key, flight);
    return flight.board((outcome) => outcome);
  }

  /**
   * Forget what was read of a domain, because a write of it begins. The plan's order sees to it that reads before the
   * write are over by then and reads after it begin when it has ended, so none of those is answered from before it.
   */
  forget(domain: string): void {
    this.#flights.delete(domain);
  }
}

/** Which calls of a batch may be asked for more than once. */
interface Repeats {
  /** Tools whose calls are known only while the batch runs: by a reference, or by a loop. */
  readonly open: ReadonlySet<Tool>;
  /** Calls that are known beforehand to be asked for again. */
  readonly keys: ReadonlySet<string>;
}

const NO_REPEATS: Repeats = { open: new Set(), keys: new Set() };

function findRepeats({ steps }: Plan): Repeats {
  const once = new Set<Tool>();
  const repeated = new Set<Tool>();
  const open = new Set<Tool>();
  for (const { task } of steps) {
    if (!task.ok || task.value.tool.isWrite) continue;
    const { tool, call, forEach } = task.value;
    if (forEach !== undefined || once.has(tool)) repeated.add(tool);
    if (call === null) open.add(tool);
    once.add(tool);
  }
  if (repeated.size === 0) return NO_REPEATS;
  const seen = new Set<string>();
  const keys = new Set<string>();
  for (const { task } of steps) {
    if (!task.ok || task.value.call === null || !repeated.has(task.value.tool) || open.has(task.value.tool))
      continue;
    const key = flightKey(task.value.call);
    if (seen.has(key)) keys.add(key);
    seen.add(key);
  }
  return { open: new Set([...open].filter((tool) => repeated.has(tool))), keys };
}

/** What a passenger makes of the call's outcome, having waited so long for it. */
type Receive = (outcome: Outcome, waitedMs: number) => Outcome;

/** One call and those who wait for it. It is stopped when nobody does any more. */
class Flight {
  readonly id: string;
  readonly call: Queued;
  readonly clock: Clock;
  #waiting = 0;
  #isAbandoned = false;

  constructor(id: string, call: Queued, clock: Clock) {
    this.id = id;
    this.call = call;
    this.clock = clock;
  }

  /** Stopped before it was over: it has nothing to give to anyone else. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  board(receive: Receive): Queued {
    this.#waiting += 1;
    return new Passenger(this, receive);
  }

  leave(failure: Failure, sentWrite: SentWrite): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#isAbandoned = true;
    this.call.stop(failure, sentWrite);
  }
}

class Passenger implements Queued {
  readonly #flight: Flight;
  readonly #outcome = Promise.withResolvers<Outcome>();
  #isOver = false;

  constructor(flight: Flight, receive: Receive) {
    this.#flight = flight;
    const { clock } = flight;
    const since = clock.now();
    void flight.call.outcome.then((outcome) => {
      this.#isOver = true;
      this.#outcome.resolve(receive(outcome, Math.max(0, clock.now() - since)));
    });
  }

  get outcome(): Promise<Outcome> {
    return this.#outcome.promise;
  }

  get finished(): Promise<void> {
    return this.#flight.call.finished;
  }

  get started(): boolean {
    return this.#flight.call.started;
  }

  stop(failure: Failure, sentWrite: SentWrite): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#flight.leave(failure, sentWrite);
    // Of the last one the call itself says how far it came.
    if (!this.#flight.isAbandoned) this.#outcome.resolve({ status: "error", error: failure, meta: {} });
  }
}

/** Another's outcome as one's own: it took the time that was waited, and no work. */
function share(outcome: Outcome, id: string, waitedMs: number): Outcome {
  const durationMs = Math.min(waitedMs, outcome.meta.durationMs ?? 0);
  const { bytes } = outcome.meta;
  return {
    ...outcome,
    meta: {
      durationMs,
      workMs: 0,
      queuedMs: waitedMs - durationMs,
      attempts: 0,
      ...(bytes !== undefined && { bytes }),
      deduplicatedOf: id,
    },
  };
}
