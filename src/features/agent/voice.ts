import { CALLS_OTHERS, type ToolDescriptor } from "../discovery/batch-tool.ts";
import type { Conversation, Dialect, Message, ModelCall, ModelTurn, RelayMode } from "./dialect/dialect.ts";
import { readReactText } from "./react-text.ts";
import type { OpenReply } from "../../turns/decide-reply.ts";
import { isJsonObject, type JsonObject } from "../../feature/schema.ts";
import { splitContract, withContract } from "../discovery/plain-schema.ts";

/** The part of a conversation that its caller never saw, kept until the conversation comes back. It is stored as JSON. */
export interface KeptTurn {
  /** Messages between what the caller had sent and the model's last. */
  readonly before: readonly Message[];
  /** The model's last message, with all its calls. */
  readonly turn: Message;
  /** Replies to our calls of it, by the ids of the calls. */
  readonly replies: readonly (readonly [id: string, reply: KeptReply])[];
  /** Whether calls and replies are text in these messages. */
  readonly isText: boolean;
  /** The tools that the key could call for which it was kept; absent where a version kept it that did not say. */
  readonly grants?: readonly string[];
}

/** A reply, with the name of what was called. */
export interface KeptReply extends OpenReply {
  readonly name: string;
}

/** The calls that a turn asks for, and the part of it that is the answer. */
export interface Understood {
  readonly calls: readonly ModelCall[];
  /** The message as it goes back into the conversation. */
  readonly message: Message;
  /** The answer, where that is not all that was said; null where it is. */
  readonly text: string | null;
}

/** How a model is told of tools and results, and how its calls are read: in its provider's words, or in plain text. */
export interface Voice {
  readonly dialect: Dialect;
  readonly isText: boolean;
  /** The part that a caller hears of a stream in which the model may call tools. */
  readonly relayMode: RelayMode;
  createRequests(
    conversation: Conversation,
    tools: readonly ToolDescriptor[],
  ): (messages: readonly Message[], mayCall: boolean, isLater?: boolean) => JsonObject;
  understand(turn: ModelTurn, newId: () => string): Understood;
  /** Put a turn and the replies to its calls before the rest of a conversation. */
  join(
    turn: Pick<KeptTurn, "turn" | "isText">,
    replies: ReadonlyMap<string, KeptReply>,
    rest: readonly Message[],
  ): readonly Message[];
}

/** Let the model call tools in its provider's own words. */
export function speakNatively(dialect: Dialect): Voice {
  return {
    dialect,
    isText: false,
    relayMode: "open",
    createRequests(conversation, tools) {
      const write = dialect.createRequests(conversation, tools);
      return (messages, mayCall, isLater = false) =>
        write({ messages, tools: mayCall ? "ours" : "off", isLater });
    },
    understand: ({ calls, message }) => ({ calls, message, text: null }),
    join: (kept, replies, rest) => joinKept(dialect, kept, replies, rest),
  };
}

/**
 * Let the model call tools in plain text (Yao et al., "ReAct", 2023), for those that know no calls. Its text is held back until
 * it is known to be an answer, so a caller sees none of it.
 */
export function speakInText(dialect: Dialect, theirs: readonly ToolDescriptor[]): Voice {
  return {
    dialect,
    isText: true,
    relayMode: "silent",
    createRequests(conversation, tools) {
      const write = dialect.createRequests(conversation, tools);
      const system = makeReactPrompt([...tools, ...theirs]);
      return (messages) => write({ messages: dialect.toPlain(messages), tools: "unsaid", system });
    },
    understand({ text }, newId) {
      const read = readReactText(text);
      const calls = read.calls.map(({ name, args }) => ({ id: `call_${newId()}`, name, ...args }));
      return { calls, message: dialect.say(read.said === "" ? "…" : read.said), text: read.answer ?? "" };
    },
    join: (kept, replies, rest) => joinKept(dialect, kept, replies, rest),
  };
}

/** The caller's own tools, as far as their names, words and arguments go: in a text there is no other place for them. */
export function describeTheirs({ body }: Conversation): readonly ToolDescriptor[] {
  const listed = Array.isArray(body["tools"])
    ? (body["tools"] as readonly unknown[]).filter(isJsonObject)
    : [];
  return listed.flatMap((tool) => {
    const { name, description, parameters, input_schema } = isJsonObject(tool["function"])
      ? tool["function"]
      : tool;
    if (typeof name !== "string") return [];
    const schema = isJsonObject(parameters) ? parameters : isJsonObject(input_schema) ? input_schema : {};
    const said = typeof description === "string" ? description : "";
    return { name, description: said, inputSchema: schema, annotations: CALLS_OTHERS };
  });
}

/** Earlier turns of a conversation stay as they were said, whichever strategy goes on with it. */
function joinKept(
  dialect: Dialect,
  { turn, isText }: Pick<KeptTurn, "turn" | "isText">,
  replies: ReadonlyMap<string, KeptReply>,
  rest: readonly Message[],
): readonly Message[] {
  if (!isText) return dialect.join(turn, replies, rest);
  const observed = [...replies.values()];
  const told = observed.length === 0 ? [turn] : dialect.tell([turn], writeObservation(observed));
  // Replies of the caller's answer calls that stand nowhere any more.
  return [...told, ...dialect.toPlain(rest)];
}

/**
 * Write the system text for a model that calls tools in text: the format, what a result means, and the tools.
 *
 * Byte-stable: the same tools in the same order make the same text, so that a prompt cache holds it.
 */
export function makeReactPrompt(tools: readonly ToolDescriptor[]): string {
  if (tools.length === 0) return NO_TOOLS;
  return [FORMAT, "Tools:", ...tools.map(describeTool)].join("\n\n");
}

const NO_TOOLS = "There are no tools to call. Answer the user directly.";

const FORMAT = `You can call the tools listed below. To call tools, write exactly this:

Thought: what you need to find out or do
Action: the tool's name
Action Input: {"argument": "value"}

The input is one JSON object on one line, {} for a tool without arguments. You may write several pairs of Action and Action Input one after another: they run in parallel as one batch, so put into one turn only what does not need another's result. Then stop and wait. The user's next message begins with Observation and holds the results, numbered in your order; never write an Observation yourself.

When you need no tool, or have what you need, write:

Thought: why this is enough
Final Answer: the answer to the user

A turn has either actions or a Final Answer, never both.

Results with a status:
- "error" and "skipped": it did not happen. Say so or try again as the hint says; never guess the data.
- "initiated": the work is under way in the background and not done yet. Never say that it is done.
- "pending_confirmation": it has not happened; a person has to agree first.`;

function describeTool({ name, description, inputSchema }: ToolDescriptor): string {
  const { schema, contract } = splitContract(inputSchema);
  return `${name}: ${withContract(description, contract)}\nArguments: ${JSON.stringify(schema)}`;
}

/** A result of a call, as it is told to the model. */
interface Observed {
  readonly name: string;
  readonly json: string;
}

/**
 * Write the results of a turn's calls as the observation that answers it, in their order.
 *
 * Each stands on a line of its own. JSON text needs no line break, and those between its tokens are taken out, so nothing
 * that a tool says can begin a line and pass for another result.
 */
export function writeObservation(results: readonly Observed[]): string {
  const lines = results.map(({ json }) => toLine(json));
  if (lines.length === 1) return `Observation: ${lines[0]}`;
  return results.map(({ name }, at) => `Observation ${at + 1} (${toLine(name)}): ${lines[at]}`).join("\n");
}

/** Inside a JSON string a line break is escaped, so one that stands there separates tokens; so do those of Unicode, if raw. */
function toLine(text: string): string {
  return text.replaceAll(LINE_BREAK, (found) =>
    found === "\u2028" || found === "\u2029" || found === "\u0085" ? escape(found) : " ",
  );
}

const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/g;

/** These may stand raw inside a JSON string, where their escape says the same. */
function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
