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
  readonly #dialect: Dialect;
  readonly #voice: Voice;

  constructor({ messages, dialect, voice }: Pick<AgentRequest, "messages" | "dialect" | "voice">) {
    this.messages = messages;
    this.#dialect = dialect;
    this.#voice = voice;
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
