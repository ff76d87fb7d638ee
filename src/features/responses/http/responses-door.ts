import { type ModelDoor, readServer } from "../../agent/http/find-server.ts";
import { CHAT_BRIDGE } from "../chat-bridge/chat-bridge.ts";
import { RESPONSES } from "../dialect/responses-dialect.ts";
import { ok } from "../../../core/kit/result.ts";

/** Asks a server for its Responses and, where it has none, for its Chat Completions. */
export const RESPONSES_DOOR: ModelDoor = {
  dialect: RESPONSES,
  field: "input",
  hasDefaultModel: true,
  addressOf(request, ports) {
    const own = readServer("openai", RESPONSES.path, { request, ports });
    const other = readServer("openai", CHAT_BRIDGE.path, { request, ports });
    return own.ok && other.ok
      ? ok({ ...own.value, instead: { url: other.value.url, bridge: CHAT_BRIDGE } })
      : own;
  },
};
