import { toHint } from "../../../core/contract/issues.ts";
import { describe, isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { readId, type ToolReply } from "../../../turns/read-turn.ts";
import type { Conversation, Message, Replies } from "./dialect.ts";

/**
 * Read what both providers' bodies have in common. Everything else in them is the model's server's to judge.
 *
 * @param nameOf the name of one of the caller's tools; undefined if it has none that a model could call
 * @param options `spaces` are names among which tools of the caller's stand, `more` the names of tools that are listed elsewhere
 */
export function readConversation(
  body: JsonObject,
  nameOf: (tool: JsonObject) => unknown,
  { spaces = [], more = [] }: { readonly spaces?: readonly string[]; readonly more?: readonly string[] } = {},
): Result<Conversation, Refusal> {
  const { messages, tools, stream } = body;
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject))
    return refuseField("/messages", "an array of messages, at least one", messages);
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    return refuseField("/stream", "true or false", stream);
  if (tools !== undefined && tools !== null && !(Array.isArray(tools) && tools.every(isJsonObject)))
    return refuseField("/tools", "an array of tools", tools);
  const listed = (tools ?? []) as readonly JsonObject[];
  const names = listed.map(nameOf).filter((name) => typeof name === "string");
  const theirs = new Set([...names, ...more]);
  return ok({ body, messages, theirs, spaces: new Set(spaces), streams: stream === true });
}

export function refuseField(path: string, expected: string, value: unknown): Result<never, Refusal> {
  const issue = { path, expected, received: describe(value) };
  return err(makeRefusal("INVALID_REQUEST", toHint([issue]), { issue }));
}

/** The text of a list of content: its text parts, put together; text itself stays. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as unknown[])
    .map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/**
 * Give every call an id of its own: without one it could not be answered, and two of the same cannot be told apart.
 *
 * @param earlier those of earlier calls of the conversation
 */
export function makeUnique(ids: readonly unknown[], earlier: ReadonlySet<string>): string[] {
  const taken = new Set(earlier);
  return ids.map((id, at) => takeId(id, at, taken));
}

/** The same for one call, by its place among the calls and the ids before it, to which it is added. */
export function takeId(id: unknown, at: number, taken: Set<string>): string {
  const sent = readId(id);
  let unique = typeof sent === "string" && sent !== "" ? sent : `call_${at}`;
  while (taken.has(unique)) unique = `${unique}_${at}`;
  taken.add(unique);
  return unique;
}

/** How a provider whose replies are messages of their own writes and finds them. */
interface ReplyWords {
  /** The ids of a turn's calls, in their order. */
  readonly ids: readonly string[];
  /** The id of the call that a message replies to; null where it is no reply. */
  readonly repliedTo: (message: Message) => string | null;
  readonly toReply: (id: string, reply: ToolReply) => Message;
}

/**
 * Put a turn and the replies to its calls before the rest of a conversation. Replies of the caller's that stand at its beginning are taken
 * in the places of their calls; those to no call of the turn come after all.
 */
export function joinReplies(
  {
    turn,
    replies,
    rest,
  }: { readonly turn: Message; readonly replies: Replies; readonly rest: readonly Message[] },
  { ids, repliedTo, toReply }: ReplyWords,
): readonly Message[] {
  const theirs = new Map<string, Message>();
  let from = 0;
  for (; from < rest.length; from += 1) {
    const id = repliedTo(rest[from]!);
    if (id === null) break;
    theirs.set(id, rest[from]!);
  }
  const answers = ids.flatMap((id): readonly Message[] => {
    const reply = replies.get(id);
    if (reply !== undefined) return [toReply(id, reply)];
    const sent = theirs.get(id);
    return sent === undefined ? [] : [sent];
  });
  const strange = [...theirs].filter(([id]) => !ids.includes(id)).map(([, message]) => message);
  return [turn, ...answers, ...strange, ...rest.slice(from)];
}

/** How the calls and replies of a conversation are found. */
interface PlainWords {
  /** The text of a reply to a call; null where a message is none. */
  readonly observationOf: (message: Message) => string | null;
  /** The text of a model's message, and its calls; null where a message has none. */
  readonly actionsOf: (
    message: Message,
  ) => { readonly text: string; readonly calls: readonly PlainCall[] } | null;
}

interface PlainCall {
  readonly name: unknown;
  readonly args: unknown;
}

/** Write what messages say of calls and their replies as text: replies that follow each other are one message of the user's. */
export function toPlainMessages(
  messages: readonly Message[],
  { observationOf, actionsOf }: PlainWords,
): readonly Message[] {
  const plain: Message[] = [];
  const observed: string[] = [];
  const observe = (): void => {
    if (observed.length > 0) plain.push({ role: "user", content: observed.join("\n") });
    observed.length = 0;
  };
  for (const message of messages) {
    const observation = observationOf(message);
    if (observation !== null) {
      observed.push(`Observation: ${observation}`);
      continue;
    }
    observe();
    const actions = actionsOf(message);
    plain.push(actions === null ? message : { role: "assistant", content: toActions(actions) });
  }
  observe();
  return plain;
}

function toActions({ text, calls }: { readonly text: string; readonly calls: readonly PlainCall[] }): string {
  const actions = calls.map(({ name, args }) => `Action: ${String(name)}\nAction Input: ${String(args)}`);
  return [text, ...actions].filter((part) => part !== "").join("\n");
}
