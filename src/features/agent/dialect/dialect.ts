import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../feature/schema.ts";
import { attemptNow, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { ProviderCall, ToolReply } from "../../../turns/read-turn.ts";
import type { ServerSentEvent } from "../../../core/kit/event-splitter.ts";
import * as LIMITS from "../../../core/contract/limits.ts";

/** A message of a conversation, in its provider's own words. */
export type Message = JsonObject;

/** A call of a tool, as a model made it. */
export interface ModelCall extends ProviderCall {
  readonly id: string;
  readonly closed: boolean;
  /** Its arguments as JSON text, as the model wrote them. */
  readonly written: string;
  /** It stands among the caller's tools of this name, and is none of ours whatever its own name is. */
  readonly space?: string;
  /** It calls no tool by its name: somebody else has to answer it, so it is handed over as it is. */
  readonly foreign?: true;
}

/** The content of a model's answer. */
export interface ModelTurn {
  /** The calls in it, the caller's tools and ours, in their order. */
  readonly calls: readonly ModelCall[];
  readonly text: string;
  /** The message as it goes back into the conversation. */
  readonly message: Message;
  readonly usage: JsonObject | null;
  /** The whole answer as it came; of a stream, what says which answer it is. */
  readonly response: JsonObject;
  /** The provider has only paused: sent back as it is, the turn goes on. */
  readonly paused?: true;
  /** Why it ended, in the provider's word. */
  readonly reason?: unknown;
}

/** Whether a call is of the caller's own tools, by its name and the name among which it stands. */
export type IsTheirs = (call: Pick<ModelCall, "name" | "space" | "foreign">) => boolean;

/** Tell the caller's calls from ours. */
export function tellTheirs({ theirs, spaces }: Pick<Conversation, "theirs" | "spaces">): IsTheirs {
  return ({ name, space, foreign }) =>
    foreign === true || (space === undefined ? theirs.has(name) : spaces.has(space));
}

/** The conversation that an answer is read for. */
export interface Reading {
  readonly isTheirs: IsTheirs;
  /** The ids of its earlier calls. */
  readonly ids: ReadonlySet<string>;
}

/** Reads an answer for no conversation: each name and id in it stays. */
export const AS_WRITTEN: Reading = { isTheirs: () => true, ids: new Set() };

/** The parts of a caller's request that the loop has to know. */
export interface Conversation {
  /** The body without the field `volley`. */
  readonly body: JsonObject;
  readonly messages: readonly Message[];
  /** Names of the caller's own tools, and those among which some of them stand. */
  readonly theirs: ReadonlySet<string>;
  readonly spaces: ReadonlySet<string>;
  readonly streams: boolean;
}

/** The question to a model. */
export interface Asked {
  readonly messages: readonly Message[];
  /** `ours` are offered before the caller's; `off`, and no tool may be called; `unsaid`, and tools are not spoken of. */
  readonly tools: "ours" | "off" | "unsaid";
  /** The text that a model is told before everything else. */
  readonly system?: string;
  /** A call that the caller forces was made already: the choice is the model's. */
  readonly isLater?: boolean;
}

/** Part of a conversation that waits for what else is known of it: calls whose replies are not in it. */
export interface Anchor {
  /** Where in the messages the model's message stands. */
  readonly at: number;
  /** The calls in it; the arguments of each as canonical text, empty if there are none. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly text: string;
}

/** The replies to a turn's calls, by the calls' ids. */
export type Replies = ReadonlyMap<string, ToolReply>;

/** How an answer ends: as the model ended it, or as if it had stopped by itself after these words. */
export interface Ending {
  /** Said instead of what the model said, where that was not all an answer. */
  readonly text?: string;
  /** Said after what the model said; the answer then ends here, whatever the model wanted. */
  readonly words?: string;
  /** Calls that are the caller's to run; all others are left out. */
  readonly calls: readonly ModelCall[];
  /** Summed over all calls of the model; null where none said. */
  readonly usage: JsonObject | null;
  readonly report: string;
}

/** How a provider's requests, answers and streams are read and written. */
export interface Dialect {
  /** Where it is called, below the configured address. */
  readonly path: string;
  /** Read what a caller sent: no more of it than the loop needs. */
  read(body: JsonObject): Result<Conversation, Refusal>;
  /** Make a writer of requests: what of them is the same each time is made once. */
  createRequests(conversation: Conversation, tools: readonly ToolDescriptor[]): (asked: Asked) => JsonObject;
  /** Read a model's answer, as what goes back into its conversation; null if it is not one. */
  readTurn(response: unknown, reading?: Reading): ModelTurn | null;
  /** Put what a turn said before it paused into the answer of the turn that went on; absent where no turn pauses. */
  goOn?(paused: ModelTurn, turn: ModelTurn): ModelTurn;
  /**
   * Put a model's message and the replies to its calls before the rest of a conversation. Replies that stand at the
   * beginning of the rest are taken in their place: each call is answered once, in the order of the calls.
   */
  join(turn: Message, replies: Replies, rest: readonly Message[]): readonly Message[];
  /** Say something to the model that no person said. */
  tell(messages: readonly Message[], text: string): readonly Message[];
  /** A message of the model's that says this. */
  say(text: string): Message;
  /** Find the model's messages of a conversation. */
  findAnchors(messages: readonly Message[]): readonly Anchor[];
  /** Who says a message, and in which words: what a client sends again unchanged. */
  digestOf(message: Message): unknown;
  /** Write what a message says of calls and their replies as text, for a model that knows none. */
  toPlain(messages: readonly Message[]): readonly Message[];
  /** Write the answer to a request that is no stream, as JSON. */
  writeAnswer(turn: ModelTurn, ending: Ending): string;
  createRelay(isTheirs: IsTheirs): Relay;
}

/**
 * The part of a model's streams that reaches the caller: `open`, and text and the calls of the caller's tools are passed on as
 * they come; `closed`, and calls are not; `silent`, and nothing is.
 */
export type RelayMode = "open" | "closed" | "silent";

export type StreamFault = "unreadable" | "error" | "too large";

/**
 * Passes a model's streams on to the caller, one after the other, as one answer: what need not change as it came, byte for
 * byte; with one id, one beginning and one end; calls of our tools left out.
 */
export interface Relay extends StreamHearer {
  /** The held back part of a stream after which the conversation goes on without the caller. */
  proceed(): string;
  /** A result that is known, as JSON. */
  result(json: string): string;
  end(ending: Ending): string;
  /** The end of an answer that cannot be given. @param report what was done before, as JSON */
  fail(refusal: Refusal, report?: string | null): string;
}

export interface StreamHearer {
  /** Another stream begins; what is known of an earlier one that broke off is forgotten. @param ids those of earlier calls of the conversation */
  begin(mode: RelayMode, ids?: ReadonlySet<string>): void;
  /** Take one event; the text that goes to the caller now. */
  take(event: ModelEvent): Result<string, StreamFault>;
  /** The weight of what is kept of the stream under way, as `weighText` has it. */
  readonly kept: number;
  /** Whether everything of the stream was read. */
  readonly isOver: boolean;
  /** The turn that the stream said, once it is over; null where it never ended. */
  turn(): ModelTurn | null;
}

export interface ModelEvent extends ServerSentEvent {
  /** Its data, where that was read already. */
  readonly value?: JsonObject;
}

/** Read what an event says; null where that is no object. */
export function readEvent({ data, value }: Pick<ModelEvent, "data" | "value">): JsonObject | null {
  if (value !== undefined || data === null) return value ?? null;
  const parsed = attemptNow(() => parseExact(data));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** Weigh a value of a stream that is kept: the characters of its text, and as much for each value as it counts elsewhere. */
export function weighText(value: unknown): number {
  if (typeof value === "string") return LIMITS.valueBytes + value.length;
  if (typeof value !== "object" || value === null) return LIMITS.valueBytes;
  let weight: number = LIMITS.valueBytes;
  for (const [key, one] of Object.entries(value)) weight += key.length + weighText(one);
  return weight;
}

/** Write an answer, or an event of one, with a report of ours: JSON text beside what is said. */
export function withReport(said: object, report: string): string {
  return `${JSON.stringify(said).slice(0, -1)},"volley":${report}}`;
}

/** Put words of the model and words of ours one under the other, as far as there are any. */
export function joinWords(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
