import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import type { Result } from "../../../core/kit/result.ts";
import { CHAT } from "../dialect/chat-dialect.ts";
import type { StreamHearer } from "../dialect/dialect.ts";
import { BridgedRelay } from "./bridged-relay.ts";
import { fromChatTurn } from "./from-chat-answer.ts";
import { toChatRequest } from "./to-chat-request.ts";

/** How a dialect is spoken to a server that has only another API. */
export interface Bridge {
  /** Where that API is called, below the configured address. */
  readonly path: string;
  readonly toRequest: (request: JsonObject) => Result<JsonObject, Refusal>;
  /** An answer in the dialect; null where it is none. */
  readonly toAnswer: (answer: unknown) => JsonObject | null;
  /** Hears that API's stream, and tells the dialect's relay of it. */
  readonly toHearer: (relay: StreamHearer) => StreamHearer;
}

/** Responses over Chat Completions. */
export const CHAT_BRIDGE: Bridge = {
  path: CHAT.path,
  toRequest: toChatRequest,
  toAnswer(answer) {
    const turn = CHAT.readTurn(answer);
    if (turn === null) return null;
    const [choice] = turn.response["choices"] as readonly unknown[];
    return fromChatTurn(turn, isJsonObject(choice) ? choice["finish_reason"] : null);
  },
  toHearer: (relay) => new BridgedRelay(relay),
};
