import { AnswerBudget, toResultJson } from "../../core/answer/envelope.ts";
import { shapeOutcomes } from "../../core/answer/shape-outcomes.ts";
import type { Entry } from "../../core/contract/action.ts";
import type { Batch } from "../../core/contract/batch.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import type { Outcome, PendingConfirmation } from "../../core/contract/outcome.ts";
import { ok, type Result } from "../../feature/refuse.ts";
import { execute, withPlan } from "../../core/run/execute/executor.ts";
import { executePlan } from "../../core/run/execute/execute-plan.ts";
import type { OpenReply } from "../../turns/decide-reply.ts";
import type { ToolReply } from "../../turns/read-turn.ts";
import { toRefusedReply, toToolReply } from "../../turns/write-reply.ts";
import type { Refused } from "../../core/gate/admit-plan.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { RequestKey } from "./request-key.ts";
import type { RunOptions } from "../../core/egress/ports.ts";
import type { Step } from "../../core/plan/step.ts";
import type { AgentOptions } from "./agent-options.ts";
import { keysOf } from "./loop.ts";
import { type Ended, endOf } from "./notes.ts";
import type { ModelCall } from "./dialect/dialect.ts";
import {
  findWaiting,
  type Numbered,
  numberResults,
  type Ran,
  refuseActions,
  sayUnread,
  toEnvelopeReply,
} from "./report-round.ts";
import { batchCalls, mayHaveWritten, type TurnBatch, type TurnPart } from "../../turns/batch-calls.ts";

export interface Round {
  /** One for every call, in their order. */
  readonly replies: readonly OpenReply[];
  /** The result of every action, as JSON, in the order asked. */
  readonly results: readonly string[];
  /** The end of every action, also of those that were recorded for later. */
  readonly ended: readonly Ended[];
  /** The questions that were asked of a person. */
  readonly questions: readonly PendingConfirmation[];
  /** Each call of it, so that the same call with the same arguments is the same text. */
  readonly calls: ReadonlySet<string>;
  readonly durationMs: number;
  /** Give back the bytes that were read for it. */
  readonly release: () => void;
}

export interface RoundOptions
  extends
    Pick<AgentOptions, "keptAs" | "maxTokens" | "skipApproval">,
    Partial<Pick<AgentOptions, "onError">> {
  readonly bodyBytes: number;
  /** Milliseconds that are left of the request. */
  readonly leftMs: number;
  /** The bytes that one more batch may read; as many as any other where it is absent. */
  readonly leftToRead?: () => number;
  /** By what the request is known again; absent where it is not. */
  readonly requestKey?: RequestKey | undefined;
  /** Told each result, as JSON, the moment it is known. */
  readonly onResult?: (json: string) => void;
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
  const { bodyBytes } = options;
  const { batches, replies: refused } = batchCalls(calls, execution, { bodyBytes, together: true });
  const replies = new Map<number, OpenReply>();
  for (const [call, reply] of refused) replies.set(call, { ...reply, waits: [] });
  const texts = new Map<number, readonly string[]>();

  // These run nothing, and once they are there it is known where the results of each call stand.
  for (const { batch, parts } of batches)
    if (isTold(batch))
      replies.set(parts[0]!.call, { ...(await tellOnly(batch, execution, options)), waits: [] });
  const { tell, placeOf } = numberResults(calls, batches, { replies, texts, onResult: options.onResult });
  for (const [call, reply] of replies) tell(call, sayUnread(calls[call]!, reply));

  const done: { readonly ran: Ran; readonly parts: readonly TurnPart[] }[] = [];
  for (const one of batches) {
    const { batch, parts } = one;
    if (isTold(batch)) continue;
    const leftMs = options.leftMs - (ports.clock.now() - startedAt);
    const ran = await runBatch(one, execution, { ...options, leftMs }, placeOf);
    if (ran.ok) {
      done.push({ ran: ran.value, parts });
      continue;
    }
    const { refusal } = ran.error;
    const wasSent = (...entries: Entry[]): boolean => mayHaveWritten(entries, ran.error, execution.catalog);
    for (const part of parts) {
      const mayHaveRun = wasSent(...batch.entries.slice(part.from, part.to));
      replies.set(part.call, { ...toRefusedReply(refusal, mayHaveRun), waits: [] });
      tell(part.call, refuseActions(part, batch, { refusal, wasSent }));
    }
  }

  // Until here, these are the results of what did not run.
  const ended = [...texts.values()].flat().map((json) => JSON.parse(json) as Ended);
  for (const { batch, parts } of batches)
    if (isTold(batch) && !batch.dryRun && !replies.get(parts[0]!.call)!.failed)
      ended.push(...batch.entries.map(({ tool }): Ended => ({ tool, status: "initiated" })));
  const whole = done.flatMap(({ ran }) => ran.outcomes);
  const steps = done.flatMap(({ ran }) => ran.plan.steps);
  const shaped = await shapeOutcomes(whole, options.maxTokens, { ports, gate, steps });
  const questions = new Map<string, PendingConfirmation>();
  let from = 0;
  for (const { ran, parts } of done) {
    ended.push(...ran.plan.steps.map(({ toolName }, at) => endOf(toolName, ran.outcomes[at]!)));
    const outcomes = shaped.slice(from, from + ran.outcomes.length);
    from += ran.outcomes.length;
    for (const part of parts) {
      const steps = ran.plan.steps.slice(part.from, part.to);
      const own = outcomes.slice(part.from, part.to);
      for (const outcome of own)
        if (outcome.status === "pending_confirmation")
          questions.set(outcome.confirmation.id, outcome.confirmation);
      const reply = part.isBatch ? await toEnvelopeReply(part, ran, own, execution) : toToolReply(own[0]!);
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
    ended,
    questions: [...questions.values()],
    calls: new Set(calls.flatMap(keysOf)),
    durationMs: ports.clock.now() - startedAt,
    release: () => {
      for (const { ran } of done) ran.release();
    },
  };
}

async function runBatch(
  { batch, parts }: TurnBatch,
  execution: Execution,
  options: RoundOptions,
  placeOf: Numbered["placeOf"],
): Promise<Result<Ran, Refused>> {
  const { leftMs, maxTokens, leftToRead, requestKey, onResult } = options;
  const deadlineMs = Math.max(1, Math.min(batch.deadlineMs, leftMs, LIMITS.maxDeadlineMs));
  const asked = { ...toAsked(batch, options), deadlineMs, maxTokens };
  const ran = await withPlan(asked, execution, async (made, current): Promise<Result<Ran, Refused>> => {
    const plan = requestKey === undefined ? ok(made) : await requestKey.keyWrites(made, current.catalog);
    if (!plan.ok) return plan;
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
  if (!ran.ok) execution.watch?.sawRefusal({ code: ran.error.refusal.code, status: 200 });
  return ran;
}

/** A batch as the caller of the request has it run: whether a person has to be asked is not for the model to say. */
function toAsked(batch: Batch, { onError, keptAs, skipApproval }: RoundOptions): Batch {
  const saysOwn = batch.onError !== "partial-success";
  return { ...batch, ...(!saysOwn && { onError: onError ?? batch.onError, keptAs }), skipApproval };
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
async function tellOnly(batch: Batch, execution: Execution, options: RoundOptions): Promise<ToolReply> {
  const { requestKey } = options;
  const isRecorded = batch.background !== undefined && !batch.dryRun;
  const key = isRecorded && requestKey !== undefined ? await requestKey.keyBatch(batch.background) : null;
  if (key?.ok === false) return toRefusedReply(key.error.refusal, key.error.mayHaveBegun);
  const asked = toAsked(batch, options);
  const { onError, skipApproval, background } = asked;
  const recorded = { ...background, on_error: onError, skip_approval: skipApproval };
  const told = await execute(
    { ...asked, ...(background && { background: recorded }) },
    { ...execution, ...(key !== null && { batchKey: key.value }) },
  );
  if (!told.ok) return toRefusedReply(told.error.refusal, told.error.mayHaveBegun);
  if (key !== null && !told.value.replayed) requestKey?.countBatch(key.value);
  return { json: told.value.json, failed: false };
}
