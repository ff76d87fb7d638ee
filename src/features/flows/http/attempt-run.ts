import { makeFailure } from "../../../core/contract/failure.ts";
import type { JobClaim } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";
import { callFlows } from "../flow-run.ts";
import { type RunEnd, runJob } from "../run/run-job.ts";
import { ByteBudget } from "../../../core/egress/byte-budget.ts";
import { attempt } from "../../../feature/refuse.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { withAccount } from "../../../feature/caller.ts";
import { tellAttempt } from "../../../core/observe/attempt-line.ts";
import { failedAttempt } from "../../../core/run/run-attempt.ts";
import type { Deployment } from "../../../feature/define.ts";
import { addedToolsOf } from "../../added-tools/http/added-tools.ts";

/** For small bodies and the answers of writes, as in a request, of the same part of the whole. */
const RESERVE_BYTES = LIMITS.runResponseBytes / 4;

const NEVER = new AbortController().signal;

export interface AttemptRunOptions {
  readonly tenant: string;
  /** Keep work alive that no request waits for. */
  readonly defer: (work: Promise<unknown>) => void;
  /** The header slots that it shares with other attempts; its own where it is given none. */
  readonly slots?: Semaphore | undefined;
}

/**
 * Make one attempt of a run and tell the tenant's object how it ended: the same in the request that recorded the run, after its
 * answer, as in the object's alarm. Rejects where that cannot be told; the run then waits for its lease.
 */
export async function attemptRun(
  claim: JobClaim,
  deployment: Deployment,
  { tenant, defer, slots }: AttemptRunOptions,
): Promise<void> {
  const { spec, fence } = claim;
  const runner = deployment.runnerOf(tenant);
  // Without a key no caller is left who could look at it either.
  if (runner === null) throw new Error(`Cannot run '${spec.tool}': no key of its tenant is configured`);
  const opened = deployment.contextOf(runner, { requestId: spec.id, defer });
  const context = withAccount(opened, spec.origin?.account);
  const { clock, telemetry } = context.ports;
  const startedAt = clock.now();
  const { share } = context.upstreams;
  const budget = new ByteBudget(LIMITS.runResponseBytes, RESERVE_BYTES, { values: LIMITS.runValues, share });
  const made = await attempt(async (): Promise<RunEnd> => {
    const [catalog, tool] = [
      await context.currentCatalog(),
      await addedToolsOf(deployment.configured).compile(spec.toolJson ?? "{}"),
    ];
    const { origin = context.origin } = spec;
    const inside = {
      signal: NEVER,
      endsAt: context.ports.clock.now() + (spec.run?.deadlineMs ?? 0),
      slots: slots ?? new Semaphore(context.options.headerSlots),
      budget,
    };
    const whole = spec.run?.isInputApart === true ? await callFlows(context.gate, "runInput", spec.id) : null;
    const own = whole === null ? claim : { ...claim, spec: { ...spec, argsJson: whole } };
    return runJob(own, tool, { ...context, catalog, origin, inside, signal: NEVER });
  });
  const { end, report } = made.ok ? made.value : BROKEN_OFF;
  tellAttempt(telemetry, { claim, end, durationMs: Math.max(0, clock.now() - startedAt) });
  await callFlows(context.gate, "settleRun", spec.id, fence, end, report);
  budget.release();
}

/** The end that a bug, or an object that could not be asked, leaves behind. The sent writes are written down. */
const BROKEN_OFF: RunEnd = {
  end: failedAttempt(makeFailure("INTERNAL", { retryable: true, hint: "The attempt broke off." })),
};
