import { describe, toHint } from "../../../core/contract/issues.ts";
import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { readId } from "../../../turns/provider-turn.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import type { Conversation } from "./dialect.ts";

/**
 * Read what both providers' bodies have in common. Everything else in them is the model's server's to judge.
 *
 * @param nameOf the name of one of the caller's tools; undefined where it has none that a model could call
 * @param options `spaces` are names among which tools of the caller's stand, `more` the names of tools that are listed elsewhere
 */
export function readConversation(
  body: JsonObject,
  nameOf: (tool: JsonObject) => unknown,
  { spaces = [], more = [] }: { readonly spaces?: readonly string[]; readonly more?: readonly string[] } = {},
): Result<Conversation, Refusal> {
  const { messages, tools, stream } = body;
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject))
    return refuseField("/messages", "an array of messages, at least one", messages);
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    return refuseField("/stream", "true or false", stream);
  if (tools !== undefined && tools !== null && !(Array.isArray(tools) && tools.every(isJsonObject)))
    return refuseField("/tools", "an array of tools", tools);
  const listed = (tools ?? []) as readonly JsonObject[];
  const names = listed.map(nameOf).filter((name) => typeof name === "string");
  const theirs = new Set([...names, ...more]);
  return ok({ body, messages, theirs, spaces: new Set(spaces), streams: stream === true });
}

/** Refuse a field of the body. */
export function refuseField(path: string, expected: string, value: unknown): Result<never, Refusal> {
  const issue = { path, expected, received: describe(value) };
  return err(makeRefusal("INVALID_REQUEST", toHint([issue]), { issue }));
}

/** The text of a list of content: its text parts, put together; text itself stays. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as unknown[])
    .map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/**
 * Give every call an id of its own: without one it could not be answered, and two of the same cannot be told apart.
 *
 * @param earlier those of earlier calls of the conversation
 */
export function makeUnique(ids: readonly unknown[], earlier: ReadonlySet<string>): string[] {
  const taken = new Set(earlier);
  return ids.map((id, at) => takeId(id, at, taken));
}

/** The same for one call, by its place among the calls and the ids before it, to which it is added. */
export function takeId(id: unknown, at: number, taken: Set<string>): string {
  const sent = readId(id);
  let unique = typeof sent === "string" && sent !== "" ? sent : `call_${at}`;
  while (taken.has(unique)) unique = `${unique}_${at}`;
  taken.add(unique);
  return unique;
}
