import { parseBatch } from "../../../core/contract/batch.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import type { Outcome } from "../../../core/contract/outcome.ts";
import type { JobRuns } from "../../../cloudflare/feature.ts";
import { isCut } from "../../flows/run/long-loops.ts";
import {
  BATCH,
  callBackground,
  jobIdOf,
  type KeptResult,
  type Place,
  type ResultPage,
} from "../batch-job.ts";
import { toPageJson } from "../wire-results.ts";

/** Batches in the background are runs from the moment when they are recorded. A loop is told when all of it is over. */
export const JOB_RUNS: JobRuns = {
  kind: BATCH,
  jobOf: jobIdOf,
  async results({ id, argsJson = "{}" }, { gate }) {
    const batch = parseBatch(parseExact(argsJson), argsJson.length);
    if (!batch.ok) return [];
    const { entries } = batch.value;
    const isLoop = ({ step }: KeptResult): boolean => {
      const action = entries[step]?.action;
      return action?.ok === true && action.value.forEach !== undefined;
    };
    const settled: KeptResult[] = [];
    for (let after: Place | null | undefined = null; after !== undefined;) {
      const query = { after, limit: LIMITS.resultPage, bytes: LIMITS.resultPageBytes };
      const page: ResultPage = await callBackground(gate, "results", id, query);
      settled.push(...page.results.filter((result) => !isLoop(result) && isSettled(result)));
      const last = page.results.at(-1);
      // Behind all elements of a loop.
      after = page.hasMore && last ? { step: last.step, element: LIMITS.longLoopElements } : undefined;
    }
    const json = toPageJson({ results: settled, loop: null, hasMore: false }, entries);
    const { results } = parseExact(json) as { readonly results: readonly unknown[] };
    return results.map((result) => JSON.stringify(result));
  },
};

/** Whether no later attempt does it again. */
function isSettled({ outcomeJson, inDoubt }: KeptResult): boolean {
  if (outcomeJson === null || inDoubt || isCut(outcomeJson)) return false;
  const { status } = JSON.parse(outcomeJson) as Pick<Outcome, "status">;
  return status === "success" || status === "initiated";
}
