import type { Refusal } from "../../core/contract/refusal.ts";
import type { HeldBytes } from "../../core/egress/held-bytes.ts";
import type { RequestKey } from "./request-key.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { ModelAddress } from "./ask-model.ts";
import type { Conversation, Dialect, Message, Relay } from "./dialect/dialect.ts";
import type { Outlet } from "./read-model-stream.ts";
import type { Voice } from "./voice.ts";

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
