import * as LIMITS from "../limits.ts";
import { ok, type Refusal } from "../../../feature/refuse.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { respondRefused } from "../../../cloudflare/http/respond.ts";
import type { Route } from "../../../feature/route.ts";
import { countRequest } from "../../../core/gate/admit-plan.ts";
import type { ListedRun } from "../run-log-methods.ts";
import { bulkSchema, listPage, readBulk, rerunsSchema, respondBulk } from "./bulk-request.ts";
import { openLog } from "./open-log.ts";
import { type PreparedRerun, prepareRerun, withToolsOfNow } from "./prepare-rerun.ts";

/**
 * `POST /v1/runs/rerun`: run again all runs that fit, each as by a request of its own: counted, and without a write that is sent twice. A run that
 * was run again is left to its last rerun, so what is asked for twice is not run twice.
 */
export const rerunRuns: Route = {
  route: "POST /v1/runs/rerun",
  runs: true,
  async handle(request, received) {
    const opened = openLog(received);
    if (!opened.ok) return opened;
    const read = await readBulk(request, rerunsSchema, received);
    if (!read.ok) return read;
    const current = await withToolsOfNow(received);
    if (!current.ok) return current;
    const context = current.value;
    const { query, only } = read.value;
    const log = opened.value;
    const { clock } = context.ports;
    const beganAt = clock.now();
    // Looking costs as well, so the first unit is drawn before; the first run that runs again has it.
    const counted = await countRequest(context);
    if (!counted.ok) return ok(respondRefused(counted.error, context));
    if (query === null) return ok(respondBulk({ runs: 0 }));
    let runs = 0;
    let begun = 0;
    let refused: Refusal | null = null;
    const isOver = (): boolean =>
      refused !== null ||
      runs >= LIMITS.runsInBulk ||
      request.signal.aborted ||
      clock.now() >= beganAt + LIMITS.rerunsBegunMs;
    let { after } = query;
    for (let page = 0; page < LIMITS.runPagesInBulk; page += 1) {
      const listed = await askGate(() => listPage(query, after, { log, context }), UNREAD);
      if (!listed.ok && runs === 0) return listed;
      if (!listed.ok) break;
      const found = listed.value.runs.filter(mayRunAgain);
      const reruns = prepareAll(found, { log, only, request }, { context, isOver });
      let isLast = false;
      while (!isLast && !isOver()) {
        const most = Math.min(LIMITS.rerunsAtOnce, LIMITS.runsInBulk - runs);
        const { group, hasMore } = await reruns.next(most);
        const ended = await Promise.all(
          group.map(({ run, context: own }) => {
            begun += 1;
            return run({ ...own, signal: request.signal }, begun === 1);
          }),
        );
        runs += ended.filter(({ ok: hasRun }) => hasRun).length;
        // The next one would be refused as well.
        for (const one of ended)
          if (!one.ok && one.error.refusal.code === "QUOTA_EXCEEDED") refused ??= one.error.refusal;
        isLast = !hasMore && refused === null;
      }
      if (!isLast) break;
      if (listed.value.next === null) return ok(respondBulk({ runs }));
      after = listed.value.next;
    }
    return ok(respondBulk({ runs, rest: after, retryAfterMs: refused?.retryAfterMs }));
  },
  describe: () => ({
    id: "rerunRuns",
    summary: "Run again the runs that fit, at most a thousand; none of them sends a write twice",
    tag: "Runs",
    body: {
      schema: rerunsSchema(),
      example: { status: "error", tag: "nightly", only: "failed" },
    },
    answer: {
      description:
        "How many ran again, each a run of its own that draws one unit; `Retry-After` where the quota ended it",
      schema: bulkSchema(),
    },
    refusals: ["INVALID_QUERY", "INVALID_REQUEST", "MISCONFIGURED", "UNAVAILABLE"],
    counted: true,
  }),
};

const UNREAD = "The tenant's runs could not be read; nothing ran, so ask again.";

/** A model wrote an agent's rounds, and a run of an export ran elsewhere. */
function mayRunAgain({ source, imported }: ListedRun): boolean {
  return source !== "agent" && imported !== true;
}

/**
 * Prepare the reruns of runs, one after the other, and give those that run at once: together they call no more than one request may have waiting
 * for headers, because each of them counts its own calls only.
 */
function prepareAll(
  all: readonly ListedRun[],
  options: Parameters<typeof prepareRerun>[1],
  { context, isOver }: { readonly context: RequestContext; readonly isOver: () => boolean },
): { next(most: number): Promise<{ readonly group: readonly PreparedRerun[]; readonly hasMore: boolean }> } {
  const { headerSlots } = context.options;
  let at = 0;
  let held: PreparedRerun | null = null;
  const prepareNext = async (): Promise<PreparedRerun | null> => {
    for (; at < all.length && !isOver(); at += 1) {
      const { run_id: id } = all[at]!;
      const prepared = await prepareRerun(id, options, context);
      // A run that was run again is left to its last rerun; one that cannot be, or has nothing to run, stays as it is.
      if (!prepared.ok || prepared.value.latest !== id || widthOf(prepared.value, headerSlots) === 0)
        continue;
      at += 1;
      return prepared.value;
    }
    return null;
  };
  return {
    async next(most) {
      const group: PreparedRerun[] = [];
      let width = 0;
      while (group.length < most) {
        const prepared = held ?? (await prepareNext());
        held = null;
        if (prepared === null) break;
        const more = widthOf(prepared, headerSlots);
        if (group.length > 0 && width + more > headerSlots) {
          held = prepared;
          break;
        }
        group.push(prepared);
        width += more;
      }
      return { group, hasMore: held !== null || at < all.length };
    },
  };
}

/** How many calls a rerun may have under way at once; a loop has as many as there is room for. */
function widthOf({ fates }: PreparedRerun, headerSlots: number): number {
  // A job that begins again.
  if (fates.length === 0) return 1;
  return fates
    .filter(({ kind }) => kind === "run" || kind === "ask")
    .reduce((sum, { action }) => sum + (action.with?.["for_each"] === undefined ? 1 : headerSlots), 0);
}
