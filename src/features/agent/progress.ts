import type { JsonObject } from "../../core/contract/json.ts";
import type { PendingConfirmation } from "../../core/contract/outcome.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { err, type Result } from "../../core/kit/result.ts";
import type { AgentRefusal, AgentRequest } from "./agent-request.ts";
import type { Dialect, Message, ModelCall, ModelTurn } from "./dialect/dialect.ts";
import { sumUsage } from "./dialect/sum-usage.ts";
import type { KeptReply, Understood, Voice } from "./voice.ts";

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

  /** Refuse the request, with what has run. */
  refuse(refusal: Refusal): Result<never, AgentRefusal> {
    const hasRun = this.rounds.length > 0;
    return err({ refusal, report: hasRun ? `{"rounds":[${this.rounds.join(",")}]}` : null });
  }
}
