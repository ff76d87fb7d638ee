import { selectFields } from "../../core/answer/select-fields.ts";
import { type Failure, toWireFailure } from "../../core/contract/failure.ts";
import { isJsonObject } from "../../core/contract/json.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import type { Step, Task } from "../../core/plan/step.ts";
import type { ActionResult } from "../client/wire-types.ts";

/** The differences between an action as it was asked for and as it was sent. */
export interface Sent {
  readonly step: Step;
  /** Elements of its loop that could not be called, with the reason. */
  readonly unfit: ReadonlyMap<number, Failure>;
  /** Its selection, where that is made here because another action refers to the whole. */
  readonly select: Task["select"];
  /** When it was sent, in milliseconds from the batch's start. */
  readonly sentMs: number;
}

/** The outcome of a result that the plan goes on with, and the result as the caller gets it. */
export function readRemote(
  came: ActionResult,
  sent: Sent,
): { readonly outcome: Outcome; readonly json: string } {
  const { step, unfit, select, sentMs } = sent;
  const { data: all } = came as { readonly data?: unknown };
  const data = unfit.size > 0 && Array.isArray(all) ? all.map(withUnfit(unfit)) : all;
  const { shown, missing } = select === null ? { shown: data, missing: [] } : show(data, select, step);
  const { meta } = came;
  const { started_ms: startedMs, tries } = meta;
  const result = {
    ...came,
    index: step.index,
    ...(data !== undefined && { data: shown }),
    meta: {
      ...meta,
      ...(startedMs !== undefined && { started_ms: startedMs + sentMs }),
      ...(tries && { tries: tries.map((one) => ({ ...one, started_ms: one.started_ms + sentMs })) }),
      ...(missing.length > 0 && { select_missing: missing }),
      ...(step.readAs && { read_as: step.readAs }),
    },
  };
  return { outcome: toOutcome({ ...came, data } as ActionResult), json: JSON.stringify(result) };
}

const withUnfit =
  (unfit: Sent["unfit"]) =>
  (entry: unknown, index: number): unknown => {
    const failure = unfit.get(index);
    return failure === undefined ? entry : { index, status: "error", error: toWireFailure(failure) };
  };

/** Select of the data; of a loop's, in each element. */
function show(
  data: unknown,
  select: NonNullable<Sent["select"]>,
  { task }: Step,
): { readonly shown: unknown; readonly missing: readonly string[] } {
  if (data === undefined) return { shown: data, missing: [] };
  const isLoop = task.ok && task.value.forEach !== undefined;
  if (!isLoop || !Array.isArray(data)) {
    const { data: shown, missing } = selectFields(data, select);
    return { shown, missing };
  }
  const missing = new Set<string>();
  const shown = data.map((entry: unknown) => {
    if (!isJsonObject(entry) || !("data" in entry)) return entry;
    const selected = selectFields(entry["data"], select);
    for (const pointer of selected.missing) missing.add(pointer);
    return { ...entry, data: selected.data };
  });
  return { shown, missing: [...missing] };
}

/** The outcome of a result: as much of it as the plan, the counts and the times depend on. */
function toOutcome(came: ActionResult): Outcome {
  const {
    data,
    meta: { duration_ms: durationMs, items },
  } = came as ActionResult & { readonly data?: unknown };
  const meta = { ...(durationMs !== undefined && { durationMs }), ...(items && { items }) };
  if (came.status === "success") return { status: "success", data, json: JSON.stringify(data), meta };
  if (came.status === "initiated") return { status: "initiated", jobId: came.job_id, meta };
  return { ...(came as object), meta } as Outcome;
}
