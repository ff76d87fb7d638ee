import { FOR_DELIVERY, type Notice } from "../../feature/gives.ts";
import type { RunHead, RunReport } from "./run.ts";
import { seeRun } from "./see-run.ts";

/** The ends of a run that its tenant is told of: nothing of it succeeded, or a write of it is in doubt. */
const FAILED: ReadonlySet<string> = new Set(["error", "unknown"]);

/** Tell of the runs of a report that failed. */
export function toFailedNotices({ runs }: RunReport, nowMs: number): Notice[] {
  return runs.flatMap((reported) => {
    const head = JSON.parse(reported.head) as RunHead;
    if (head.key === FOR_DELIVERY) return [];
    const seen = seeRun(head, { look: { sight: { key: head.key } }, answerOf: () => undefined, nowMs });
    if (seen === null || !FAILED.has(seen.run.status)) return [];
    return [{ id: `run-failed-${head.id}`, type: "volley.run.failed", data: JSON.stringify(seen.run) }];
  });
}
