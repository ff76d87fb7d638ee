import type { Failure, Issue } from "../contract/failure.ts";
import { describe, toHint } from "../contract/issues.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";
import { findStrayCall, type TurnEndpoint } from "./stray-call.ts";

/** One tool call as a provider's model made it; its id stays with its dialect. */
export interface ProviderCall {
  readonly name: string;
  /** What the model sent, or why it is not to be used: one call's broken JSON costs that call only. */
  readonly args: Result<JsonObject, Failure>;
}

/** What a model is told about one of its calls. */
export interface ToolReply {
  /** JSON text. */
  readonly json: string;
  readonly failed: boolean;
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

/** How a dialect answers: one call, and all of them together. */
export interface TurnWriter<C extends ProviderCall> {
  readonly toItem: (call: C, reply: ToolReply) => object;
  readonly toAnswer: (items: readonly object[]) => object;
}

/** Make a turn of the calls that were read. */
export function makeTurn<C extends ProviderCall>(
  calls: readonly C[],
  { toItem, toAnswer }: TurnWriter<C>,
): ProviderTurn {
  const writeOne = (position: number, reply: ToolReply): object => toItem(calls[position]!, reply);
  const write = (replies: readonly ToolReply[]): object =>
    toAnswer(calls.map((_, position) => writeOne(position, replies[position]!)));
  return { calls, write, writeOne };
}

/** What was found in a body to hold its calls, a list or one thing, and where it stood. */
export interface FoundCalls {
  readonly path: string;
  readonly items: readonly unknown[] | JsonObject;
}

/** How a dialect's calls are found in a body, and each of them read; what is none of the model's calls is `null`. */
export interface CallReader<T> {
  readonly endpoint: TurnEndpoint;
  readonly find: (body: unknown) => Result<FoundCalls, Refusal>;
  readonly read: (item: unknown, path: string) => Result<T | null, Refusal>;
}

/**
 * Read the calls of a body. Refused whole where one cannot be read, because it could not be answered either, and where
 * calls stand that this endpoint does not answer: they would be lost without a word.
 */
export function readCalls<T>(
  body: unknown,
  { endpoint, find, read }: CallReader<T>,
): Result<readonly T[], Refusal> {
  const found = find(body);
  const { path, items } = found.ok ? found.value : { path: "", items: body };
  const calls = found.ok ? readList(found.value, read) : found;
  if (calls.ok && calls.value.length > 0) return calls;
  const stray = findStrayCall(items, path);
  if (stray === null) return calls;
  if (stray.endpoint !== endpoint) {
    const issue = {
      path: stray.path,
      expected: `a call for ${endpoint}`,
      received: `one for ${stray.endpoint}`,
    };
    return err(makeRefusal("INVALID_BATCH", `${toHint([issue])} Send it there.`, { issue }));
  }
  // What was found and could not be read has its own refusal, and so has a body that is no message around its call.
  if (!calls.ok && (calls.error.issue?.path !== "" || stray.path === "")) return calls;
  const issue = { path: stray.path, expected: "in a message sent alone", received: "more than that message" };
  const hint = `Send the message alone: a call of it is at ${stray.path}.`;
  return err(makeRefusal("INVALID_BATCH", hint, { issue }));
}

function readList<T>(
  { path, items }: FoundCalls,
  read: CallReader<T>["read"],
): Result<readonly T[], Refusal> {
  const placed = isJsonObject(items)
    ? [{ item: items as unknown, place: path }]
    : items.map((item, index) => ({ item, place: `${path}/${index}` }));
  const calls: T[] = [];
  for (const { item, place } of placed) {
    const call = read(item, place);
    if (!call.ok) return call;
    if (call.value !== null) calls.push(call.value);
  }
  return ok(calls);
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
