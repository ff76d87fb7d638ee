import type { JsonObject } from "../../feature/schema.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { ModelRound } from "../../core/observe/seen.ts";
import { type AgentRefusal, type AgentRequest, type Audience, Progress, type Said } from "./progress.ts";
import { askModel } from "./ask-model.ts";
import { type ModelTurn, tellTheirs } from "./dialect/dialect.ts";
import { endAnswer } from "./end-answer.ts";
import { beginLoop, type LoopState, type Move, nextMove } from "./loop.ts";
import { askForPlan, GO_ON, sayClosing } from "./notes.ts";
import { offerTools } from "./offer-tools.ts";
import type { Streaming } from "./read-model-stream.ts";
import { type Round, runRound } from "./run-round.ts";
import { STRATEGIES } from "./agent-options.ts";

/**
 * Answer a request to a model: ask it, run what it calls as one batch, and ask it again with the results, until it answers.
 * `nextMove` decides each step; this function only takes it.
 *
 * @returns the answer as JSON; of a stream, what of it was not told yet
 */
export async function runAgent(
  request: AgentRequest,
  execution: Execution,
): Promise<Result<string, AgentRefusal>> {
  const { clock } = execution.ports;
  const startedAt = clock.now();
  const end = execution.watch?.join(request.options.tags, startedAt);
  const model: ModelRound[] = [];
  const answered = await converse(request, execution, model);
  const code = answered.ok ? null : answered.error.refusal.code;
  end?.({ durationMs: clock.now() - startedAt, model, code });
  return answered;
}

/** Ask and run until it is over. @param model takes every answer of the model */
async function converse(
  request: AgentRequest,
  execution: Execution,
  model: ModelRound[],
): Promise<Result<string, AgentRefusal>> {
  const { options, conversation, voice, dialect, audience } = request;
  const tools = offerTools(options.surface, execution.catalog);
  const write = voice.createRequests(conversation, tools);
  const isTheirs = tellTheirs(conversation);
  const progress = new Progress(request);
  let [state, move]: readonly [LoopState, Move] = beginLoop(STRATEGIES[options.strategy], options.maxRounds);
  for (;;) {
    switch (move.kind) {
      case "plan": {
        progress.tell(askForPlan(tools, progress.plans === 0));
        progress.plans += 1;
        const planned = await ask(request, execution, {
          body: write(progress.messages, false),
          mode: "silent",
          ids: new Set(progress.ids),
        });
        if (!planned.ok) return progress.refuse(planned.error);
        model.push(toModelRound(planned.value, execution.ports.clock.now()));
        progress.addUsage(planned.value.turn);
        progress.append([dialect.say(planned.value.turn.text || "…")]);
        progress.tell(GO_ON);
        [state, move] = nextMove(state, { kind: "planned" });
        break;
      }
      case "ask":
      case "close": {
        const isLast = move.kind === "close";
        if (move.kind === "close") progress.tell(sayClosing(move.why, state.rounds));
        const mode = voice.relayMode === "silent" ? "silent" : isLast ? "closed" : "open";
        const body = write(progress.messages, !isLast, state.rounds > 0);
        const answered = await ask(request, execution, { body, mode, ids: new Set(progress.ids) });
        if (!answered.ok) return progress.refuse(answered.error);
        model.push(toModelRound(answered.value, execution.ports.clock.now()));
        const { ms } = answered.value;
        const turn = progress.hear(answered.value.turn);
        const read = voice.understand(turn, () => execution.ports.newId());
        const called = read.calls.filter((call) => !isTheirs(call));
        // Its provider withdrew what it says: nothing of it runs, and no turn goes on that has calls without replies.
        const isWithdrawn = called.length > 0 && WITHDRAWN.test(String(turn.reason));
        const ours = isWithdrawn ? [] : called;
        const theirs = isWithdrawn ? [] : read.calls.filter(isTheirs);
        progress.said = { turn, read, ms, ours, theirs };
        progress.replies = new Map();
        [state, move] = nextMove(state, {
          kind: "answered",
          ours: ours.length,
          callsTheirs: theirs.length > 0,
          paused: turn.paused === true,
        });
        if (move.kind === "ask" || (move.kind === "close" && !isLast)) progress.pause();
        break;
      }
      case "run": {
        const ran = await runOurs(request, execution, progress);
        if (!ran.ok) return progress.refuse(ran.error);
        const round = ran.value;
        [state, move] = nextMove(state, {
          kind: "ran",
          calls: round.calls,
          waits: round.questions.length > 0,
          isLate: execution.ports.clock.now() >= request.endsAt,
        });
        if (move.kind !== "end") progress.join();
        break;
      }
      case "end":
        return endAnswer(move.stopped, { request, execution, progress });
    }
    if (execution.signal.aborted) return progress.refuse(GONE);
    if (move.kind !== "run" && move.kind !== "end" && audience !== null)
      await pass(audience, audience.relay.proceed());
  }
}

function toModelRound({ turn, ms }: Pick<Said, "turn" | "ms">, endedAt: number): ModelRound {
  return { startedAt: endedAt - ms, modelMs: ms, usage: turn.usage };
}

/** The reasons of a policy for which a turn ends: OpenAI's and Anthropic's. */
const WITHDRAWN = /^(content_filter|refusal)/;

const GONE = makeRefusal(
  "UNAVAILABLE",
  "The caller went away before the answer, or the same request was taken over by another run: send it again.",
);

async function ask(
  { conversation, dialect, address, endsAt, audience, bytes }: AgentRequest,
  { ports, signal, watch }: Execution,
  { body, mode, ids }: Required<Pick<Streaming, "mode" | "ids">> & { readonly body: JsonObject },
): Promise<Result<{ readonly turn: ModelTurn; readonly ms: number }, Refusal>> {
  const startedAt = ports.clock.now();
  let stopWaiting = audience?.wait();
  const streaming: Streaming | null =
    audience === null
      ? null
      : {
          relay: audience.relay,
          mode,
          ids,
          outlet: {
            begin: audience.begin,
            write: (text) => {
              stopWaiting?.();
              // The model may fall silent again, or say what is not for the caller.
              stopWaiting = audience.wait();
              return audience.write(text);
            },
          },
        };
  watch?.enter("model");
  const reading = { isTheirs: tellTheirs(conversation), ids };
  const reads = { readTurn: (answer: unknown) => dialect.readTurn(answer, reading) };
  const sent = { ports, dialect: reads, address, body: conversation.body, endsAt, signal, bytes };
  const asked = await askModel(body, sent, streaming);
  watch?.enter("write");
  stopWaiting?.();
  return asked.ok ? ok({ turn: asked.value, ms: ports.clock.now() - startedAt }) : asked;
}

/** Run those calls of the last answer that belong to us, and hold what they answered; refused where that finds no room. */
async function runOurs(
  { options, bodyBytes, endsAt, audience, requestKey, bytes }: AgentRequest,
  execution: Execution,
  progress: Progress,
): Promise<Result<Round, Refusal>> {
  const { ours, ms } = progress.said!;
  const stopWaiting = audience?.wait();
  const round = await runRound(ours, execution, {
    bodyBytes,
    leftMs: endsAt - execution.ports.clock.now(),
    maxTokens: options.maxTokens,
    onError: options.onError,
    keptAs: options.keptAs,
    skipApproval: options.skipApproval,
    leftToRead: () => bytes.leftToRead,
    requestKey,
    ...(audience !== null && {
      onResult: (json) => void pass(audience, audience.relay.result(json)),
    }),
  });
  const size = sizeOf(round);
  const isHeld = bytes.take(size);
  round.release();
  const crowded = isHeld ? null : await bytes.hold(size, execution.signal);
  stopWaiting?.();
  progress.rounds.push(
    `{"results":[${round.results.join(",")}],"duration_ms":${round.durationMs},"model_ms":${ms}}`,
  );
  progress.ended.push(...round.ended);
  progress.questions = round.questions;
  progress.replies = new Map(ours.map(({ id, name }, at) => [id, { ...round.replies[at]!, name }] as const));
  return crowded === null ? ok(round) : err(crowded);
}

/** The size of what a round adds: to the conversation its replies, to the report its results. */
function sizeOf({ replies, results }: Round): number {
  const texts = [...replies.map(({ json }) => json), ...results];
  return texts.reduce((size, { length }) => size + length, 0);
}

/** Who is gone is noticed by the signal. */
async function pass(audience: Audience, text: string): Promise<void> {
  if (text !== "") await attempt(() => audience.write(text));
}
