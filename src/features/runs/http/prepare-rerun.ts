import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import type { RunLog } from "../objects/run-logs.ts";
import { decideRerun, type Fate } from "../rerun/decide-rerun.ts";
import type { KeptRun } from "../rerun/kept-run.ts";
import type { RerunOf } from "../rerun/run-rerun.ts";
import type { ListedRun } from "../run.ts";
import { sees } from "../see-run.ts";
import { useAccountsOf } from "./accounts-of-run.ts";
import { NO_RUN, sightOf } from "./open-log.ts";

/** A rerun that can begin. */
export interface PreparedRerun {
  readonly fates: readonly Fate[];
  readonly of: RerunOf;
  /** The last rerun of the same run that has left a record, or may still; the run itself where there is none. */
  readonly latest: string;
  /** The request, with the accounts that the run used. */
  readonly context: RequestContext;
}

/** Find out what becomes of each action of a run if it is run again, or why it is not. */
export async function prepareRerun(
  id: string,
  {
    log,
    only,
    request,
  }: { readonly log: RunLog; readonly only: "failed" | undefined; readonly request: Request },
  context: RequestContext,
): Promise<Result<PreparedRerun, Refusal>> {
  const sight = { sight: sightOf(context) };
  const found = await askGate(async () => {
    const run = await log.find(id, sight);
    return run === null ? null : { ...run, ...(await log.reruns(id)) };
  }, "The tenant's runs could not be read; nothing ran, so ask again.");
  if (!found.ok) return found;
  if (found.value === null) return err(NO_RUN);
  const { run, body, root, earlier } = found.value;
  const refused = refuseRun(run, earlier.length);
  if (refused !== null) return err(refused);
  const own = useAccountsOf(run, request, context);
  if (!own.ok) return own;
  const kept = parseExact(body) as KeptRun;
  const fates = decideRerun({
    actions: kept.actions.filter(({ tool }) => sees(sight, tool)),
    earlier: earlier.map((one) => ({
      writes: one.writes,
      actions: one.body === null ? null : (parseExact(one.body) as KeptRun).actions,
    })),
    onlyFailed: only === "failed",
    toolOf: (name) => context.catalog.get(name),
  });
  if (!fates.ok) return err(refuseActions(fates.error));
  const asking = fates.value.flatMap(({ kind, action }) => (kind === "ask" ? [action.id] : []));
  if (asking.length > 0 && context.brought?.asking === undefined) return err(refuseUnasked(asking));
  const { tags } = run;
  const lostAt = context.ports.clock.now() - LIMITS.rerunLostMs;
  return ok({
    fates: fates.value,
    of: { runId: id, root, earlier: earlier.length, kept, log, ...(tags !== undefined && { tags }) },
    latest: earlier.findLast(({ body: left, at }) => left !== null || at > lostAt)?.rerun ?? root,
    context: own.value,
  });
}

/** Say why a run cannot be run again at all; null where it can. */
function refuseRun({ job_id: job, source }: ListedRun, earlier: number): Refusal | null {
  if (job !== undefined)
    return makeRefusal(
      "INVALID_REQUEST",
      `This run is an attempt of the job '${job}', which makes its own; redrive it with POST /v1/jobs/${job}/redrive.`,
    );
  if (source === "agent")
    return makeRefusal("INVALID_REQUEST", "A model wrote this run round by round; send its request again.");
  if (earlier < LIMITS.runReruns) return null;
  return makeRefusal(
    "INVALID_REQUEST",
    `A run is run again ${LIMITS.runReruns} times at most; send its actions anew.`,
  );
}

function refuseActions(ids: readonly string[]): Refusal {
  const hint = `Not everything that ${say(ids)} sent is kept: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing ran; send the actions anew.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function refuseUnasked(ids: readonly string[]): Refusal {
  const hint = `Whether ${say(ids)} happened is not certain, and this deployment asks no person. Nothing ran; look before you send it again.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function say(ids: readonly string[]): string {
  return ids.map((id) => `'${id}'`).join(", ");
}
