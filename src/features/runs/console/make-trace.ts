import type { LaterCall } from "../../../console/kit/section.ts";
import { sayStatus } from "../../../console/jobs/job-filter.ts";
import type { WireJob } from "../../../console/kit/wire.ts";
import type { WireAction, WireRun } from "./wire-runs.ts";

/** A stretch of time of a row. */
export interface Span {
  /** In a queue; one attempt of a call; a pause before the next attempt; one attempt of a job. */
  readonly kind: "queue" | "work" | "pause" | "job";
  readonly fromMs: number;
  readonly toMs: number;
  /** Why the attempt failed; absent where it did not, or is not over. */
  readonly code?: string;
}

/** A line of the trace: an action with its job, an answer of the model, or a call that came after them. */
export interface TraceRow {
  readonly key: string;
  readonly kind: "action" | "model" | "later";
  readonly name: string;
  readonly tool: string | null;
  /** The status of the job where there is one, of the action otherwise. */
  readonly status: string;
  readonly round: number | null;
  readonly code: string | null;
  readonly spans: readonly Span[];
  /** When it left its queues; null where it never began. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** The keys of the rows that it waited for, each with the reason. */
  readonly waitsFor: readonly { readonly key: string; readonly reason: string }[];
  readonly action: WireAction | null;
  readonly job: WireJob | null;
  readonly later: LaterCall | null;
  /** The tokens of an answer of the model, in its provider's words. */
  readonly usage: object | null;
}

export interface Trace {
  readonly rows: readonly TraceRow[];
  /** The length of the run, and until when its jobs went on after it. */
  readonly runMs: number;
  readonly lastMs: number;
  /** When that began which came after the run, where its own jobs were over with it. */
  readonly afterMs: number;
}

type ModelAnswer = NonNullable<WireRun["model"]>[number];

/** A shorter time in a queue is no waiting: clocks of a runtime stand still between two answers. */
const LEAST_QUEUE_MS = 2;

/**
 * Make the trace of a run: a row for each action and each answer of its model, in the order in which they were asked for, with what is
 * known of their times.
 */
export function makeTrace(
  run: WireRun,
  jobs: readonly WireJob[] = [],
  later: readonly LaterCall[] = [],
): Trace {
  const actions = run.actions as readonly WireAction[];
  const startedAt = Date.parse(run.started_at);
  const jobOf = new Map(jobs.map((job) => [job.job_id, job]));
  const model = run.model ?? [];
  const before = new Map<string, TraceRow["waitsFor"][number][]>();
  // An id may come again in another round; an edge is of the round that it stands in, which its ids have in common.
  for (const { from, to, reason } of run.plan.edges)
    before.set(to, [...(before.get(to) ?? []), { key: from, reason }]);
  const seen = new Map<string, number>();
  const toRow = (action: WireAction): TraceRow => {
    const { id, tool, status, since = status, round = null, error, job_id: jobId } = action;
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    const job = jobId === undefined ? null : (jobOf.get(jobId) ?? null);
    const fromMs = action.started_ms ?? null;
    const own = fromMs === null ? [] : spansOf(action, fromMs);
    return {
      ...BARE,
      key: times === 0 ? id : `${id}~${times}`,
      kind: "action",
      name: id,
      tool,
      status: job === null ? since : sayStatus(job),
      round,
      code: since === "rejected" ? null : (job?.error?.code ?? error?.code ?? null),
      spans: [...own, ...(job === null ? [] : jobSpans(job, startedAt))],
      fromMs,
      toMs: own.at(-1)?.toMs ?? null,
      waitsFor: before.get(id) ?? [],
      action,
      job,
    };
  };
  const rows: TraceRow[] = [];
  for (const answer of model) {
    rows.push(modelRow(answer));
    rows.push(...actions.filter(({ round }) => round === answer.round).map(toRow));
  }
  const placed = new Set(rows.map(({ action }) => action));
  rows.push(...actions.filter((action) => !placed.has(action)).map(toRow));
  const runMs = run.duration_ms;
  const ownMs = lastOf(rows, runMs);
  rows.push(...later.map(laterRow));
  const begun = Math.min(...rows.flatMap(({ later: call, fromMs }) => (call === null ? [] : (fromMs ?? []))));
  const isLater = ownMs <= runMs && begun > runMs && Number.isFinite(begun);
  return { rows, runMs, lastMs: lastOf(rows, runMs), afterMs: isLater ? begun : runMs };
}

function lastOf(rows: readonly TraceRow[], runMs: number): number {
  return Math.max(runMs, ...rows.flatMap(({ spans }) => spans.map(({ toMs }) => toMs)));
}

function laterRow(later: LaterCall): TraceRow {
  const { name, did, tool, status, code, tries } = later;
  const spans = spansOfTries(tries, "job");
  const [fromMs, toMs] = [spans[0]?.fromMs ?? null, spans.at(-1)?.toMs ?? null];
  const named = { key: `${did} ${name}`, kind: "later", name, tool } as const;
  return { ...BARE, ...named, status, code, spans, fromMs, toMs, later };
}

function modelRow({ round, started_ms: fromMs, model_ms: tookMs, usage }: ModelAnswer): TraceRow {
  const toMs = fromMs + tookMs;
  const named = { key: `model ${round}`, kind: "model", name: `round ${round}`, tool: "model" } as const;
  const spans: Span[] = [{ kind: "work", fromMs, toMs }];
  return { ...BARE, ...named, status: "success", round, spans, fromMs, toMs, usage: usage ?? null };
}

/** A row of which nothing is known. */
const BARE = { round: null, code: null, waitsFor: [], action: null, job: null, later: null, usage: null };

/** The queue before an action, its attempts, and the pauses between them. */
function spansOf(
  { queued_ms: queued = 0, duration_ms: took, tries, error }: WireAction,
  fromMs: number,
): Span[] {
  if (took === undefined && tries === undefined) return [];
  const attempts: NonNullable<WireAction["tries"]> = tries ?? [
    { started_ms: fromMs, duration_ms: took ?? 0, ...(error && { code: error.code }) },
  ];
  const first = attempts[0]!.started_ms;
  const queue: Span = { kind: "queue", fromMs: Math.max(0, first - queued), toMs: first };
  return [...(queued >= LEAST_QUEUE_MS ? [queue] : []), ...spansOfTries(attempts, "work")];
}

function spansOfTries(tries: NonNullable<WireAction["tries"]>, kind: "work" | "job"): Span[] {
  const spans: Span[] = [];
  for (const { started_ms: fromMs, duration_ms: length, code } of tries) {
    const last = spans.at(-1);
    if (last !== undefined && fromMs > last.toMs)
      spans.push({ kind: "pause", fromMs: last.toMs, toMs: fromMs });
    spans.push({ kind, fromMs, toMs: fromMs + length, ...(code !== undefined && { code }) });
  }
  return spans;
}

/** The attempts of a job on the clock of the run that made it. */
function jobSpans({ tries }: WireJob, startedAt: number): Span[] {
  return spansOfTries(
    tries.map(({ at, ...one }) => ({ ...one, started_ms: Math.max(0, Date.parse(at) - startedAt) })),
    "job",
  );
}
