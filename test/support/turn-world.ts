import { HeldBytes } from "../../src/core/egress/held-bytes.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import type { JsonObject } from "../../src/core/contract/json.ts";
import type { Speech } from "../../src/turns/turn-table.ts";
import { parseAgentOptions } from "../../src/features/agent/agent-options.ts";
import { CHAT } from "../../src/features/agent/dialect/chat-dialect.ts";
import { type Dialect, tellTheirs } from "../../src/features/agent/dialect/dialect.ts";
import { MESSAGES } from "../../src/features/agent/dialect/messages-dialect.ts";
import { restoreTurns } from "../../src/features/agent/kept-turn.ts";
import { runAgent } from "../../src/features/agent/run-agent.ts";
import { speakNatively } from "../../src/features/agent/voice.ts";
import { RESPONSES } from "../../src/features/responses/dialect/responses-dialect.ts";
import { dialectOf } from "../sandbox/upstreams/model-dialect.ts";
import { TestWorld } from "./execute-batch.ts";
import { valueOf } from "./unwrap.ts";

/** The ways of speech in which a conversation is led here. */
export type Spoken = Exclude<Speech, "gemini">;

export const DIALECTS: Readonly<Record<Spoken, Dialect>> = {
  chat: CHAT,
  messages: MESSAGES,
  responses: RESPONSES,
};

/** The words in place of a message in each way of speech: parts of a turn as its provider writes them, and why it ended. */
export interface Said {
  readonly parts: readonly JsonObject[];
  readonly stop?: string | undefined;
  /** The events of its stream, where they are not the usual ones. */
  readonly events?: readonly JsonObject[] | undefined;
}

/** A model that speaks in one way, streaming or not, and is as strict as its provider; in virtual time. */
export class TurnWorld extends TestWorld {
  readonly asked: JsonObject[] = [];
  /** Why requests were refused. */
  readonly problems: string[] = [];
  readonly #speech: Spoken;
  readonly #streams: boolean;
  readonly #turns: Said[] = [];

  constructor(speech: Spoken, streams: boolean) {
    super();
    this.#speech = speech;
    this.#streams = streams;
    this.fetch = async (_, init) => this.#answer(JSON.parse(init.body as string) as JsonObject);
  }

  willSay(...turns: readonly Said[]): void {
    this.#turns.push(...turns);
  }

  /** Ask it through the loop; the text of the answer, or of the error. */
  async ask(tools: readonly Tool[], body: JsonObject): Promise<string> {
    const dialect = DIALECTS[this.#speech];
    const options = valueOf(parseAgentOptions({ surface: "flat" }));
    const execution = this.execution(tools);
    const stream = this.#streams && { stream: true };
    const conversation = valueOf(dialect.read({ model: "m", ...LIMIT[this.#speech], ...stream, ...body }));
    const voice = speakNatively(dialect);
    const bytes = new HeldBytes(execution.upstreams.share);
    const told: string[] = [];
    const relay = dialect.createRelay(tellTheirs(conversation));
    const audience = {
      relay,
      begin: () => {},
      write: async (text: string) => void told.push(text),
      wait: () => () => {},
    };
    const work = async (): Promise<string> => {
      const restored = await restoreTurns(conversation, voice, { ...execution, bytes });
      const request = {
        conversation,
        messages: valueOf(restored),
        options,
        dialect,
        voice,
        address: { url: `https://model.test/v1${PATHS[this.#speech]}`, headers: {}, secrets: [] },
        bodyBytes: 1_000,
        bytes,
        endsAt: this.clock.now() + options.deadlineMs,
        audience: this.#streams ? audience : null,
      };
      const answered = await runAgent(request, execution);
      if (answered.ok) return told.join("") + answered.value;
      const { refusal, report } = answered.error;
      return `${refusal.code} ${this.#streams ? relay.fail(refusal, report) : String(report)}`;
    };
    return this.clock.runUntil(work());
  }

  #answer(body: JsonObject): Response {
    this.asked.push(body);
    const problem = dialectOf(`POST /v1${PATHS[this.#speech]}`)!.check(body);
    if (problem !== null) {
      this.problems.push(problem.message);
      return Response.json({ error: { message: problem.message } }, { status: 400 });
    }
    const said = this.#turns.shift();
    if (said === undefined) throw new Error("The model has nothing more to say");
    if (!this.#streams) return Response.json(ANSWERS[this.#speech](said, this.asked.length));
    const events = said.events ?? EVENTS[this.#speech](said, this.asked.length);
    const text = events.map(
      (event) => `event: ${String(event["type"] ?? "")}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    const end = this.#speech === "chat" ? "data: [DONE]\n\n" : "";
    return new Response(text.join("") + end, { headers: { "content-type": "text/event-stream" } });
  }
}

const PATHS = { chat: "/chat/completions", messages: "/messages", responses: "/responses" };
const LIMIT = { chat: {}, messages: { max_tokens: 1_000 }, responses: {} };

type ToAnswer = (said: Said, n: number) => JsonObject;

const isCall = (part: JsonObject): boolean => !("field" in part);

/** In Chat Completions a part is an entry of `tool_calls`, or `{field: value}` of the message. */
const toMessage = ({ parts }: Said): JsonObject => {
  const calls = parts.filter(isCall);
  const fields = parts.filter((part) => !isCall(part)).map(({ field }) => field as JsonObject);
  const said = Object.assign({}, ...fields) as JsonObject;
  return { role: "assistant", content: null, ...said, ...(calls.length > 0 && { tool_calls: calls }) };
};

const finishOf = ({ parts, stop }: Said): string => stop ?? (parts.some(isCall) ? "tool_calls" : "stop");

const ANSWERS: Readonly<Record<Spoken, ToAnswer>> = {
  chat: (said, n) => ({
    id: `chatcmpl-${n}`,
    choices: [{ index: 0, message: toMessage(said), finish_reason: finishOf(said) }],
  }),
  messages: ({ parts, stop }, n) => ({
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    content: parts,
    stop_reason: stop ?? (parts.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"),
  }),
  responses: ({ parts, stop }, n) => ({
    id: `resp_${n}`,
    object: "response",
    status: stop === undefined ? "completed" : "incomplete",
    incomplete_details: stop === undefined ? null : { reason: stop },
    output: parts,
  }),
};

const EVENTS: Readonly<Record<Spoken, (said: Said, n: number) => readonly JsonObject[]>> = {
  chat: (said, n) => {
    const { tool_calls: calls, ...message } = toMessage(said);
    const deltas = [
      message,
      ...(Array.isArray(calls)
        ? (calls as JsonObject[]).map((call, index) => ({ tool_calls: [{ index, ...call }] }))
        : calls === undefined
          ? []
          : [{ tool_calls: calls }]),
    ];
    return [...deltas, null].map((delta) => ({
      id: `chatcmpl-${n}`,
      choices: [{ index: 0, delta: delta ?? {}, finish_reason: delta === null ? finishOf(said) : null }],
    }));
  },
  messages: (said, n) => {
    const { content, stop_reason, ...message } = ANSWERS.messages(said, n);
    return [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      ...(content as JsonObject[]).flatMap((block, index) => toBlockEvents(block, index)),
      { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
  },
  responses: (said, n) => {
    const response = ANSWERS.responses(said, n);
    const { status } = response;
    return [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      ...said.parts.flatMap((item, index) => toItemEvents(item, index)),
      { type: `response.${String(status)}`, response },
    ];
  },
};

function toBlockEvents(block: JsonObject, index: number): readonly JsonObject[] {
  const { type, text, input } = block;
  const delta =
    type === "text"
      ? { type: "text_delta", text }
      : { type: "input_json_delta", partial_json: typeof input === "string" ? input : JSON.stringify(input) };
  const isPieces = type === "text" || (type === "tool_use" && input !== undefined && input !== null);
  const begun = type === "text" ? { ...block, text: "" } : isPieces ? { ...block, input: {} } : block;
  return [
    { type: "content_block_start", index, content_block: begun },
    ...(isPieces ? [{ type: "content_block_delta", index, delta }] : []),
    { type: "content_block_stop", index },
  ];
}

/** The events of an item of Responses. */
export function toItemEvents(item: JsonObject, index: number): readonly JsonObject[] {
  const { arguments: args } = item;
  const begun = typeof args === "string" ? { ...item, arguments: "" } : item;
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...(typeof args === "string"
      ? [{ type: "response.function_call_arguments.delta", output_index: index, delta: args }]
      : []),
    { type: "response.output_item.done", output_index: index, item },
  ];
}
