import { makeFailure } from "../../../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { err } from "../../../core/kit/result.ts";
import type { Ending, Message, ModelCall, ModelTurn } from "./dialect.ts";
import { makeUnique, textOf } from "./read-conversation.ts";
import { repairArguments } from "./repair-arguments.ts";
import { CUSTOM } from "../../../core/run/turns/parse-call-arguments.ts";

/**
 * Read a model's message, and make of it what goes back into the conversation: what is only ever said by the server is left
 * out, and arguments are JSON, because some servers parse those of earlier turns.
 */
export function toTurn(message: JsonObject, response: JsonObject): ModelTurn {
  const { content, annotations: _, audio, tool_calls: __, ...fields } = message;
  const sent = callsIn(message);
  const ids = makeUnique(sent.map(({ id }) => id));
  const read = sent.map((call, at) => readCall(call, ids[at]!));
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return {
    calls: read.map(({ call }) => call),
    text: textOf(content),
    message: {
      ...Object.fromEntries(kept),
      role: "assistant",
      ...((content !== undefined || read.length === 0) && { content: content ?? null }),
      ...(read.length > 0 && { tool_calls: read.map(({ entry }) => entry) }),
      ...(isJsonObject(audio) && { audio: { id: audio["id"] } }),
    },
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
  };
}

function readCall(call: JsonObject, id: string): { readonly call: ModelCall; readonly entry: JsonObject } {
  const { index: _, ...sent } = call;
  const { function: called, custom } = sent;
  if (isJsonObject(custom)) {
    const failure = err(makeFailure("INVALID_ACTION", { hint: CUSTOM }));
    return {
      call: { id, name: String(custom["name"]), args: failure, closed: false, written: "{}" },
      entry: { ...sent, id },
    };
  }
  const { name: named, arguments: text } = isJsonObject(called) ? called : {};
  const name = typeof named === "string" ? named : "";
  const repaired = repairArguments(text);
  return {
    call: { id, name, ...repaired },
    entry: {
      ...sent,
      id,
      type: "function",
      function: { ...(called as JsonObject), name, arguments: repaired.written },
    },
  };
}

/** The calls in a message, as they are written there. */
export function callsIn({ tool_calls: calls }: Message): readonly JsonObject[] {
  return Array.isArray(calls) ? (calls as readonly unknown[]).filter(isJsonObject) : [];
}

/** The words of an answer where they are not the model's own; null where they are. */
export function wordsOf(
  { text: said }: Pick<ModelTurn, "text">,
  { text = said, words }: Ending,
): string | null {
  if (words === undefined && text === said) return null;
  return [text, words ?? ""].filter((part) => part !== "").join("\n\n");
}

/** Calls as they stand in a message: as the model wrote them, or, where it wrote them as text, as it would have. */
export function toToolCalls(
  { message }: Pick<ModelTurn, "message">,
  calls: readonly ModelCall[],
): JsonObject[] {
  const entries = new Map(callsIn(message).map((entry) => [entry["id"], entry]));
  return calls.map(
    ({ id, name, written }) =>
      entries.get(id) ?? { id, type: "function", function: { name, arguments: written } },
  );
}
