import { describe, expect, test } from "vitest";

import { CHAT } from "../../../../src/features/agent/dialect/chat-dialect.ts";
import type { StreamHearer } from "../../../../src/features/agent/dialect/dialect.ts";
import { MESSAGES } from "../../../../src/features/agent/dialect/messages-dialect.ts";
import { EventRedactor } from "../../../../src/features/agent/dialect/redact-events.ts";
import { createPieceRedactor, createRedactor } from "../../../../src/core/egress/redact.ts";
import { EventSplitter } from "../../../../src/core/kit/event-splitter.ts";
import { BridgedRelay } from "../../../../src/features/responses/chat-bridge/from-chat-answer.ts";
import { ResponsesRelay } from "../../../../src/features/responses/dialect/responses-relay.ts";

/*
 * A model's server that repeats its key piece by piece. Put together again, in the order in which they came, the pieces of no field
 * say more of it than its first characters.
 */

const SECRET = "sk-live-7/41+bQz9";
/** So many characters of the secret tell nothing. */
const TOLD = 6;

const named = (data: object): string =>
  `event: ${String((data as { type?: unknown }).type)}\ndata: ${JSON.stringify(data)}\n\n`;
const bare = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, more: object = {}, top: object = {}): string =>
  bare({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
    ...top,
  });
const call = (called: object): string =>
  chunk({ tool_calls: [{ index: 0, id: "u", type: "function", ...called }] });
const block = (delta: object): string => named({ type: "content_block_delta", index: 0, delta });
const item = (type: string, fields: object): string =>
  named({ type: `response.${type}`, output_index: 0, item_id: "i", content_index: 0, ...fields });

type Write = (piece: string, at: number) => string;

const CHAT_PLACES: Readonly<Record<string, Write>> = {
  "the text": (content) => chunk({ content }),
  "an unknown field": (note) => chunk({ x_note: note }),
  "an unknown field inside another": (note) => chunk({ debug: { headers: { auth: note } } }),
  "an unknown list": (note) => chunk({ debug: [note] }),
  "an unknown list of one event": (note, at) =>
    at > 0 ? "" : chunk({ debug: piecesOf(SECRET, note.length) }),
  "a field of the choice": (note) => chunk({}, { note }),
  "a field of the chunk": (note) => chunk({}, {}, { provider: note }),
  "the model's name": (model) => chunk({ content: "x" }, {}, { model }),
  "the id": (id) => chunk({ content: "x" }, {}, { id }),
  "the role": (role) => chunk({ role, content: "x" }),
  "the name of a call": (name) => call({ function: { name, arguments: "" } }),
  "the name of the caller's call": (name, at) =>
    call({ function: { name: at === 0 ? `lookup${name}` : name, arguments: "" } }),
  "the id of a call": (id) => call({ id, function: { name: "lookup", arguments: "" } }),
  "a field of a call": (note) => call({ function: { name: "lookup", arguments: "", note } }),
  "the arguments of a call": (args) => call({ function: { name: "lookup", arguments: args } }),
  "the tokens": (token) =>
    chunk({ content: "x" }, { logprobs: { content: [{ token, bytes: [...Buffer.from(token)] }] } }),
  "all tokens of one chunk": (token, at) =>
    at > 0
      ? ""
      : chunk(
          { content: "x" },
          {
            logprobs: {
              content: piecesOf(SECRET, token.length).map((one) => ({
                token: one,
                bytes: [...Buffer.from(one)],
              })),
            },
          },
        ),
  comments: (note) => `:${note}\n\n`,
  "ids of events": (note) => `id: ${note}\n${chunk({ content: "x" })}`,
  "names of events": (note) => `event: ${note}\n${chunk({ content: "x" })}`,
  "names before the name of an event": (note) => `event: ${note}\nevent: chunk\n${chunk({ content: "x" })}`,
  "comments inside of events": (note) => `:${note}\n${chunk({ content: "x" })}`,
};

const MESSAGES_PLACES: Readonly<Record<string, Write>> = {
  "the text": (text) => block({ type: "text_delta", text }),
  "the text, as which a block begins": (text, at) =>
    at === 0
      ? named({ type: "content_block_start", index: 1, content_block: { type: "text", text } })
      : named({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text } }),
  "the arguments": (partial_json) => block({ type: "input_json_delta", partial_json }),
  thoughts: (thinking) => block({ type: "thinking_delta", thinking }),
  "the signature": (signature) => block({ type: "signature_delta", signature }),
  "an unknown piece": (note) => block({ type: "x_delta", note }),
  "an unknown piece inside another": (note) => block({ type: "x_delta", more: { deep: [note] } }),
  "the type of a piece": (note) => block({ type: note }),
  citations: (cited) => block({ type: "citations_delta", citation: { cited_text: cited } }),
  "ids of messages": (id) => named({ type: "message_start", message: { id, content: [], model: id } }),
  pings: (note) => named({ type: "ping", note }),
  "unknown events": (note) => named({ type: "x", note }),
  "names of unknown events": (note) => named({ type: note }),
  "ids of calls": (id) =>
    named({
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id, name: "lookup", input: {} },
    }),
  comments: (note) => `:${note}\n\n`,
};

const RESPONSES_PLACES: Readonly<Record<string, Write>> = {
  "the text": (delta) => item("output_text.delta", { delta, logprobs: [] }),
  "the text, as which a part begins": (text, at) =>
    at === 0
      ? item("content_part.added", { part: { type: "output_text", text } })
      : item("output_text.delta", { delta: text }),
  "a refusal": (delta) => item("refusal.delta", { delta }),
  thoughts: (delta) => item("reasoning_summary_text.delta", { summary_index: 0, delta }),
  arguments: (delta) => item("function_call_arguments.delta", { delta }),
  tokens: (token) => item("output_text.delta", { delta: "x", logprobs: [{ token }] }),
  "an unknown field": (note) => item("output_text.delta", { delta: "x", note }),
  "an unknown piece": (delta) => item("x.delta", { delta }),
  "an unknown event": (note) => named({ type: "response.x", note }),
  obfuscation: (obfuscation) => item("output_text.delta", { delta: "x", obfuscation }),
  "ids of items": (id) => item("output_text.delta", { delta: "x", item_id: id }),
  "chunks of Chat Completions: text": (content) => chunk({ content }),
  "chunks of Chat Completions: an unknown field": (note) => chunk({ x_note: note }),
  "chunks of Chat Completions: the name of a call": (name) => call({ function: { name, arguments: "" } }),
};

interface Door {
  readonly name: string;
  readonly createRelay: () => StreamHearer;
  readonly begin: string;
  readonly end: string;
  readonly places: Readonly<Record<string, Write>>;
}

const isTheirs = ({ name }: { readonly name: string }): boolean => name.startsWith("lookup");
const CHAT_END = `${bare({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;
const DOORS: readonly Door[] = [
  {
    name: "/v1/chat/completions",
    createRelay: () => CHAT.createRelay(isTheirs),
    begin: "",
    end: CHAT_END,
    places: CHAT_PLACES,
  },
  {
    name: "/v1/responses, of a server of Chat Completions",
    createRelay: () => new BridgedRelay(new ResponsesRelay(isTheirs)),
    begin: "",
    end: CHAT_END,
    places: CHAT_PLACES,
  },
  {
    name: "/v1/messages",
    createRelay: () => MESSAGES.createRelay(isTheirs),
    begin:
      named({ type: "message_start", message: { id: "m", content: [] } }) +
      named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    end:
      named({ type: "content_block_stop", index: 0 }) +
      named({ type: "message_delta", delta: { stop_reason: "end_turn" } }) +
      named({ type: "message_stop" }),
    places: MESSAGES_PLACES,
  },
  {
    name: "/v1/responses",
    createRelay: () => new ResponsesRelay(isTheirs),
    begin:
      named({ type: "response.created", response: { id: "r", output: [] } }) +
      item("output_item.added", { item: { type: "message", id: "i", content: [] } }),
    end: named({ type: "response.completed", response: { id: "r", output: [] } }),
    places: RESPONSES_PLACES,
  },
];

/** Pass a stream, in which the secret is cut into these pieces, to a caller; all that the caller can put together of it. */
function putTogether({ createRelay, begin, end }: Door, write: Write, pieces: readonly string[]): string[] {
  const redactor = new EventRedactor({
    json: createRedactor([SECRET]),
    piece: createPieceRedactor([SECRET]),
  });
  const relay = createRelay();
  relay.begin("open");
  const splitter = new EventSplitter();
  const stream = `${begin}${pieces.map(write).join("")}${end}`;
  const events = [...splitter.read(stream), ...splitter.end()].flatMap((one) => redactor.take(one));
  const said = [...events, ...redactor.end()]
    .map((one) => relay.take(one))
    .map((taken) => (taken.ok ? taken.value : ""))
    .join("");
  const turn = relay.turn();
  const texts = new Map<string, string>();
  for (const { raw, data, name } of new EventSplitter().read(said)) {
    texts.set("name", (texts.get("name") ?? "") + name);
    const others = raw.split("\n").filter((line) => !line.startsWith("data:") && line !== `event: ${name}`);
    const said = others.map((line) => line.replace(/^\w*: ?/, "")).join("");
    texts.set("others", (texts.get("others") ?? "") + said);
    if (data !== null && data !== "[DONE]") gather(JSON.parse(data), "", texts);
  }
  return [said, JSON.stringify(turn), ...texts.values()];
}

/** Put texts together by their path, by the last name in it, and, where they may go on each other, by neither. */
function gather(value: unknown, path: string, texts: Map<string, string>): void {
  const add = (key: string, text: string): void => void texts.set(key, (texts.get(key) ?? "") + text);
  if (typeof value === "string") {
    add(path, value);
    add(path.replace(/^.*\./, ""), value);
    if (/\.(?:text|delta|token)$/.test(path)) add("*", value);
  } else if (typeof value === "number" && path.endsWith("bytes")) add(path, String.fromCodePoint(value));
  else if (Array.isArray(value)) for (const one of value) gather(one, path, texts);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) gather(one, `${path}.${key}`, texts);
}

function piecesOf(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
    text.slice(n * size, (n + 1) * size),
  );
}

const CUTS: readonly (readonly string[])[] = [
  ...[1, 2, 3, 5, 8, 40].map((size) => piecesOf(SECRET, size)),
  ...Array.from({ length: SECRET.length - 1 }, (_, n) => [SECRET.slice(0, n + 1), SECRET.slice(n + 1)]),
  ["see sk-", "live", SECRET.slice(7), " and more"],
];

describe.each(DOORS)(
  "P7: T48 At $name a key that the model's server repeats is told in no pieces in",
  (door) => {
    test.each(Object.entries(door.places))("%s", (_, write) => {
      const told = CUTS.flatMap((pieces) =>
        putTogether(door, write, pieces).flatMap((text) => {
          const at = Array.from({ length: SECRET.length - TOLD }, (__, n) =>
            text.includes(SECRET.slice(n, n + TOLD + 1)),
          ).indexOf(true);
          return at < 0 ? [] : [`${pieces.join("|")}: ${text.slice(0, 300)}`];
        }),
      );
      expect(told).toEqual([]);
    });
  },
);
