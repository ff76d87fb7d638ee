import type { JsonObject } from "../../core/contract/json.ts";
import { type PendingConfirmation, toWirePending } from "../../core/contract/outcome.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { RequestKey } from "../../core/gate/request-key.ts";
import type { ModelRound } from "../../core/observe/seen.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import { attempt, err, ok, type Result } from "../../core/kit/result.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { HeldBytes } from "../../core/egress/held-bytes.ts";
import { askModel, type ModelAddress, type Outlet, type Streaming } from "./ask-model.ts";
import type {
  Conversation,
  Dialect,
  Ending,
  Message,
  ModelCall,
  ModelTurn,
  Relay,
  RelayMode,
} from "./dialect/dialect.ts";
import { sumUsage } from "./dialect/sum-usage.ts";
import { type KeptUnder, keepTurn } from "./kept-turn.ts";
import { offerTools } from "./offered-tools.ts";
import { beginLoop, type LoopState, type Move, nextMove, type Stopped } from "./loop.ts";
import { askForPlan, EMPTY_ANSWER, GO_ON, NO_ANSWER, sayClosing, sayLate, sayWaiting } from "./notes.ts";
import { type Round, runRound } from "./run-round.ts";
import { STRATEGIES } from "./strategies.ts";
import type { KeptReply, KeptTurn, Understood, Voice } from "./voice.ts";

/** Who hears of a request while it is answered. */
export interface Audience extends Outlet {
  readonly relay: Relay;
  /** Nothing will be said for a while; gives what ends that. */
  readonly wait: () => () => void;
}

/** A request to a model, and all that answering it takes. */
export interface AgentRequest {
  readonly conversation: Conversation;
  /** The conversation with what was kept of it. */
  readonly messages: readonly Message[];
  readonly options: AgentOptions;
  readonly dialect: Dialect;
  readonly voice: Voice;
  readonly address: ModelAddress;
  readonly bodyBytes: number;
  /** The bytes that it holds, its conversation included. */
  readonly bytes: HeldBytes;
  /** By what the request is known again; absent where it is not. */
  readonly requestKey?: RequestKey | undefined;
  /** When its time is over, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** Null where the answer is told all at once. */
  readonly audience: Audience | null;
}

/** An answer of the model: what it was, how it is to be read, how long it took, and whose its calls are. */
interface Said {
  readonly turn: ModelTurn;
  readonly read: Understood;
  readonly ms: number;
  readonly ours: readonly ModelCall[];
  readonly theirs: readonly ModelCall[];
}

/** The words and rounds so far. */
interface Progress {
  messages: readonly Message[];
  /** Messages that the caller never sent: what is kept if the conversation is to go on without them. */
  unseen: readonly Message[];
  usage: JsonObject | null;
  readonly rounds: string[];
  questions: readonly PendingConfirmation[];
  plans: number;
  /** The last answer of the model. */
  said: Said | null;
  /** Replies of the last round, by the ids of its calls. */
  replies: ReadonlyMap<string, KeptReply>;
}

/** A refused request, and whether it is safe to send it again. */
export interface AgentRefusal {
  readonly refusal: Refusal;
  /** The report so far, as JSON; null where nothing ran. */
  readonly report: string | null;
}

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
  const end = execution.watch?.runs?.join(request.options.tags, startedAt);
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
  const progress: Progress = {
    messages: request.messages,
    unseen: [],
    usage: null,
    rounds: [],
    questions: [],
    plans: 0,
    said: null,
    replies: new Map(),
  };
  const tell = (text: string): void => add(progress, dialect, text);
  let [state, move]: readonly [LoopState, Move] = beginLoop(STRATEGIES[options.strategy], options.maxRounds);
  for (;;) {
    switch (move.kind) {
      case "plan": {
        tell(askForPlan(tools, progress.plans === 0));
        progress.plans += 1;
        const planned = await ask(request, execution, {
          body: write(progress.messages, false),
          mode: "silent",
        });
        if (!planned.ok) return refuse(planned.error, progress);
        model.push(toModelRound(planned.value, execution.ports.clock.now()));
        progress.usage = sumUsage(progress.usage, planned.value.turn.usage);
        append(progress, [dialect.say(planned.value.turn.text || "…")]);
        tell(GO_ON);
        [state, move] = nextMove(state, { kind: "planned" });
        break;
      }
      case "ask":
      case "close": {
        const isLast = move.kind === "close";
        if (move.kind === "close") tell(sayClosing(move.why, state.rounds));
        const mode = voice.relayMode === "silent" ? "silent" : isLast ? "closed" : "open";
        const answered = await ask(request, execution, { body: write(progress.messages, !isLast), mode });
        if (!answered.ok) return refuse(answered.error, progress);
        model.push(toModelRound(answered.value, execution.ports.clock.now()));
        const { turn, ms } = answered.value;
        progress.usage = sumUsage(progress.usage, turn.usage);
        const read = voice.understand(turn, () => execution.ports.newId());
        const ours = read.calls.filter(({ name }) => !conversation.theirs.has(name));
        const theirs = read.calls.filter(({ name }) => conversation.theirs.has(name));
        progress.said = { turn, read, ms, ours, theirs };
        progress.replies = new Map();
        [state, move] = nextMove(state, {
          kind: "answered",
          ours: ours.length,
          callsTheirs: theirs.length > 0,
        });
        break;
      }
      case "run": {
        const ran = await runOurs(request, execution, progress);
        if (!ran.ok) return refuse(ran.error, progress);
        const round = ran.value;
        [state, move] = nextMove(state, {
          kind: "ran",
          calls: round.calls,
          waits: round.questions.length > 0,
          isLate: execution.ports.clock.now() >= request.endsAt,
        });
        if (move.kind !== "end") join(progress, voice);
        break;
      }
      case "end":
        return finish(move.stopped, request, execution, progress);
    }
    if (execution.signal.aborted) return refuse(GONE, progress);
    if (move.kind !== "run" && move.kind !== "end" && audience !== null)
      await pass(audience, audience.relay.proceed());
  }
}

function toModelRound({ turn, ms }: Pick<Said, "turn" | "ms">, endedAt: number): ModelRound {
  return { startedAt: endedAt - ms, modelMs: ms, usage: turn.usage };
}

const GONE = makeRefusal(
  "UNAVAILABLE",
  "The caller went away before the answer, or the same request was taken over by another run: send it again.",
);

async function ask(
  { conversation, dialect, address, endsAt, audience, bytes }: AgentRequest,
  { ports, signal, watch }: Execution,
  { body, mode }: { readonly body: JsonObject; readonly mode: RelayMode },
): Promise<Result<{ readonly turn: ModelTurn; readonly ms: number }, Refusal>> {
  const startedAt = ports.clock.now();
  let stopWaiting = audience?.wait();
  const streaming: Streaming | null =
    audience === null
      ? null
      : {
          relay: audience.relay,
          mode,
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
  const sent = { ports, dialect, address, body: conversation.body, endsAt, signal, bytes };
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

function add(progress: Progress, dialect: Dialect, text: string): void {
  progress.messages = dialect.tell(progress.messages, text);
  // Said in a message that the caller sent, it is part of that one; kept, it is a message by itself.
  progress.unseen = dialect.tell(progress.unseen, text);
}

function append(progress: Progress, messages: readonly Message[]): void {
  progress.messages = [...progress.messages, ...messages];
  progress.unseen = [...progress.unseen, ...messages];
}

/** Put the last answer and the replies to its calls into the conversation. */
function join(progress: Progress, voice: Voice): void {
  const turn = { turn: progress.said!.read.message, isText: voice.isText };
  append(progress, voice.join(turn, progress.replies, []));
}

function refuse(refusal: Refusal, progress: Progress): Result<never, AgentRefusal> {
  const hasRun = progress.rounds.length > 0;
  return err({ refusal, report: hasRun ? `{"rounds":[${progress.rounds.join(",")}]}` : null });
}

/** Write the end of the answer, and keep what the caller does not see of the conversation, where it is to go on. */
async function finish(
  stopped: Stopped,
  request: AgentRequest,
  execution: Execution,
  progress: Progress,
): Promise<Result<string, AgentRefusal>> {
  const { dialect, audience } = request;
  const { turn, read, theirs } = progress.said!;
  const calls = stopped === "client_tools" ? theirs : [];
  if (
    (stopped === "client_tools" || stopped === "confirmation") &&
    !(await keep(stopped, calls, request, execution, progress))
  )
    return refuse(NOT_KEPT, progress);
  const report = toReport(stopped, progress);
  const words = wordsFor(stopped, request, progress);
  const ending: Ending = {
    calls,
    usage: progress.usage,
    report,
    ...(read.text !== null && { text: read.text }),
    ...(words !== null && { words }),
  };
  return ok(audience === null ? dialect.writeAnswer(turn, ending) : audience.relay.end(ending));
}

/** The words in place of the model's; null where it has said all there is to say. */
function wordsFor(stopped: Stopped, { options }: AgentRequest, { said, questions }: Progress): string | null {
  const { turn, read } = said!;
  const text = read.text ?? turn.text;
  switch (stopped) {
    case "confirmation":
      return sayWaiting(questions);
    case "deadline":
      return sayLate(options.deadlineMs);
    case "max_rounds":
    case "repetition":
      if (read.calls.length > 0) return text === "" ? NO_ANSWER : "";
      return text === "" ? EMPTY_ANSWER : null;
    case "answer":
    case "client_tools":
      return null;
  }
}

const NOT_KEPT = makeRefusal(
  "UNAVAILABLE",
  "The tools' answers could not be kept for later, so they are not handed over; the report has the results.",
);

/** Keep what the caller does not see; nothing has to be where it sees everything. */
async function keep(
  stopped: Stopped,
  calls: readonly ModelCall[],
  { conversation, voice }: AgentRequest,
  { caller, gate, ports }: Execution,
  { said, unseen, replies, questions }: Progress,
): Promise<boolean> {
  const { read } = said!;
  const isSeen = unseen.length === 0 && replies.size === 0 && !voice.isText;
  if (isSeen) return true;
  const ours = new Set(read.calls.map(({ id }) => id));
  const kept: KeptTurn = {
    before: unseen,
    turn: read.message,
    replies: [...replies].filter(([id]) => ours.has(id)),
    isText: voice.isText,
    grants: caller.tools,
  };
  const sent = conversation.messages;
  const under: readonly KeptUnder[] =
    stopped === "client_tools"
      ? [{ kind: "calls", calls: calls.map(toNamedCall), sent }]
      : questions.map(({ id }) => ({ kind: "question", id }));
  return keepTurn(kept, under, voice, { gate, ports });
}

function toNamedCall({ id, args }: ModelCall): { readonly id: string; readonly args: string } {
  return { id, args: args.ok ? canonicalJson(args.value) : "" };
}

function toReport(stopped: Stopped, { rounds, questions }: Progress): string {
  const asked = questions.map(toWirePending);
  const more = asked.length === 0 ? "" : `,"confirmations":${JSON.stringify(asked)}`;
  return `{"rounds":[${rounds.join(",")}],"stopped":"${stopped}"${more}}`;
}
