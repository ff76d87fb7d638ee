import { makeFailure } from "../../../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { err, ok } from "../../../core/kit/result.ts";
import type { Ending, IsTheirs, Message, ModelCall, ModelTurn, Reading } from "./dialect.ts";
import { makeUnique, textOf } from "./conversation.ts";
import { readArguments } from "./repair-arguments.ts";
import { legalName, whatIsDone } from "../../../turns/turn-table.ts";
import { CUSTOM } from "../../../turns/parse-call-arguments.ts";

/**
 * Read a model's message, and make of it what goes back into the conversation: what is only ever said by the server is left
 * out, arguments are JSON, because some servers parse those of earlier turns, and names and ids are such as every server takes.
 */
export function toTurn(message: JsonObject, response: JsonObject, { isTheirs, ids }: Reading): ModelTurn {
  const { content, annotations: _, audio, tool_calls: __, function_call: old, ...fields } = message;
  const sent = sentCalls(message);
  const unique = makeUnique(
    sent.map(({ id }) => id),
    ids,
  );
  const read = sent.map((call, at) => readCall(call, unique[at]!, isTheirs));
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const entries = read.flatMap(({ entry }) => entry ?? []);
  return {
    calls: read.map(({ call }) => call),
    text: textOf(content),
    message: {
      ...Object.fromEntries(kept),
      role: "assistant",
      ...((content !== undefined || read.length === 0) && { content: content ?? null }),
      ...(entries.length > 0 && { tool_calls: entries }),
      ...(entries.length < read.length && { function_call: old }),
      ...(isJsonObject(audio) && { audio: { id: audio["id"] } }),
    },
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
  };
}

/** The calls that a model's message makes; one that stands where calls stood once has the mark of that for an id. */
export function sentCalls(message: JsonObject): readonly JsonObject[] {
  const { function_call: old } = message;
  const calls = callsIn(message);
  return isJsonObject(old) ? [...calls, { type: OLD_CALL, id: OLD_CALL, function: old }] : calls;
}

/** The type and the id of the one call of a message that stands in `function_call`, which has a place for neither. */
export const OLD_CALL = "function_call";

interface ReadCall {
  readonly call: ModelCall;
  /** As it stands in the message that goes back; null where it stays in `function_call`. */
  readonly entry: JsonObject | null;
}

function readCall(call: JsonObject, id: string, isTheirs: IsTheirs): ReadCall {
  const { index: _, ...sent } = call;
  const { function: called, custom, type } = sent;
  if (isJsonObject(custom)) {
    const args = err(makeFailure("INVALID_ACTION", { hint: CUSTOM }));
    const name = String(custom["name"] ?? "");
    const own = { id, name, args, closed: false, written: "{}" };
    return {
      call: own,
      entry: { ...sent, id, custom: { ...custom, name: isTheirs(own) ? name : legalName(name) } },
    };
  }
  if (!isJsonObject(called) && whatIsDone("chat", type ?? "function") === "handed over") {
    const own = { id: String(sent["id"] ?? id), name: String(type), args: ok({}), written: "{}" };
    return { call: { ...own, closed: false, foreign: true }, entry: sent };
  }
  const { name: named, arguments: text } = isJsonObject(called) ? called : {};
  const name = typeof named === "string" ? named : "";
  const own = { id, name, ...readArguments(name, text) };
  const isOwn = isTheirs(own);
  if (type === OLD_CALL && isOwn) return { call: { ...own, id: OLD_CALL }, entry: null };
  const said = { ...(called as JsonObject), name: isOwn ? name : legalName(name), arguments: own.written };
  return { call: own, entry: { ...sent, id, type: "function", function: said } };
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
