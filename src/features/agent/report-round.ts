import type { Plan, Step } from "../../core/plan/step.ts";
import type { OpenReply, Waiting } from "../../turns/decide-reply.ts";
import type { ModelCall } from "./dialect/dialect.ts";
import type { TurnBatch, TurnPart } from "../../turns/batch-calls.ts";
import { type BatchMeasures, toEnvelopeJson } from "../../core/answer/envelope.ts";
import { shapeOutcomes } from "../../core/answer/shape-outcomes.ts";
import type { Entry } from "../../core/contract/action.ts";
import type { Batch } from "../../core/contract/batch.ts";
import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import type { Outcome } from "../../feature/tool.ts";
import type { Refusal } from "../../feature/refuse.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { ToolReply } from "../../turns/read-turn.ts";

export interface Numbered {
  /** Number results of a call, keep them and tell them. */
  readonly tell: (call: number, results: readonly string[]) => void;
  /** Where the result of a step stands. */
  readonly placeOf: (part: TurnPart, step: Step) => number;
}

/** Say where each result stands among those of all calls, in whichever order they become known. */
export function numberResults(
  calls: readonly ModelCall[],
  batches: readonly TurnBatch[],
  known: {
    readonly replies: ReadonlyMap<number, OpenReply>;
    readonly texts: Map<number, readonly string[]>;
    readonly onResult: ((json: string) => void) | undefined;
  },
): Numbered {
  const sizes = new Map(
    batches.flatMap(({ parts }) => parts.map(({ call, from, to }) => [call, to - from] as const)),
  );
  const places: number[] = [];
  let next = 0;
  for (const call of calls.keys()) {
    places.push(next);
    const reply = known.replies.get(call);
    next += reply === undefined ? sizes.get(call)! : Number(reply.failed);
  }
  return {
    tell(call, results) {
      const numbered = results.map((json, at) =>
        json.replace(/^\{"index":\d+/, `{"index":${places[call]! + at}`),
      );
      known.texts.set(call, numbered);
      for (const json of numbered) known.onResult?.(json);
    },
    placeOf: ({ call, from }, { index }) => places[call]! + index - from,
  };
}

/** One batch of a round that has run. */
export interface Ran extends BatchMeasures {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly release: () => void;
}

export async function toEnvelopeReply(
  { from, to, maxTokens }: TurnPart,
  { plan, ...measures }: Ran,
  outcomes: readonly Outcome[],
  { ports, gate }: Execution,
): Promise<ToolReply> {
  const isOwn = ({ index }: Step): boolean => index >= from && index < to;
  const local = (indexes: readonly number[]): number[] =>
    indexes.filter((index) => isOwn(plan.steps[index]!)).map((index) => index - from);
  const steps = plan.steps.filter(isOwn).map((step) => ({
    ...step,
    index: step.index - from,
    needs: local(step.needs),
    after: local(step.after),
  }));
  const shown = await shapeOutcomes(outcomes, maxTokens, { ports, gate, steps });
  const json = toEnvelopeJson({ ...plan, steps }, shown, { ...measures, batchId: ports.newId() });
  const notes = steps.flatMap(({ id }, at) => {
    const { note } = outcomes[at]!.meta;
    return note === undefined ? [] : [[id, note] as const];
  });
  const said = notes.length === 0 ? "}" : `,"notes":${JSON.stringify(Object.fromEntries(notes))}}`;
  return { json: json.slice(0, -1) + said, failed: false };
}

export function findWaiting(steps: readonly Step[], outcomes: readonly Outcome[]): readonly Waiting[] {
  return outcomes.flatMap((outcome, at) =>
    outcome.status === "pending_confirmation"
      ? { confirmation: outcome.confirmation.id, action: steps[at]!.id }
      : [],
  );
}

/**
 * The results of actions whose batch was refused: each is told, and none ran now.
 *
 * @param wasSent whether an earlier run of the request may have sent one
 */
export function refuseActions(
  { from, to }: TurnPart,
  { entries }: Batch,
  { refusal, wasSent }: { readonly refusal: Refusal; readonly wasSent: (entry: Entry) => boolean },
): readonly string[] {
  const { hint, retryAfterMs } = refusal;
  const code = refusal.code === "QUOTA_EXCEEDED" ? "RATE_LIMITED" : "INVALID_ACTION";
  const more = { hint, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const error = toWireFailure(makeFailure(refusal.code === "UNAVAILABLE" ? "OVERLOADED" : code, more));
  return entries.slice(from, to).map((entry) => {
    const { id, tool } = entry;
    const [status, meta] = wasSent(entry) ? ["unknown", { in_doubt: true }] : ["error", {}];
    return JSON.stringify({ index: 0, id, tool, status, error, meta });
  });
}

/** A call of which no action could be made has the result that the model was told. */
export function sayUnread({ id, name }: ModelCall, { json, failed }: ToolReply): readonly string[] {
  if (!failed) return [];
  const { status, error } = JSON.parse(json) as { readonly status: string; readonly error: unknown };
  const meta = status === "unknown" ? { in_doubt: true } : {};
  return [JSON.stringify({ index: 0, id, tool: name, status, error, meta })];
}
