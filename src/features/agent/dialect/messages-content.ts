import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import type { ModelCall, ModelTurn } from "./dialect.ts";
import { makeUnique, textOf } from "./read-conversation.ts";
import { repairArguments } from "./repair-arguments.ts";

/** A block of a message's content. */
export type Block = JsonObject;

/**
 * Read a model's content, and make of it what goes back into the conversation. Blocks of thinking go back as they came: they
 * are signed.
 */
export function toTurn(content: readonly Block[], response: JsonObject): ModelTurn {
  const uses = content.filter(({ type }) => type === "tool_use");
  const ids = new Map(makeUnique(uses.map(({ id }) => id)).map((id, at) => [uses[at]!, id]));
  const calls: ModelCall[] = [];
  const blocks = content.flatMap((block): Block[] => {
    const id = ids.get(block);
    if (id === undefined) return isBlank(block) ? [] : [withoutNulls(block)];
    const repaired = repairArguments(block["input"]);
    const { args } = repaired;
    const name = String(block["name"]);
    calls.push({ id, name, ...repaired });
    return [{ ...withoutNulls(block), id, name, input: args.ok ? args.value : {} }];
  });
  return {
    calls,
    text: textOf(content),
    message: { role: "assistant", content: blocks },
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
  };
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
