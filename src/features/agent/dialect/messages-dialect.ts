import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { ToolReply } from "../../../turns/read-turn.ts";
import {
  type Anchor,
  AS_WRITTEN,
  type Asked,
  type Conversation,
  type Dialect,
  type Ending,
  joinWords,
  type Message,
  type ModelTurn,
  type Replies,
  withReport,
} from "./dialect.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { err } from "../../../feature/refuse.ts";
import { listTools } from "../offer-tools.ts";
import { type Block, endPause, toTurn, toUse, usesIn } from "./messages-content.ts";
import { MessagesRelay } from "./messages-relay.ts";
import { makeThreadRefusal } from "./provider-error.ts";
import { readConversation, textOf } from "./conversation.ts";

/**
 * Anthropic's Messages.
 *
 * A message thread is never begun at the model's server: it would keep the turns that were told to the model and not those that
 * were told to the caller, so what is put back between them would be lost. Each turn of one is asked for with all of it.
 *
 * Source: https://docs.anthropic.com/en/api/messages, https://platform.claude.com/docs/en/build-with-claude/message-threads
 */
export const MESSAGES: Dialect = {
  path: "/v1/messages",
  read(body) {
    const { thread, ...rest } = body;
    const kind = isJsonObject(thread) ? thread["type"] : undefined;
    if (kind === "continue") return err(makeThreadRefusal());
    return readConversation(kind === "create" ? rest : body, ({ name }) => name);
  },
  createRequests,
  readTurn(response, reading = AS_WRITTEN) {
    const content = isJsonObject(response) ? response["content"] : undefined;
    if (!Array.isArray(content) || content.length > LIMITS.modelCalls) return null;
    return toTurn(content.filter(isJsonObject), response as JsonObject, reading);
  },
  goOn({ response: { content: before } }, { response, ...turn }) {
    return {
      ...turn,
      response: { ...response, content: [...toBlocks(before), ...toBlocks(response["content"])] },
    };
  },
  join(turn, replies, [next, ...rest]) {
    const ids = usesOf(turn).map(({ id }) => String(id));
    const isReply = next !== undefined && next["role"] === "user";
    const sent = isReply ? blocksOf(next) : [];
    const theirs = new Map(sent.filter(isResult).map((block) => [String(block["tool_use_id"]), block]));
    const results = ids.flatMap((id) => toResult(id, replies) ?? theirs.get(id) ?? NONE);
    const others = sent.filter((block) => !isResult(block) || !ids.includes(String(block["tool_use_id"])));
    const content = [...results, ...others];
    return [
      turn,
      ...(content.length === 0 ? [] : [{ ...(isReply && next), role: "user", content }]),
      ...(isReply || next === undefined ? [] : [next]),
      ...rest,
    ];
  },
  /** Two messages of one side are read as one, so it is said in the last where that is the user's. */
  tell(messages, text) {
    const last = messages.at(-1);
    if (last?.["role"] !== "user") {
      const content = last === undefined ? [] : endPause(blocksOf(last));
      const isWhole = last === undefined || content.length === blocksOf(last).length;
      const ended = isWhole
        ? messages
        : [...messages.slice(0, -1), ...(content.length === 0 ? [] : [{ ...last, content }])];
      return [...ended, { role: "user", content: text }];
    }
    return [...messages.slice(0, -1), { ...last, content: [...blocksOf(last), { type: "text", text }] }];
  },
  say: (text) => ({
    role: "assistant",
    content: [{ type: "text", text: text.trim() === "" ? NOTHING : text }],
  }),
  findAnchors: (messages) =>
    messages.flatMap((message, at) =>
      message["role"] === "assistant"
        ? { at, calls: usesOf(message).map(toNamedCall), text: textOf(message["content"]) }
        : [],
    ),
  digestOf(message) {
    const ids = blocksOf(message).flatMap(({ type, id, tool_use_id }) =>
      type === "tool_use" ? [id] : type === "tool_result" ? [tool_use_id] : [],
    );
    return [message["role"], textOf(message["content"]), ids];
  },
  toPlain: (messages) =>
    messages.map((message) => {
      const blocks = blocksOf(message);
      const isPlain = !blocks.some(({ type }) => type === "tool_use" || type === "tool_result");
      return isPlain ? message : { role: message["role"], content: blocks.map(toPlainBlock) };
    }),
  writeAnswer(turn, ending) {
    const { response } = turn;
    const answer = {
      ...response,
      ...endContent(turn, ending),
      ...(ending.usage !== null && { usage: ending.usage }),
    };
    return withReport(answer, ending.report);
  },
  createRelay: (isTheirs) => new MessagesRelay(isTheirs),
};

/** Stands for a text of nothing but space, which the API refuses. */
const NOTHING = "…";

/** As many breakpoints of its prompt cache as the API takes. */
const BREAKPOINTS = 4;

/**
 * The tools stay when none may be called: a conversation in which some were called is refused without them. Ours end with a
 * breakpoint of the prompt cache, unless the caller has set as many as there may be: without one nothing is cached there.
 */
function createRequests(
  { body }: Conversation,
  tools: readonly ToolDescriptor[],
): (asked: Asked) => JsonObject {
  const { tools: theirs, tool_choice, system: said, ...rest } = body;
  const ours = [...listTools(tools, "anthropic")] as JsonObject[];
  const last = ours.at(-1);
  const breakpoints = findBreakpoints(body);
  // The API refuses one that lasts longer than one before it, and ours is the first.
  const isLong = breakpoints.some(({ ttl }) => ttl === "1h");
  if (last !== undefined && breakpoints.length < BREAKPOINTS)
    ours.splice(-1, 1, { ...last, cache_control: { type: "ephemeral", ...(isLong && { ttl: "1h" }) } });
  const offered = [...ours, ...((theirs ?? []) as readonly object[])];
  return ({ messages, tools: mode, system, isLater }) => {
    const choice =
      mode === "off" ? { type: "none" } : isLater === true ? freeChoice(tool_choice) : tool_choice;
    const prelude = system === undefined ? said : [{ type: "text", text: system }, ...toBlocks(said)];
    return {
      ...rest,
      ...(prelude !== undefined && { system: prelude }),
      ...(mode !== "unsaid" && offered.length > 0 && { tools: offered }),
      ...(mode !== "unsaid" && offered.length > 0 && choice !== undefined && { tool_choice: choice }),
      messages,
    };
  };
}

function findBreakpoints({ cache_control, system, tools, messages }: JsonObject): readonly JsonObject[] {
  const inside = (messages as readonly Message[]).flatMap((message) =>
    blocksOf(message).flatMap((block) => [block, ...toBlocks(block["content"])]),
  );
  const all = [...toBlocks(system), ...toBlocks(tools), ...inside, { cache_control }];
  return all.map((block) => block["cache_control"]).filter(isJsonObject);
}

function endContent(turn: ModelTurn, { calls, text, words }: Ending): JsonObject {
  const { stop_reason } = turn.response;
  const content = toBlocks(turn.response["content"]);
  const uses = new Map(usesIn(content).map((block, at) => [block, turn.calls[at]!]));
  const kept = new Set(calls.map(({ id }) => id));
  const said = content.flatMap((block): readonly Block[] => {
    const call = uses.get(block);
    if (call === undefined) return [block];
    // Under the id that it has in the conversation, where it had none or another's.
    if (!kept.has(call.id)) return [];
    return [call.foreign === true ? block : { ...block, id: call.id }];
  });
  if (text === undefined && words === undefined) return { content: said };
  const own = joinWords(text, words);
  return {
    content: [
      ...(text === undefined ? said : []),
      ...(own === "" ? [] : [{ type: "text", text: own }]),
      ...(text === undefined ? [] : calls.map(toUse)),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    ...(stop_reason === "stop_sequence" && { stop_sequence: null }),
  };
}

const NONE: readonly never[] = [];

function usesOf(message: Message): readonly Block[] {
  return usesIn(blocksOf(message));
}

/** The choice of tools for rounds after one that was forced. */
function freeChoice(choice: unknown): unknown {
  if (!isJsonObject(choice) || (choice["type"] !== "any" && choice["type"] !== "tool")) return choice;
  const { name: _, ...rest } = choice;
  return { ...rest, type: "auto" };
}

function isResult({ type }: Block): boolean {
  return type === "tool_result";
}

function toResult(id: string, replies: Replies): Block | null {
  const reply: ToolReply | undefined = replies.get(id);
  if (reply === undefined) return null;
  return {
    type: "tool_result",
    tool_use_id: id,
    content: reply.json,
    ...(reply.failed && { is_error: true }),
  };
}

function blocksOf({ content }: Message): readonly Block[] {
  return toBlocks(content);
}

function toBlocks(content: unknown): readonly Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly unknown[]).filter(isJsonObject) : [];
}

function toNamedCall({ id, type, name = type, input }: Block): Anchor["calls"][number] {
  return { id: String(id), name: String(name), args: isJsonObject(input) ? canonicalJson(input) : "" };
}

function toPlainBlock(block: Block): Block {
  const { type, name, input, content } = block;
  if (type === "tool_use")
    return { type: "text", text: `Action: ${String(name)}\nAction Input: ${JSON.stringify(input)}` };
  if (type === "tool_result") return { type: "text", text: `Observation: ${textOf(content)}` };
  return block;
}
