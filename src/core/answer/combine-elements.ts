import { toWireFailure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import {
  findFirstFailure,
  isInDoubt,
  isMet,
  type Outcome,
  type OutcomeMeta,
  type Shown,
  shownOf,
  type Truncation,
} from "../contract/outcome.ts";

/**
 * Report the elements of a loop as one outcome: a success with one entry for each while one succeeded and the contract
 * allows the others to fail, otherwise the failure of the first that failed, not of one that was only stopped by it. A failure has the entries too while one
 * element did something, or may have.
 */
export function combineElements(outcomes: readonly Outcome[], options: CombineOptions): Outcome {
  const meta = toMeta(outcomes, options);
  const failed = findFirstFailure(outcomes);
  if (failed !== -1 && (options.failFast || !outcomes.some(isMet)))
    return toFailedLoop(outcomes, failed, { repeatable: options.repeatable, meta });
  const whole = toEntries(outcomes, (success) => success);
  if (!outcomes.some((outcome) => outcome.status === "success" && outcome.shown !== undefined))
    return { status: "success", ...whole, meta };
  return { status: "success", ...whole, shown: toEntries(outcomes, shownOf), meta };
}

export interface CombineOptions {
  /** The first failed element fails the loop. */
  readonly failFast: boolean;
  /** True if all of it may be done again after a part of it was done, without harm. */
  readonly repeatable: boolean;
  /** When it began, from the batch's start, and its wall-clock time. */
  readonly startedMs?: number;
  readonly durationMs: number;
}

function toFailedLoop(
  outcomes: readonly Outcome[],
  element: number,
  { repeatable, meta }: { readonly repeatable: boolean; readonly meta: OutcomeMeta },
): Outcome {
  const outcome = outcomes[element]!;
  if (!("error" in outcome)) throw new Error("Cannot fail a loop by an element that succeeded");
  const done = outcomes.filter(isMet).length;
  const others = done === 0 ? "" : `, ${done} succeeded`;
  const reason = outcome.error.hint === undefined ? "" : ` ${outcome.error.hint}`;
  // One element that may have happened makes it wrong to say that nothing did.
  const error = {
    ...outcome.error,
    // To send the loop again would do again what was done.
    retryable: outcome.error.retryable && (repeatable || (done === 0 && meta.inDoubt !== true)),
    hint: `Element ${element} of ${outcomes.length} failed${others}.${reason}`,
  };
  const partial = done > 0 || meta.inDoubt === true ? { partial: toEntries(outcomes, shownOf) } : {};
  const isLost = outcomes.some(({ status }) => status === "unknown");
  return { status: isLost ? "unknown" : "error", error, ...partial, meta };
}

type Success = Extract<Outcome, { readonly status: "success" }>;

/** The loop's `data`: one entry for each element, as a value for references and as text for the envelope. */
function toEntries(outcomes: readonly Outcome[], partOf: (success: Success) => Shown | undefined): Shown {
  const entries = outcomes.map((outcome, index) => toEntry(outcome, index, partOf));
  // Added up and not joined: the engine then refers to the elements' texts, which may be one and the same, and copies none.
  let json = "[";
  for (const [index, entry] of entries.entries()) json += index === 0 ? entry.json : `,${entry.json}`;
  return { data: entries.map(({ data }) => data), json: `${json}]` };
}

function toEntry(outcome: Outcome, index: number, partOf: (success: Success) => Shown | undefined): Shown {
  const { status } = outcome;
  if (status === "success") {
    const { data, json } = partOf(outcome)!;
    return { data: { index, status, data }, json: `{"index":${index},"status":"success","data":${json}}` };
  }
  const entry =
    status === "initiated"
      ? { index, status, job_id: outcome.jobId }
      : { index, status, ...sayFailure(outcome) };
  return { data: entry, json: JSON.stringify(entry) };
}

function sayFailure(outcome: Exclude<Outcome, Success>) {
  if (!("error" in outcome)) throw new Error("Cannot park an element: a loop is parked as a whole");
  return { ...(isInDoubt(outcome) && { in_doubt: true as const }), error: toWireFailure(outcome.error) };
}

function toMeta(
  outcomes: readonly Outcome[],
  { startedMs = 0, durationMs }: Pick<CombineOptions, "startedMs" | "durationMs">,
): OutcomeMeta {
  const sum = (of: (meta: OutcomeMeta) => number | undefined): number =>
    outcomes.reduce((total, { meta }) => total + (of(meta) ?? 0), 0);
  const ok = outcomes.filter(isMet).length;
  const truncated = toTruncation(outcomes);
  const accounts = outcomes.find(({ meta }) => meta.accounts !== undefined)?.meta.accounts;
  const log = outcomes.flatMap(({ meta }) => meta.log ?? []).slice(0, LIMITS.linesKept);
  const selectMissing = [...new Set(outcomes.flatMap(({ meta }) => meta.selectMissing ?? []))];
  const selectHints = [...new Set(outcomes.flatMap(({ meta }) => meta.selectHints ?? []))];
  return {
    ...(outcomes.some(({ meta }) => meta.startedMs !== undefined) && { startedMs }),
    durationMs,
    workMs: sum((meta) => meta.workMs ?? meta.durationMs),
    attempts: sum((meta) => meta.attempts),
    bytes: sum((meta) => meta.bytes),
    items: { total: outcomes.length, ok, error: outcomes.length - ok },
    ...(selectMissing.length > 0 && { selectMissing }),
    ...(selectHints.length > 0 && { selectHints: selectHints.slice(0, LIMITS.warnings) }),
    ...(outcomes.some(({ meta }) => meta.keepsWhole) && { keepsWhole: true as const }),
    ...(truncated !== undefined && { truncated }),
    ...(outcomes.some(({ meta }) => meta.isCut) && { isCut: true as const }),
    ...(accounts !== undefined && { accounts }),
    ...(log.length > 0 && { log }),
    ...(outcomes.some(isInDoubt) && { inDoubt: true as const }),
    ...(outcomes.length > 0 &&
      outcomes.every(({ meta }) => meta.sentNothing) && { sentNothing: true as const }),
  };
}

/** Add up what was cut of the elements' data; undefined where nothing was. */
function toTruncation(outcomes: readonly Outcome[]): Truncation | undefined {
  const cut = outcomes.flatMap(({ meta: { truncated } }, index) =>
    truncated === undefined ? [] : [{ index, truncated }],
  );
  if (cut.length === 0) return undefined;
  const sum = (count: Exclude<keyof Truncation, "at">): number =>
    cut.reduce((total, { truncated }) => total + truncated[count], 0);
  return {
    tokens_before: sum("tokens_before"),
    tokens_after: sum("tokens_after"),
    elements_dropped: sum("elements_dropped"),
    fields_dropped: sum("fields_dropped"),
    characters_dropped: sum("characters_dropped"),
    at: cut.slice(0, 5).map(({ index }) => `/${index}/data`),
  };
}
