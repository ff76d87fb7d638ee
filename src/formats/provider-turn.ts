import type { Failure, Issue } from "../contract/failure.ts";
import { describe, toHint } from "../contract/issues.ts";
import type { JsonObject } from "../contract/json.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";

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

/** A list of calls found in a body, and where it stood. */
export interface FoundCalls {
  readonly path: string;
  readonly items: readonly unknown[];
}

/** Refuse a body, or a part of it, that is not what the provider sends. */
export function refuseShape(path: string, expected: string, received: unknown): Result<never, Refusal> {
  const issue: Issue = { path, expected, received: describe(received) };
  return err(makeRefusal("INVALID_BATCH", toHint([issue]), { issue }));
}

/**
 * Read the calls among the items of a list; what is none of the model's calls (`null`) needs no answer. Refused whole where
 * an item cannot be read: it could not be answered either.
 */
export function readCalls<T>(
  found: Result<FoundCalls, Refusal>,
  read: (item: unknown, path: string) => Result<T | null, Refusal>,
): Result<readonly T[], Refusal> {
  if (!found.ok) return found;
  const calls: T[] = [];
  for (const [index, item] of found.value.items.entries()) {
    const call = read(item, `${found.value.path}/${index}`);
    if (!call.ok) return call;
    if (call.value !== null) calls.push(call.value);
  }
  return ok(calls);
}
