import type { Origin } from "../contract/gate/caller.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import type { ByteBudget } from "../egress/byte-budget.ts";
import type { Ports, RunOptions } from "../egress/ports.ts";
import type { ProgressReport } from "../catalog/define-tool.ts";
import type { BeforeCall, KeepOfJob, Upstreams } from "../gate/execution.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** How many calls of a batch are under way at once, and were at most. */
export interface Parallelism {
  active: number;
  max: number;
}

/** The parts that the calls of one request share. */
export interface CallScope extends Upstreams {
  /** Who asked for them. A job says so itself. */
  readonly origin: Origin;
  /** When a job was asked for, in milliseconds since the epoch; a call of a batch is asked for when it begins. */
  readonly askedAt?: number | undefined;
  readonly ports: Ports;
  readonly options: RunOptions;
  /** When the batch began, in milliseconds since the epoch: its calls' times are counted from then. */
  readonly startedAt?: number;
  /** Calls that may wait for response headers at once. */
  readonly slots: Semaphore;
  /** Lent to one request of them after another; absent where each makes its own. */
  readonly idle?: AbortController[];
  readonly budget: ByteBudget;
  /** Names the run that they are of; absent outside of one. */
  readonly runId?: (() => string) | undefined;
  /** Counts the calls that are under way. */
  readonly parallelism?: Parallelism;
  /** A read that is given up may go on until the invocation ends: no call waits for its header slot or its end. */
  readonly mayLinger?: boolean;
  /** A passing failure is sent again by us, under the same key: the caller does not send it. */
  readonly resends?: boolean;
  readonly beforeCall?: BeforeCall | undefined;
  readonly keepOfJob?: KeepOfJob | undefined;
  /** Told what the tools that the batch waits for report of their progress. */
  readonly onReport?: ((report: ProgressReport) => void) | undefined;
}

/** The objects by which the tools of a request know it: they must not have its scope. It goes with the request. */
const requests = new WeakMap<CallScope, object>();

/** The same object for every call of one scope, and for no other; there is nothing in it. */
export function requestOf(scope: CallScope): object {
  return getOrMake(requests, scope, () => Object.freeze({}));
}

/** Make the failure of what the deadline of its batch found unfinished, or not begun. */
export function deadlineExceeded(deadlineMs: number): Failure {
  const hint = `The batch had ${deadlineMs} ms; ask for less at once or raise deadline_ms.`;
  return makeFailure("DEADLINE_EXCEEDED", { hint });
}
