import { err, type Refusal, type Result } from "../../feature/refuse.ts";
import type { HeldBytes } from "../../feature/outside.ts";
import type { RequestKey } from "./request-key.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { ModelAddress } from "./ask-model.ts";
import type { Conversation, Dialect, Message, ModelCall, ModelTurn, Relay } from "./dialect/dialect.ts";
import { type Ended, sayRan } from "./notes.ts";
import type { Outlet } from "./read-model-stream.ts";
import type { KeptReply, Understood, Voice } from "./voice.ts";
import { isJsonObject, type JsonObject } from "../../feature/schema.ts";
import type { PendingConfirmation } from "../../core/contract/outcome.ts";

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

/** A refused request, and whether it is safe to send it again. */
export interface AgentRefusal {
  readonly refusal: Refusal;
  /** The report so far, as JSON; null where nothing ran. */
  readonly report: string | null;
}

/** An answer of the model: what it was, how it is to be read, how long it took, and whose its calls are. */
export interface Said {
  readonly turn: ModelTurn;
  readonly read: Understood;
  readonly ms: number;
  readonly ours: readonly ModelCall[];
  readonly theirs: readonly ModelCall[];
}

/** How far a request has come: the conversation, its rounds, and the model's last answer. */
export class Progress {
  messages: readonly Message[];
  /** Messages that the caller never sent: what is kept if the conversation is to go on without them. */
  unseen: readonly Message[] = [];
  usage: JsonObject | null = null;
  readonly rounds: string[] = [];
  /** The ends of the actions of all rounds. */
  readonly ended: Ended[] = [];
  questions: readonly PendingConfirmation[] = [];
  plans = 0;
  /** The last answer of the model. */
  said: Said | null = null;
  /** Replies of the last round, by the ids of its calls. */
  replies: ReadonlyMap<string, KeptReply> = new Map();
  /** The ids of the conversation's calls. */
  readonly ids: Set<string>;
  /** A turn that the provider paused, until it has gone on. */
  #paused: ModelTurn | null = null;
  readonly #dialect: Dialect;
  readonly #voice: Voice;

  constructor({ messages, dialect, voice }: Pick<AgentRequest, "messages" | "dialect" | "voice">) {
    this.messages = messages;
    this.ids = new Set(dialect.findAnchors(messages).flatMap(({ calls }) => calls.map(({ id }) => id)));
    this.#dialect = dialect;
    this.#voice = voice;
  }

  /** Take an answer of the model: what it said before it paused is part of it. */
  hear(turn: ModelTurn): ModelTurn {
    for (const { id } of turn.calls) this.ids.add(id);
    this.addUsage(turn);
    const paused = this.#paused;
    this.#paused = null;
    return paused === null ? turn : (this.#dialect.goOn?.(paused, turn) ?? turn);
  }

  /** Let a turn that only paused go on: it is a round in which nothing has run. */
  pause(): void {
    const { turn, ms } = this.said!;
    this.#paused = turn;
    const { content } = turn.message;
    if (!Array.isArray(content) || content.length > 0) this.append([turn.message]);
    this.rounds.push(`{"results":[],"duration_ms":0,"model_ms":${ms}}`);
  }

  /** Tell the model something, in a message that the caller does not see. */
  tell(text: string): void {
    this.messages = this.#dialect.tell(this.messages, text);
    // Said in a message that the caller sent, it is part of that one; kept, it is a message by itself.
    this.unseen = this.#dialect.tell(this.unseen, text);
  }

  append(messages: readonly Message[]): void {
    this.messages = [...this.messages, ...messages];
    this.unseen = [...this.unseen, ...messages];
  }

  /** Put the last answer and the replies to its calls into the conversation. */
  join(): void {
    const turn = { turn: this.said!.read.message, isText: this.#voice.isText };
    this.append(this.#voice.join(turn, this.replies, []));
  }

  addUsage({ usage }: Pick<ModelTurn, "usage">): void {
    this.usage = sumUsage(this.usage, usage);
  }

  /** Refuse the request, with what has run: most clients show their callers the sentence alone. */
  refuse(refusal: Refusal): Result<never, AgentRefusal> {
    if (this.rounds.length === 0) return err({ refusal, report: null });
    const hint = `${refusal.hint} ${sayRan(this.ended)}`.trimEnd();
    return err({ refusal: { ...refusal, hint }, report: `{"rounds":[${this.rounds.join(",")}]}` });
  }
}

/**
 * Add up what two calls of a model used: numbers are added wherever they stand, what only one has is kept, and of anything
 * else the later counts. Null where a call did not say.
 */
export function sumUsage(first: JsonObject | null, second: JsonObject | null): JsonObject | null {
  if (first === null || second === null) return second ?? first;
  const sum = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const other = Object.hasOwn(first, key) ? first[key] : undefined;
    if (typeof value === "number" && typeof other === "number") sum.set(key, other + value);
    else if (isJsonObject(value) && isJsonObject(other)) sum.set(key, sumUsage(other, value));
    else if (value !== null && value !== undefined) sum.set(key, value);
  }
  return Object.fromEntries(sum);
}
