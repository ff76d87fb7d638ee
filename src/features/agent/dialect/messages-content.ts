import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { ok } from "../../../core/kit/result.ts";
import { isCalled, legalName, whatIsDone } from "../../../turns/turn-table.ts";
import type { ModelCall, ModelTurn, Reading } from "./dialect.ts";
import { makeUnique, textOf } from "./conversation.ts";
import { readArguments } from "./repair-arguments.ts";

/** A block of a message's content. */
export type Block = JsonObject;

/**
 * Read a model's content, and make of it what goes back into the conversation, with names and ids that the API takes. Blocks of
 * thinking go back as they came: they are signed.
 */
export function toTurn(
  content: readonly Block[],
  response: JsonObject,
  { isTheirs, ids: earlier }: Reading,
): ModelTurn {
  const uses = usesIn(content);
  const unique = makeUnique(
    uses.map(({ id }) => toLegalId(id)),
    earlier,
  );
  const ids = new Map(unique.map((id, at) => [uses[at]!, id]));
  const calls: ModelCall[] = [];
  const blocks = content.flatMap((block): Block[] => {
    const id = ids.get(block);
    if (id === undefined) return isBlank(block) ? [] : [withoutNulls(block)];
    if (!isCalled("messages", block["type"])) {
      calls.push(toForeign(block));
      return [withoutNulls(block)];
    }
    const name = typeof block["name"] === "string" ? block["name"] : "";
    const own = { id, name, ...readArguments(name, block["input"]) };
    calls.push(own);
    const legal = isTheirs(own) ? name : legalName(name);
    return [{ ...withoutNulls(block), id, name: legal, input: own.args.ok ? own.args.value : {} }];
  });
  return {
    calls,
    text: textOf(content),
    message: { role: "assistant", content: blocks },
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
    ...(whatIsDone("messages", response["stop_reason"]) === "asked again" && { paused: true }),
  };
}

/** The blocks of a content that call a tool, or wait for another answer than ours. */
export function usesIn(content: readonly Block[]): readonly Block[] {
  return content.filter(({ type, id }) => {
    const done = whatIsDone("messages", type);
    return done === "runs" || (done === "handed over" && !isAnswered(id, content));
  });
}

/** Leave out the provider's own calls that it has not answered: what a person says next would not be taken behind them. */
export function endPause(content: readonly Block[]): readonly Block[] {
  return content.filter(
    ({ type, id }) =>
      !(typeof type === "string" && type.endsWith("_use") && type !== "tool_use") || isAnswered(id, content),
  );
}

function isAnswered(id: unknown, content: readonly Block[]): boolean {
  return content.some(({ tool_use_id }) => tool_use_id !== undefined && tool_use_id === id);
}

function toForeign(block: Block): ModelCall {
  const { id, type } = block;
  return { id: String(id), name: String(type), args: ok({}), closed: false, written: "{}", foreign: true };
}

/** An id as the API takes one: letters, digits, `_` and `-`. */
export function toLegalId(id: unknown): unknown {
  return typeof id === "string" ? id.replaceAll(/[^A-Za-z0-9_-]/g, "_") : id;
}

/** The API refuses a text of nothing, and of nothing but space, which its models write all the same. */
function isBlank({ type, text }: Block): boolean {
  return type === "text" && typeof text === "string" && text.trim() === "";
}

function withoutNulls(block: Block): Block {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
}

/** A call that a model wrote as text, as it would stand in a message. */
export function toUse({ id, name, args }: ModelCall): Block {
  return { type: "tool_use", id, name, input: args.ok ? args.value : {} };
}
