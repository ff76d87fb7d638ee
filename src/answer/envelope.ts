import { type Failure, toWireFailure } from "../contract/failure.ts";
import {
  type Outcome,
  type OutcomeMeta,
  type OutcomeStatus,
  type Shown,
  shownOf,
  toWirePending,
} from "../contract/outcome.ts";
import type { Written } from "../contract/lazy-schema.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { metaSchema, statsSchema, summarySchema } from "./result-schema.ts";

/**
 * Write one result as JSON.
 *
 * Put together from text, because a success already is text (`outcome.json`): large data is serialised once in its
 * life, when the tool returned it.
 */
export function toResultJson(step: Step, outcome: Outcome): string {
  const head = `{"index":${step.index},"id":${JSON.stringify(step.id)},"tool":${JSON.stringify(step.toolName)},"status":"${outcome.status}"`;
  return `${head}${toBody(outcome)},"meta":${toMetaJson(outcome.meta, step)}}`;
}

function toBody(outcome: Outcome): string {
  switch (outcome.status) {
    case "success":
      return toDataJson(shownOf(outcome));
    case "initiated":
      return `,"job_id":${JSON.stringify(outcome.jobId)}`;
    case "pending_confirmation":
      return `,"confirmation":${JSON.stringify(toWirePending(outcome.confirmation))}`;
    case "skipped":
      return `,"because":${JSON.stringify(outcome.because)}${toErrorJson(outcome.error)}`;
    case "error":
    case "unknown":
      return `${toDataJson(shownOf(outcome))}${toErrorJson(outcome.error)}`;
  }
}

function toDataJson(shown: Shown | undefined): string {
  return shown === undefined ? "" : `,"data":${shown.json}`;
}

function toErrorJson(failure: Failure): string {
  return `,"error":${JSON.stringify(toWireFailure(failure))}`;
}

function toMetaJson(meta: OutcomeMeta, { readAs, warnings }: Step): string {
  const { durationMs, queuedMs, attempts, bytes, items, deduplicatedOf, ageMs, selectMissing } = meta;
  const { truncated, demoted, verification, handle, replayed, limiter } = meta;
  return JSON.stringify({
    duration_ms: durationMs,
    queued_ms: queuedMs,
    attempts,
    bytes,
    items,
    deduplicated_of: deduplicatedOf,
    cached: ageMs === undefined ? undefined : true,
    age_ms: ageMs,
    select_missing: selectMissing,
    truncated,
    demoted,
    verification: verification && {
      tool: verification.tool,
      verdict: verification.verdict,
      duration_ms: verification.durationMs,
    },
    handle,
    idempotency_replayed: replayed,
    limiter,
    read_as: readAs,
    warnings,
  } satisfies Written<typeof metaSchema>);
}

/** Count outcomes by what became of them. */
function summarise(outcomes: readonly Outcome[]): Written<typeof summarySchema> {
  const counts: Record<OutcomeStatus, number> = {
    success: 0,
    error: 0,
    initiated: 0,
    skipped: 0,
    pending_confirmation: 0,
    unknown: 0,
  };
  for (const { status } of outcomes) counts[status] += 1;
  const { success: ok, ...others } = counts;
  return { total: outcomes.length, ok, ...others };
}

/** What was measured about a batch as a whole. */
export interface BatchMeasures {
  readonly durationMs: number;
  readonly maxParallelism: number;
}

/** Put outcomes back in the order asked: exactly one result for every action, none omitted. */
export function toEnvelopeJson(
  batchId: string,
  plan: Plan,
  outcomes: readonly Outcome[],
  measured: BatchMeasures,
): string {
  const results = plan.steps.map((step) => toResultJson(step, outcomes[step.index]!));
  const stats = toStats(plan, outcomes, measured);
  return `{"batch_id":${JSON.stringify(batchId)},"results":[${results.join(",")}],"summary":${JSON.stringify(summarise(outcomes))},"stats":${JSON.stringify(stats)}}`;
}

/** What the batch took, and what it would have taken one call after the other. */
function toStats(
  plan: Plan,
  outcomes: readonly Outcome[],
  { durationMs, maxParallelism }: BatchMeasures,
): Written<typeof statsSchema> {
  const sequentialMs = outcomes.reduce((sum, { meta }) => sum + (meta.workMs ?? meta.durationMs ?? 0), 0);
  return {
    duration_ms: durationMs,
    critical_path_ms: criticalPathMs(plan, outcomes),
    sequential_ms: sequentialMs,
    speedup: sequentialMs === 0 ? 1 : Math.round((100 * sequentialMs) / Math.max(1, durationMs)) / 100,
    max_parallelism: maxParallelism,
  };
}

/** The longest chain of durations along what waited for what; linear, each step's path is worked out once. */
function criticalPathMs(plan: Plan, outcomes: readonly Outcome[]): number {
  const paths = new Map<number, number>();
  const pathTo = (index: number): number => {
    const known = paths.get(index);
    if (known !== undefined) return known;
    const { needs, after } = plan.steps[index]!;
    let longest = 0;
    for (const earlier of needs) longest = Math.max(longest, pathTo(earlier));
    for (const earlier of after) longest = Math.max(longest, pathTo(earlier));
    const path = longest + (outcomes[index]!.meta.durationMs ?? 0);
    paths.set(index, path);
    return path;
  };
  return plan.steps.reduce((longest, { index }) => Math.max(longest, pathTo(index)), 0);
}
