import type { Caller } from "../../core/contract/gate/caller.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import type { RunListener, SeenBatch } from "../../core/observe/seen.ts";
import { nameOf } from "../../core/observe/watch.ts";
import type { TallyBook } from "./tally-book.ts";

/** The codes of what a limit refused. */
const THROTTLED: ReadonlySet<string> = new Set(["QUOTA_EXCEEDED", "RATE_LIMITED", "BACKLOG_FULL"]);

/**
 * Count the batches of one request. A run is whatever leaves one: the rounds of a request to a model are one, and a flow that
 * is an action of a batch is another.
 */
export function countBatches(
  { tenant }: Pick<Caller, "tenant">,
  count: (add: (book: TallyBook) => void) => void,
): RunListener {
  let isJoined = false;
  return {
    saw(batch) {
      count((book) => {
        addActions(book, tenant, batch);
        if (!isJoined || batch.ran?.outer !== undefined) book.addRun(tenant, batch.durationMs);
      });
    },
    refused(code) {
      if (THROTTLED.has(code)) count((book) => book.addThrottled(tenant));
    },
    join() {
      isJoined = true;
      return ({ durationMs }) => {
        isJoined = false;
        count((book) => book.addRun(tenant, durationMs));
      };
    },
  };
}

function addActions(book: TallyBook, tenant: string, { plan, outcomes, isTool }: SeenBatch): void {
  for (const [at, outcome] of outcomes.entries()) {
    const { status, meta } = outcome;
    const code = codeOf(outcome);
    book.addAction(tenant, {
      tool: nameOf(plan.steps[at]!, isTool),
      // The others were not called.
      isCall: status !== "skipped" && status !== "pending_confirmation",
      isError: status === "error" || status === "unknown",
      isThrottled: code !== undefined && THROTTLED.has(code),
      durationMs: status === "initiated" ? undefined : meta.durationMs,
    });
  }
}

function codeOf(outcome: Outcome): string | undefined {
  return "error" in outcome ? outcome.error.code : undefined;
}
