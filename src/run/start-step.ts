import type { Failure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Result } from "../kit/result.ts";
import { prepareTask } from "../plan/prepare-task.ts";
import type { DataOf } from "../plan/references.ts";
import type { Call, Step, Task } from "../plan/step.ts";
import { toLimit } from "../gate/admit-plan.ts";
import type { Background } from "./background.ts";
import { CallPermits } from "./call-permits.ts";
import type { Demotion } from "./demotion.ts";
import { drawElements } from "./draw-elements.ts";
import type { Parallelism } from "../answer/parallelism.ts";
import type { Gate } from "../egress/ports.ts";
import type { CachedAnswer } from "../egress/read-cache.ts";
import { type Action, type ActionOptions, type RequestScope, startAction } from "./run-action.ts";
import { startLoop } from "./run-loop.ts";
import { selectOutput } from "./select-output.ts";
import type { SingleFlight } from "./single-flight.ts";
import { startPermitted } from "./start-permitted.ts";
import type { StepIds } from "../gate/step-ids.ts";
import { type Queued, ToolPools } from "./tool-pools.ts";
import type { Verifications } from "./verifications.ts";

/** Start a step whose dependencies are met; `dataOf` knows the data of every action it refers to. */
export type StartStep = (step: Step, task: Task, dataOf: DataOf) => Queued;

export interface StepStarterOptions {
  readonly ids: StepIds;
  readonly scope: RequestScope;
  readonly background: Background;
  /** Told of every call that it may have to carry on after the deadline. */
  readonly demotion: Demotion;
  /** Told of every call that it may have to look after. */
  readonly verifications: Verifications;
  readonly gate: Gate;
  readonly parallelism: Parallelism;
  readonly flights: SingleFlight;
  /** Whether a read may be answered by what is remembered; false where every call was asked for on its own account. */
  readonly recalls: boolean;
  /** Told what the tools report of their progress; background attempts are not waited for, so they tell nobody. */
  readonly onReport?: ActionOptions["onReport"];
  /** When the batch's deadline passes, in the clock's milliseconds: nothing waits for a permit after it. */
  readonly endsAt: number;
}

/**
 * Create what starts the steps of a batch: looks up what they refer to, then queues one call, or one for each element
 * of a loop, under the tool's cap and together with whoever asks the same, or records a background job.
 */
export function createStepStarter({
  ids,
  scope,
  background,
  demotion,
  verifications,
  gate,
  parallelism,
  flights,
  recalls,
  onReport,
  endsAt,
}: StepStarterOptions): StartStep {
  const pools = new ToolPools(scope.ports.clock);

  const enqueue = (step: Step, task: Task, call: Call, element: number | null): Queued => {
    const remembered = recalls ? (scope.cache?.find(call) ?? null) : null;
    if (remembered !== null) {
      const recalled = over(toOutcome(remembered));
      return task.select === null ? recalled : selectOutput(recalled, task.select);
    }
    const idempotencyKey = ids.callKey(step, element);
    const position = step.index + (element ?? 0) / (LIMITS.loopElements + 1);
    let action: Action | null = null;
    const begin = (queuedMs: number, permits?: CallPermits): Action => {
      action = startAction(call, scope, {
        idempotencyKey,
        maxAttempts: LIMITS.syncAttempts,
        queuedMs,
        isJob: () => demotion.isJob(step.index),
        parallelism,
        ...(permits !== undefined && { permits }),
        ...(onReport !== undefined && { onReport }),
      });
      return action;
    };
    const { globalLimits } = task.tool;
    const queue = (): Queued =>
      pools.enqueue(task.tool, { remaining: step.remaining, position }, (queuedMs) => {
        if (globalLimits === null) return begin(queuedMs);
        const { timeoutMs } = call;
        const permits = new CallPermits(task.tool, globalLimits, {
          ...scope,
          timeoutMs,
          waitUntilMs: endsAt,
        });
        return startPermitted(permits, scope.ports.clock, (waitedMs) => begin(queuedMs + waitedMs, permits));
      });
    if (task.tool.isWrite) flights.forget(task.tool.domain);
    const queued = flights.join(step.id, call, queue);
    // A loop is one action and would be many jobs, so its elements end with the batch.
    if (element === null) {
      demotion.offer(step.index, { call, idempotencyKey, queued, action: () => action });
      verifications.offer(step.index, call);
    }
    return task.select === null ? queued : selectOutput(queued, task.select);
  };

  return (step, task, dataOf) => {
    const prepared = prepareTask(task, dataOf);
    if (!prepared.ok) return over({ status: "error", error: prepared.error, meta: {} });
    if (task.tool.execution === "fire-and-forget") {
      parallelism.enter();
      return prepared.value.kind === "call"
        ? background.start(step.index, prepared.value.call)
        : background.startLoop(step.index, prepared.value.calls, task.tool);
    }
    if (prepared.value.kind === "call") return enqueue(step, task, prepared.value.call, null);
    const loop = (calls: readonly Result<Call, Failure>[]): Queued =>
      startLoop(calls, {
        clock: scope.ports.clock,
        inOrder: task.tool.isWrite,
        failFast: task.tool.onError === "fail-fast",
        repeatable: task.tool.idempotent,
        enqueue: (call, element) => enqueue(step, task, call, element),
      });
    return toLimit(task.tool) === null
      ? loop(prepared.value.calls)
      : drawElements(prepared.value.calls, task.tool, gate, loop);
  };
}

/** A remembered answer as an outcome: parsed anew, so that no batch can change what the next one reads. */
function toOutcome({ json, bytes, ageMs }: CachedAnswer): Outcome {
  const meta = { durationMs: 0, queuedMs: 0, attempts: 0, bytes, ageMs };
  return { status: "success", data: JSON.parse(json), json, meta };
}

/** A step that is over before it began. */
function over(outcome: Outcome): Queued {
  return {
    known: outcome,
    outcome: Promise.resolve(outcome),
    finished: Promise.resolve(),
    started: true,
    stop: () => {},
  };
}
