import {
  AnswerBudget,
  type BatchMeasures,
  toEnvelopeJson,
  toResultJson,
} from "../../core/answer/envelope.ts";
import { shapeOutcomes } from "../../core/answer/shape-outcomes.ts";
import type { Batch } from "../../core/contract/batch.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import type { Outcome, PendingConfirmation } from "../../core/contract/outcome.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { execute, withCurrentTools } from "../../core/run/execute/executor.ts";
import { executePlan } from "../../core/run/execute/execute-plan.ts";
import type { OpenReply, Waiting } from "../../core/run/turns/decide-reply.ts";
import type { ToolReply } from "../../core/run/turns/provider-turn.ts";
import { toRefusedReply, toToolReply } from "../../core/run/turns/to-tool-reply.ts";
import type { Refused } from "../../core/gate/admit-plan.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { RequestKey } from "../../core/gate/request-key.ts";
import { canonicalKey } from "../../core/kit/json/canonical-key.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";
import { makePlan } from "../../core/plan/make-plan.ts";
import type { RunOptions } from "../../core/egress/ports.ts";
import type { Plan, Step } from "../../core/plan/step.ts";
import type { ModelCall } from "./dialect/dialect.ts";
import { type Part, type RoundBatch, toRoundBatches } from "./round-batches.ts";

/** The result of a round. */
export interface Round {
  /** One for every call, in their order. */
  readonly replies: readonly OpenReply[];
  /** The result of every action, as JSON, in the order asked. */
  readonly results: readonly string[];
  /** The questions that were asked of a person. */
  readonly questions: readonly PendingConfirmation[];
  /** Each call of it, so that the same call with the same arguments is the same text. */
  readonly calls: ReadonlySet<string>;
  readonly durationMs: number;
  /** Give back the bytes that were read for it. */
  readonly release: () => void;
}

/** How a round is run. */
export interface RoundOptions {
  readonly bodyBytes: number;
  /** Milliseconds that are left of the request. */
  readonly leftMs: number;
  /** For the data of all results together. */
  readonly maxTokens: number;
  readonly skipApproval: boolean;
  /** The bytes that one more batch may read; as many as any other where it is absent. */
  readonly leftToRead?: () => number;
  /** By what the request is known again; absent where it is not. */
  readonly requestKey?: RequestKey | undefined;
  /** Told each result, as JSON, the moment it is known. */
  readonly onResult?: (json: string) => void;
}

/** One batch of a round that has run. */
interface Ran extends BatchMeasures {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly release: () => void;
}

/**
 * Run the calls of a turn as one batch. Every call has exactly one reply, whatever becomes of the others; a batch that is
 * refused is told to the model, which can do something about it, and never ends the request.
 *
 * Data that is too large for the model is cut once, over all results together, and can be referred to by its handle.
 */
export async function runRound(
  calls: readonly ModelCall[],
  execution: Execution,
  options: RoundOptions,
): Promise<Round> {
  const { ports, gate } = execution;
  const startedAt = ports.clock.now();
  const { batches, replies: refused } = toRoundBatches(calls, execution.catalog, options.bodyBytes);
  const replies = new Map<number, OpenReply>();
  for (const [call, reply] of refused) replies.set(call, { ...reply, waits: [] });
  const texts = new Map<number, readonly string[]>();

  // These run nothing, and once they are there it is known where the results of each call stand.
  for (const { batch, parts } of batches)
    if (isTold(batch))
      replies.set(parts[0]!.call, { ...(await tellOnly(batch, execution, options.requestKey)), waits: [] });
  const { tell, placeOf } = numberResults(calls, batches, { replies, texts, onResult: options.onResult });
  for (const [call, reply] of replies) tell(call, sayUnread(calls[call]!, reply));

  const done: { readonly ran: Ran; readonly parts: readonly Part[] }[] = [];
  for (const one of batches) {
    const { batch, parts } = one;
    if (isTold(batch)) continue;
    const leftMs = options.leftMs - (ports.clock.now() - startedAt);
    const ran = await runBatch(one, execution, { ...options, leftMs }, placeOf);
    if (ran.ok) {
      done.push({ ran: ran.value, parts });
      continue;
    }
    for (const part of parts) {
      replies.set(part.call, { ...toRefusedReply(ran.error), waits: [] });
      tell(part.call, refuseActions(part, batch, ran.error));
    }
  }

  const whole = done.flatMap(({ ran }) => ran.outcomes);
  const steps = done.flatMap(({ ran }) => ran.plan.steps);
  const shaped = await shapeOutcomes(whole, options.maxTokens, { ports, gate, steps });
  const questions = new Map<string, PendingConfirmation>();
  let from = 0;
  for (const { ran, parts } of done) {
    const outcomes = shaped.slice(from, from + ran.outcomes.length);
    from += ran.outcomes.length;
    for (const part of parts) {
      const steps = ran.plan.steps.slice(part.from, part.to);
      const own = outcomes.slice(part.from, part.to);
      for (const outcome of own)
        if (outcome.status === "pending_confirmation")
          questions.set(outcome.confirmation.id, outcome.confirmation);
      const reply = part.isBatch ? await toEnvelopeReply(part, ran, own, execution) : toReply(own[0]!);
      replies.set(part.call, { ...reply, waits: findWaiting(steps, own) });
      texts.set(
        part.call,
        steps.map((step, at) => toResultJson({ ...step, index: placeOf(part, step) }, own[at]!)),
      );
    }
  }
  return {
    replies: calls.map((_, call) => replies.get(call)!),
    results: calls.flatMap((_, call) => texts.get(call) ?? []),
    questions: [...questions.values()],
    calls: new Set(calls.flatMap(keysOf)),
    durationMs: ports.clock.now() - startedAt,
    release: () => {
      for (const { ran } of done) ran.release();
    },
  };
}

interface Numbered {
  /** Number results of a call, keep them and tell them. */
  readonly tell: (call: number, results: readonly string[]) => void;
  /** Where the result of a step stands. */
  readonly placeOf: (part: Part, step: Step) => number;
}

/** Say where each result stands among those of all calls, in whichever order they become known. */
function numberResults(
  calls: readonly ModelCall[],
  batches: readonly RoundBatch[],
  known: {
    readonly replies: ReadonlyMap<number, OpenReply>;
    readonly texts: Map<number, readonly string[]>;
    readonly onResult: RoundOptions["onResult"];
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

async function runBatch(
  { batch, parts }: RoundBatch,
  execution: Execution,
  { leftMs, maxTokens, skipApproval, leftToRead, requestKey, onResult }: RoundOptions,
  placeOf: Numbered["placeOf"],
): Promise<Result<Ran, Refusal>> {
  const deadlineMs = Math.max(1, Math.min(batch.deadlineMs, leftMs, LIMITS.maxDeadlineMs));
  // Whether a person has to be asked is for the caller to say, never for the model.
  const asked = { ...batch, deadlineMs, maxTokens, skipApproval };
  const ran = await withCurrentTools(execution, async (current): Promise<Result<Ran, Refused>> => {
    const maySkipApproval = current.caller.skipApproval;
    current.watch?.enter("plan");
    const missing = await current.brought?.accounts?.missing(asked, current);
    const made = makePlan(asked, current.catalog, { maySkipApproval, missing });
    const plan =
      made.ok && requestKey !== undefined ? await requestKey.keyWrites(made.value, current.catalog) : made;
    if (!plan.ok) return err({ refusal: plan.error, quota: null });
    const told: Execution = {
      ...current,
      options: limitReads(current.options, leftToRead?.()),
      within: { answer: new AnswerBudget(2) },
      ...(onResult && {
        listener: {
          ...current.listener,
          onOutcome: (step: Step, outcome: Outcome) => {
            const part = parts.find(({ to }) => step.index < to)!;
            onResult(toResultJson({ ...step, index: placeOf(part, step) }, outcome));
          },
        },
      }),
    };
    const executed = await executePlan(plan.value, told, requestKey && ((of) => requestKey.keysOf(of)));
    if (executed.ok) requestKey?.count(plan.value, executed.value.begun);
    return executed.ok ? ok({ ...executed.value, plan: plan.value }) : executed;
  });
  if (ran.ok) return ran;
  const { refusal } = ran.error;
  execution.watch?.sawRefusal({ code: refusal.code, status: 200 });
  return err(refusal);
}

/** A batch of a round is weighed, so that it reads half of what is said here. */
function limitReads(options: RunOptions, left = Number.POSITIVE_INFINITY): RunOptions {
  return { ...options, requestResponseBytes: Math.min(options.requestResponseBytes, 2 * left) };
}

/** Whether all of a batch's answer is there at once: that of its plan, or where it is found once it has run. */
function isTold({ dryRun, background }: Batch): boolean {
  return dryRun || background !== undefined;
}

/** Plan a batch, or record one for later: the request that comes again is told the same job. */
async function tellOnly(
  batch: Batch,
  execution: Execution,
  requestKey: RequestKey | undefined,
): Promise<ToolReply> {
  const isRecorded = batch.background !== undefined && !batch.dryRun;
  const key = isRecorded && requestKey !== undefined ? await requestKey.keyBatch(batch.background) : null;
  if (key?.ok === false) return toRefusedReply(key.error);
  const told = await execute(batch, { ...execution, ...(key !== null && { batchKey: key.value }) });
  if (!told.ok) return toRefusedReply(told.error.refusal);
  if (key !== null && !told.value.replayed) requestKey?.countBatch(key.value);
  return { json: told.value.json, failed: false };
}

/** A cut result says so, and how the rest can be had. */
function toReply(outcome: Outcome): ToolReply {
  const reply = toToolReply(outcome);
  const { truncated, handle } = outcome.meta;
  if (outcome.status !== "success" || truncated === undefined) return reply;
  const data = (outcome.shown ?? outcome).json;
  const meta = JSON.stringify({ truncated, ...(handle !== undefined && { handle }) });
  return { json: `{"status":"success","data":${data},"meta":${meta}}`, failed: false };
}

async function toEnvelopeReply(
  { from, to, maxTokens }: Part,
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
  return {
    json: toEnvelopeJson({ ...plan, steps }, shown, { ...measures, batchId: ports.newId() }),
    failed: false,
  };
}

function findWaiting(steps: readonly Step[], outcomes: readonly Outcome[]): readonly Waiting[] {
  return outcomes.flatMap((outcome, at) =>
    outcome.status === "pending_confirmation"
      ? { confirmation: outcome.confirmation.id, action: steps[at]!.id }
      : [],
  );
}

/** The results of actions whose batch was refused: each is told, and none ran. */
function refuseActions({ from, to }: Part, { entries }: Batch, refusal: Refusal): readonly string[] {
  const { hint, retryAfterMs } = refusal;
  const code = refusal.code === "QUOTA_EXCEEDED" ? "RATE_LIMITED" : "INVALID_ACTION";
  const more = { hint, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const error = toWireFailure(makeFailure(refusal.code === "UNAVAILABLE" ? "OVERLOADED" : code, more));
  return entries
    .slice(from, to)
    .map(({ id, tool }) => JSON.stringify({ index: 0, id, tool, status: "error", error, meta: {} }));
}

/** A call of which no action could be made has the result that the model was told. */
function sayUnread({ id, name }: ModelCall, { json, failed }: ToolReply): readonly string[] {
  if (!failed) return [];
  const { error } = JSON.parse(json) as { readonly error: unknown };
  return [JSON.stringify({ index: 0, id, tool: name, status: "error", error, meta: {} })];
}

/** Name what a call does. Actions count by themselves, unless what they do depends on the others. */
function keysOf({ name, args }: ModelCall): string[] {
  if (!args.ok) return [];
  const { actions } = args.value;
  const whole = canonicalKey({ tool: name, args: args.value }) ?? JSON.stringify(args.value);
  if (!Array.isArray(actions) || MARKER.test(whole)) return [whole];
  return (actions as unknown[]).map((action) => {
    const { id: _, ...said } = (action ?? {}) as Record<string, unknown>;
    return canonicalKey(said) ?? JSON.stringify(said);
  });
}

const MARKER = /"\$(?:ref|template)"/;
