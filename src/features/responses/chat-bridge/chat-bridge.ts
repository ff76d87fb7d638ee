import type { Bridge } from "../../agent/ask-model.ts";
import type { JsonObject } from "../../../core/contract/json.ts";
import { CHAT } from "../../agent/dialect/chat-dialect.ts";
import { BridgedRelay } from "./bridged-relay.ts";
import { fromChatTurn } from "./from-chat-answer.ts";
import { toChatRequest } from "./to-chat-request.ts";
import { toResponsesPath } from "./to-responses-path.ts";

/** Responses over Chat Completions. */
export const CHAT_BRIDGE: Bridge = {
  path: CHAT.path,
  toRequest: toChatRequest,
  toOwnPath: toResponsesPath,
  toAnswer(answer) {
    const turn = CHAT.readTurn(answer);
    if (turn === null) return null;
    const [choice] = turn.response["choices"] as readonly unknown[];
    const { message, finish_reason } = choice as JsonObject;
    return fromChatTurn(turn, message as JsonObject, finish_reason);
  },
  toHearer: (relay) => new BridgedRelay(relay),
};
