import type { Failure, Issue } from "../core/contract/failure.ts";
import { describe, toHint, visiblePath } from "../core/contract/issues.ts";
import { isJsonObject, type JsonObject } from "../core/contract/json.ts";
import { makeRefusal, type Refusal } from "../core/contract/refusal.ts";
import { err, ok, type Result } from "../core/kit/result.ts";
import { visibleText } from "../core/kit/visible-text.ts";
import { NAMELESS } from "./parse-call-arguments.ts";

/** One tool call as a provider's model made it; its id stays with its dialect. */
export interface ProviderCall {
  readonly name: string;
  /** The model's arguments, or the reason why they are not to be used: one call's broken JSON costs that call only. */
  readonly args: Result<JsonObject, Failure>;
  /** Its arguments were cut off, and brackets were added: nothing may be written because of it. */
  readonly closed?: boolean;
}

/** The reply to a model about one of its calls. */
export interface ToolReply {
  readonly json: string;
  readonly failed: boolean;
  /** From where arguments were read that came as JSON text; absent where none did. */
  readonly readAs?: string;
}

/** A call's id: text, also where a server counts its calls, whose exact numbers are read as text. */
export function readId(id: unknown): unknown {
  return Number.isSafeInteger(id) ? String(id) : id;
}

/** A model's turn: its calls in their order, and how they are answered. */
export interface ProviderTurn {
  readonly calls: readonly ProviderCall[];
  /** Write the answers, one for every call in the same order, as what is to be appended to the conversation. */
  readonly write: (replies: readonly ToolReply[]) => object;
  /** Write one call's answer as it stands among the others there. */
  readonly writeOne: (position: number, reply: ToolReply) => object;
}

/** Read what a provider returned: a whole response, its message or its calls. */
export type ParseTurn = (body: unknown) => Result<ProviderTurn, Refusal>;

/** The part of a body that was taken for its calls, a list or one thing, and where it stood. */
export interface FoundCalls {
  readonly path: string;
  readonly items: readonly unknown[] | JsonObject;
}

/** A provider's way to write calls and to be answered. A list of calls may stand alone in every dialect. */
export interface Dialect<C extends ProviderCall> {
  readonly endpoint: TurnEndpoint;
  /** The forms of a body, and of each entry in its list, for the refusals of those that are not. */
  readonly bodies: string;
  readonly item: string;
  /** Find what holds the calls of a body; null where the body is nothing that this provider sends. */
  readonly find: (body: JsonObject) => Result<FoundCalls, Refusal> | null;
  /** Read one thing of that; null if it is not one of the model's calls. */
  readonly read: (item: JsonObject, path: string) => Result<C | null, Refusal>;
  /** Write the answer of one call, and put all of them together. */
  readonly toItem: (call: C, reply: ToolReply) => object;
  readonly toAnswer: (items: readonly object[]) => object;
}

/** Define how turns of a provider are read and answered. */
export function defineDialect<C extends ProviderCall>(dialect: Dialect<C>): ParseTurn {
  return (body) => {
    const read = readCalls(body, dialect);
    if (!read.ok) return read;
    const calls = read.value;
    const writeOne = (position: number, reply: ToolReply): object => dialect.toItem(calls[position]!, reply);
    const write = (replies: readonly ToolReply[]): object =>
      dialect.toAnswer(calls.map((_, position) => writeOne(position, replies[position]!)));
    return ok({ calls, write, writeOne });
  };
}

/**
 * Read the calls of a body. Refused whole where one cannot be read, because it could not be answered either, and where
 * calls stand that this endpoint does not answer: they would be lost without a word.
 */
function readCalls<C extends ProviderCall>(
  body: unknown,
  dialect: Dialect<C>,
): Result<readonly C[], Refusal> {
  const found = findCalls(body, dialect);
  const { path, items } = found.ok ? found.value : { path: "", items: body };
  const calls = found.ok ? readList(found.value, dialect) : found;
  if (calls.ok && calls.value.length > 0) return calls;
  const stray = findStrayCall(items, path);
  if (stray === null) return calls;
  const { endpoint } = dialect;
  if (stray.endpoint !== endpoint) {
    const issue = {
      path: stray.path,
      expected: `a call for ${endpoint}`,
      received: `one for ${stray.endpoint}`,
    };
    return err(makeRefusal("INVALID_BATCH", `${toHint([issue])} Send it there.`, { issue }));
  }
  // Calls that could not be read have their own refusal, and so has a body that is no message around its call.
  if (!calls.ok && (calls.error.issue?.path !== "" || stray.path === "")) return calls;
  const issue = { path: stray.path, expected: "in a message sent alone", received: "more than that message" };
  const hint = `Send the message alone: a call of it is at ${stray.path}.`;
  return err(makeRefusal("INVALID_BATCH", hint, { issue }));
}

function findCalls<C extends ProviderCall>(
  body: unknown,
  { find, bodies }: Dialect<C>,
): Result<FoundCalls, Refusal> {
  if (Array.isArray(body)) return foundAt("", body);
  return (isJsonObject(body) ? find(body) : null) ?? refuseShape("", bodies, body);
}

/** Say where the calls of a body stand. */
export function foundAt(path: string, items: FoundCalls["items"]): Result<FoundCalls, never> {
  return ok({ path, items });
}

function readList<C extends ProviderCall>(
  { path, items }: FoundCalls,
  { item: expected, read }: Dialect<C>,
): Result<readonly C[], Refusal> {
  const placed = isJsonObject(items)
    ? [{ item: items as unknown, place: path }]
    : items.map((item, index) => ({ item, place: `${path}/${index}` }));
  const calls: C[] = [];
  for (const { item, place } of placed) {
    const call = isJsonObject(item) ? read(item, place) : refuseShape(place, expected, item);
    if (!call.ok) return call;
    if (call.value !== null) calls.push(withName(call.value));
  }
  return ok(calls);
}

/** A call whose name is empty has the failure of that in place of its arguments. */
function withName<C extends ProviderCall>(call: C): C {
  return call.name.trim() === "" ? { ...call, args: err(NAMELESS) } : call;
}

/** Refuse a body, or a part of it, that is not what the provider sends. */
export function refuseShape(path: string, expected: string, received: unknown): Result<never, Refusal> {
  const issue: Issue = { path, expected, received: describeShape(received) };
  return err(makeRefusal("INVALID_BATCH", toHint([{ ...issue, path: path || "the body" }]), { issue }));
}

/** An object is told by its first keys: by them its sender knows it again. */
function describeShape(value: unknown): string {
  const keys = isJsonObject(value) ? Object.keys(value).slice(0, 5) : [];
  return keys.length === 0
    ? describe(value)
    : `an object with ${keys.map((key) => visibleText(key, 40)).join(", ")}`;
}

/** Where calls are answered. */
export type TurnEndpoint =
  | "/v1/openai/tool_calls"
  | "/v1/openai/function_calls"
  | "/v1/anthropic/tool_use"
  | "/v1/gemini/function_calls";

/** A call in an unexpected place, and the endpoint that would have looked there. */
interface StrayCall {
  readonly path: string;
  readonly endpoint: TurnEndpoint;
}

/**
 * Find the first call of any provider anywhere in a value. For what an endpoint found no calls of its own in: a whole
 * conversation, or another provider's message.
 *
 * @param path where the value stood
 */
export function findStrayCall(value: unknown, path: string): StrayCall | null {
  if (typeof value !== "object" || value === null) return null;
  const endpoint = isJsonObject(value) ? endpointFor(value) : null;
  if (endpoint !== null) return { path, endpoint };
  for (const [key, inner] of Object.entries(value)) {
    const stray = findStrayCall(inner, `${path}${visiblePath([key])}`);
    if (stray !== null) return stray;
  }
  return null;
}

/** Whose call it is, by what only that provider's calls have; definitions of tools have no arguments. */
function endpointFor(sent: JsonObject): TurnEndpoint | null {
  const { type, function: called, functionCall, function_call } = sent;
  if (type === "tool_use") return "/v1/anthropic/tool_use";
  if (type === "function_call" || type === "custom_tool_call") return "/v1/openai/function_calls";
  if (isJsonObject(called) && "arguments" in called) return "/v1/openai/tool_calls";
  if (isJsonObject(functionCall)) return "/v1/gemini/function_calls";
  if (!isJsonObject(function_call)) return null;
  return "arguments" in function_call ? "/v1/openai/tool_calls" : "/v1/gemini/function_calls";
}
