import type { ModelAddress } from "../ask-model.ts";
import { CHAT } from "../dialect/chat-dialect.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { MESSAGES } from "../dialect/messages-dialect.ts";
import { readServer } from "./model-address.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import type { Ports } from "../../../core/egress/ports.ts";
import type { Result } from "../../../core/kit/result.ts";

/** A path at which models are asked. */
export interface ModelDoor {
  readonly dialect: Dialect;
  /** The field of a body that has the conversation. */
  readonly field: "messages" | "input";
  /** Whether `LLM_MODEL` answers requests that name no model. */
  readonly hasDefaultModel: boolean;
  /** Find out where the model is asked. */
  readonly addressOf: (request: Request, ports: Pick<Ports, "secret">) => Result<ModelAddress, Refusal>;
}

export const CHAT_DOOR: ModelDoor = {
  dialect: CHAT,
  field: "messages",
  hasDefaultModel: true,
  addressOf: (request, ports) => readServer("openai", CHAT.path, { request, ports }),
};

export const MESSAGES_DOOR: ModelDoor = {
  dialect: MESSAGES,
  field: "messages",
  hasDefaultModel: false,
  addressOf(request, ports) {
    const isBeta = new URL(request.url).searchParams.get("beta") === "true";
    return readServer("anthropic", `${MESSAGES.path}${isBeta ? "?beta=true" : ""}`, { request, ports });
  },
};
