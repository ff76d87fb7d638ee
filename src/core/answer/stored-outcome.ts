import type { ByteBudget } from "../egress/byte-budget.ts";
import { roughTokens } from "./estimate-tokens.ts";
import { leastJson } from "./fit-tokens.ts";
import type { Failure } from "../contract/failure.ts";
import { parseExact } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import {
  type Outcome,
  type OutcomeMeta,
  type OutcomeStatus,
  recallPending,
  type Shown,
  type StoredPending,
  storePending,
} from "../contract/outcome.ts";

/** An outcome as it is kept under an action's idempotency key. Data stays the JSON text that it is. */
interface StoredOutcome extends StoredPending {
  readonly status: Exclude<OutcomeStatus, "skipped">;
  readonly json?: string;
  readonly shownJson?: string;
  readonly error?: Failure;
  readonly jobId?: string;
  readonly meta: { readonly [Name in keyof OutcomeMeta]: OutcomeMeta[Name] | undefined };
}

/** Write an outcome to be kept. A skipped action never ran, so it has nothing to keep. */
export function toStoredOutcome(outcome: Exclude<Outcome, { readonly status: "skipped" }>): string {
  const { status } = outcome;
  const { bytes, items, readAs, selectMissing, truncated, isCut, demoted, verification, inDoubt } =
    outcome.meta;
  const approvedBy = outcome.meta.more?.["approved_by"];
  let left: number = LIMITS.logLineCharacters;
  const stored: StoredOutcome = {
    status,
    ...(status === "success" && { json: outcome.json }),
    ...((status === "error" || status === "unknown") &&
      outcome.partial !== undefined && { json: outcome.partial.json }),
    ...(status === "success" && outcome.shown !== undefined && { shownJson: outcome.shown.json }),
    ...((status === "error" || status === "unknown") && { error: outcome.error }),
    ...(status === "initiated" && { jobId: outcome.jobId }),
    ...storePending(outcome),
    // How long it took then is not what this batch spent.
    meta: {
      bytes,
      items,
      readAs,
      selectMissing,
      truncated,
      isCut,
      demoted,
      verification,
      inDoubt,
      more: approvedBy === undefined ? undefined : { approved_by: approvedBy },
      // A run that goes on in another attempt tells of it.
      log: outcome.meta.log?.filter(({ text }) => (left -= text.length) >= 0),
    },
  };
  return JSON.stringify(stored);
}

/**
 * Read an outcome back, as the replay that it now is. Data of more values than the batch may have left is cut to nothing,
 * and `meta.truncated` says so.
 */
export function fromStoredOutcome(text: string, budget: ByteBudget): Outcome {
  const stored = JSON.parse(text) as StoredOutcome;
  const { status, json, shownJson, error, jobId } = stored;
  const isTooMuch = [json, shownJson].some((kept) => kept !== undefined && !budget.takeValues(kept).ok);
  const meta = {
    ...(stored.meta as OutcomeMeta),
    replayed: true,
    ...(isTooMuch && {
      isCut: true as const,
      truncated: { ...NOTHING_LEFT, tokens_before: roughTokens(shownJson ?? json!) },
    }),
  } as const;
  switch (status) {
    case "success":
      if (isTooMuch) return { status, ...toShown(leastJson(json!)), meta };
      return {
        status,
        ...toShown(json!),
        ...(shownJson !== undefined && { shown: toShown(shownJson) }),
        meta,
      };
    case "initiated":
      return { status, jobId: jobId!, meta };
    case "error":
    case "unknown":
      return {
        status,
        error: error!,
        ...(json !== undefined && !isTooMuch && { partial: toShown(json) }),
        meta,
      };
    default:
      return recallPending(stored, meta);
  }
}

const NOTHING_LEFT = {
  tokens_after: 1,
  elements_dropped: 0,
  fields_dropped: 0,
  characters_dropped: 0,
  at: [""],
};

function toShown(json: string): Shown {
  return { data: parseExact(json), json };
}
