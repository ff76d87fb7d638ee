import * as LIMITS from "../../../core/contract/limits.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { err, ok } from "../../../core/kit/result.ts";
import type { RunLog } from "../objects/run-logs.ts";
import { runRerun } from "../rerun/run-rerun.ts";
import type { ListedRun } from "../run.ts";
import { bulkSchema, readBulk, rerunsSchema, runsThatFit } from "./bulk-request.ts";
import { openLog } from "./open-log.ts";
import { prepareRerun } from "./prepare-rerun.ts";

/**
 * `POST /v1/runs/rerun`: run again all runs that fit, each as by a request of its own: counted, and without a write that is sent twice. A run that
 * was run again is left to its last rerun, so what is asked for twice is not run twice.
 */
export const rerunRuns: Endpoint = {
  route: "POST /v1/runs/rerun",
  async handle(request, context) {
    const opened = openLog(context);
    if (!opened.ok) return opened;
    const read = await readBulk(request, rerunsSchema);
    if (!read.ok) return read;
    const { query, only } = read.value;
    const log = opened.value;
    const { clock } = context.ports;
    const beganAt = clock.now();
    const listed = await askGate(async () => {
      const runs: ListedRun[] = [];
      for await (const run of runsThatFit(query, log, context)) if (mayRunAgain(run)) runs.push(run);
      return runs;
    }, "The tenant's runs could not be read; nothing ran, so ask again.");
    if (!listed.ok) return listed;
    const left = listed.value.slice();
    let runs = 0;
    let refused: Refusal | null = null;
    const isOver = (): boolean =>
      refused !== null ||
      runs >= LIMITS.runsInBulk ||
      request.signal.aborted ||
      clock.now() >= beganAt + LIMITS.rerunsBegunMs;
    while (left.length > 0 && !isOver()) {
      const some = left.splice(0, Math.min(LIMITS.rerunsAtOnce, LIMITS.runsInBulk - runs));
      const ended = await Promise.all(
        some.map(({ run_id: id }) => rerunOne(id, { log, only, signal: request.signal }, context)),
      );
      runs += ended.filter((one) => one === "ran").length;
      refused ??= ended.find((one) => typeof one === "object") ?? null;
    }
    if (runs === 0 && refused !== null) return err(refused);
    return ok(respondJson(JSON.stringify({ runs, more: refused !== null || left.length > 0 })));
  },
  describe: () => ({
    id: "rerunRuns",
    summary: "Run again the runs that fit, at most a thousand; none of them sends a write twice",
    tag: "Runs",
    body: { schema: rerunsSchema(), example: { status: "error", tag: "nightly", only: "failed" } },
    answer: { description: "How many ran again, each a run of its own", schema: bulkSchema() },
    refusals: ["INVALID_QUERY", "INVALID_REQUEST", "MISCONFIGURED", "UNAVAILABLE"],
    counted: true,
  }),
};

/** A job makes attempts of its own, and a model wrote an agent's rounds. */
function mayRunAgain({ job_id: job, source }: ListedRun): boolean {
  return job === undefined && source !== "agent";
}

/** Run one run again: whether it ran, was left, or was refused as the next one would be. */
async function rerunOne(
  id: string,
  {
    log,
    only,
    signal,
  }: { readonly log: RunLog; readonly only: "failed" | undefined; readonly signal: AbortSignal },
  context: RequestContext,
): Promise<"ran" | "left" | Refusal> {
  const prepared = await prepareRerun(id, { log, only }, context);
  if (!prepared.ok || prepared.value.latest !== id) return "left";
  const { fates, of } = prepared.value;
  if (!fates.some(({ kind }) => kind === "run" || kind === "ask")) return "left";
  const ran = await runRerun(fates, of, { ...context, signal });
  if (ran.ok) return "ran";
  const { refusal } = ran.error;
  return refusal.code === "QUOTA_EXCEEDED" ? refusal : "left";
}
