import { makeFailure } from "../../../core/contract/failure.ts";
import type { JobClaim } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Deployment } from "../../../cloudflare/deployed.ts";
import { ByteBudget } from "../../../core/egress/read-body.ts";
import { attempt } from "../../../core/kit/result.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { withAccount } from "../../../core/gate/with-account.ts";
import { tellAttempt } from "../../../core/observe/attempt-line.ts";
import { Watch } from "../../../core/observe/watch.ts";
import { failedAttempt } from "../../../core/run/run-attempt.ts";
import { type BatchReport, callBackground, readKeptBatch } from "../batch-job.ts";
import { runBatch } from "../run/run-batch.ts";

/** The route of no request: by it the log of runs knows where a run came from. */
const ROUTE = "background";

/** Make one attempt of a batch in the background in its tenant's object, which lives on while it is under way. */
export async function attemptBatch(
  claim: JobClaim,
  deployment: Deployment,
  slots: Semaphore | undefined,
): Promise<void> {
  const { spec, fence } = claim;
  const { caller, deadlineMs, callback } = readKeptBatch(spec.toolJson ?? "");
  const { clock, operator } = deployment.ports;
  const requestId = spec.origin?.requestId ?? spec.id;
  const watch = new Watch({ clock, requestId, operator });
  watch.route = ROUTE;
  const opened = deployment.contextOf(caller, { requestId, defer: () => {}, watch });
  const context = withAccount(opened, spec.origin?.account);
  const startedAt = clock.now();
  const { options, upstreams } = context;
  const { requestResponseBytes: bytes } = options;
  const budget = new ByteBudget(bytes, LIMITS.responseReserveBytes, { share: upstreams.share });
  const made = await attempt(async () => {
    const catalog = await context.currentCatalog();
    const execution = { ...context, catalog, callback, signal: new AbortController().signal };
    return runBatch(claim, execution, {
      deadlineMs,
      slots: slots ?? new Semaphore(options.headerSlots),
      budget,
    });
  });
  const report = made.ok ? made.value : BROKEN_OFF;
  if (report !== null) {
    const { end } = report;
    tellAttempt(operator, { claim, end, durationMs: Math.max(0, clock.now() - startedAt) });
    await callBackground(context.gate, "settle", spec.id, fence, report);
  }
  budget.release();
}

/** The end that a bug, or an object that could not be asked, leaves behind. The sent writes are written down. */
const BROKEN_OFF: BatchReport = {
  end: failedAttempt(makeFailure("INTERNAL", { retryable: true, hint: "The attempt broke off." })),
  results: [],
};
