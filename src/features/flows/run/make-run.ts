import type { KeptFlow } from "../declaration/flow-schema.ts";
import type { Account } from "../../../core/contract/gate/caller.ts";
import type { HookFacts, JobSpec, RunOf } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";

/** The parts that a run is made of. */
export interface RunOptions {
  readonly tenant: string;
  /** Whose accounts it uses; absent where it uses those of the deployment alone. */
  readonly account?: Account | undefined;
  readonly trigger: RunOf["trigger"];
  /** The delivery that begins it; absent where a clock does. */
  readonly hook?: HookFacts;
  readonly kept: KeptFlow;
  /** The same as it is kept: a run goes on with that, whatever becomes of the flow. */
  readonly toolJson: string;
  readonly inputJson: string;
  /** A fresh id for each call; a seed of job ids has to be a UUID. */
  readonly newId: () => string;
}

/** Make the job of a run of a flow that has no waiting caller. */
export function makeRun({ kept: { name, flow }, newId, ...of }: RunOptions): JobSpec {
  const { tenant, account, trigger, hook } = of;
  const id = newId();
  return {
    id,
    kind: "run",
    tool: name,
    argsJson: of.inputJson,
    idempotencyKey: newId(),
    maxAttempts: LIMITS.jobAttempts,
    backoffInitialMs: LIMITS.jobBackoffInitialMs,
    // The journal tells step by step which calls must not be repeated.
    delivery: "at-least-once",
    // No key has such a name, so in the log it belongs to no key.
    origin: { tenant, key: `${trigger}:${name}`, requestId: id, batchId: id, account },
    toolJson: of.toolJson,
    run: { trigger, deadlineMs: flow.deadline_ms ?? LIMITS.deadlineMs, ...(hook && { hook }) },
  };
}
