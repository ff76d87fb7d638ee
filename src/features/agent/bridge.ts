import type { StreamHearer } from "./dialect/dialect.ts";
import type { JsonObject } from "../../core/contract/json.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import type { Result } from "../../core/kit/result.ts";

/** Speaks a dialect with a server that has another API only. */
export interface Bridge {
  /** Where that API is called, below the configured address. */
  readonly path: string;
  readonly toRequest: (request: JsonObject) => Result<JsonObject, Refusal>;
  /** Where in the dialect's request that comes from which stands at a place of the translated one. */
  readonly toOwnPath: (path: readonly string[], request: JsonObject) => readonly string[];
  /** An answer in the dialect; null where it is none. */
  readonly toAnswer: (answer: unknown) => JsonObject | null;
  /** Hears that API's stream, and tells the dialect's relay of it. */
  readonly toHearer: (relay: StreamHearer) => StreamHearer;
}
