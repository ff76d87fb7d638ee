import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { takeId } from "../../agent/dialect/conversation.ts";
import { weighText } from "../../agent/dialect/dialect.ts";
import { callsIn, idOf, type Item, namedCallsIn } from "./responses-items.ts";

/** The items of one stream of Responses, as its events tell of them. */
export class StreamedItems {
  readonly #items = new Map<unknown, Item>();
  /** The arguments of calls whose end was not told yet, in their pieces. */
  readonly #pieces = new Map<unknown, string[]>();
  /** The ids that calls have by the places of their items. */
  readonly #ids = new Map<unknown, string>();
  readonly #taken: Set<string>;
  #calls = 0;

  /** @param earlier the ids of earlier calls of the conversation */
  constructor(earlier: ReadonlySet<string> = new Set()) {
    this.#taken = new Set(earlier);
  }

  /** Keep what an event tells of an item; its weight. */
  take({ type, output_index: index, item, delta, arguments: whole }: JsonObject): number {
    switch (type) {
      case "response.output_item.added":
      case "response.output_item.done":
        if (!isJsonObject(item)) return 0;
        this.#items.set(index, item);
        if (type === "response.output_item.done") this.#pieces.delete(index);
        return weighText(item);
      case "response.function_call_arguments.delta":
        if (typeof delta !== "string") return 0;
        this.#piecesOf(index).push(delta);
        return delta.length;
      case "response.function_call_arguments.done":
        if (typeof whole !== "string") return 0;
        this.#pieces.set(index, [whole]);
        return whole.length;
      default:
        return 0;
    }
  }

  /** The item at a place, under an id that no other call of the conversation has. */
  withId(index: unknown, item: Item): Item {
    if (namedCallsIn([item]).length === 0) return item;
    const id = this.#ids.get(index) ?? takeId(item["call_id"], this.#calls++, this.#taken);
    this.#ids.set(index, id);
    return item["call_id"] === id ? item : { ...item, call_id: id };
  }

  /**
   * The items of an answer: those that the last event has, and the calls of the stream that it left out. A call that has another id
   * there is known by what it says, and keeps the id that the caller was told.
   */
  join(last: readonly Item[]): readonly Item[] {
    const streamed = [...this.#items].map(([index, item]) => this.#whole(index, item));
    if (last.length === 0) return streamed;
    const joined = [...last];
    const open = new Set(joined.keys());
    const takeLike = (isLike: (item: Item) => boolean): number | undefined => {
      const at = [...open].find((one) => isLike(joined[one]!));
      if (at !== undefined) open.delete(at);
      return at;
    };
    const calls = callsIn(streamed);
    const rest = calls.filter((call) => takeLike((item) => isSameId(item, call)) === undefined);
    for (const call of rest) {
      const at = takeLike((item) => isSameCall(item, call));
      if (at === undefined) joined.push(call);
      else joined[at] = call;
    }
    return joined;
  }

  #piecesOf(index: unknown): string[] {
    const pieces = this.#pieces.get(index) ?? [];
    this.#pieces.set(index, pieces);
    return pieces;
  }

  #whole(index: unknown, item: Item): Item {
    const pieces = this.#pieces.get(index);
    return pieces === undefined || item["type"] !== "function_call"
      ? item
      : { ...item, arguments: pieces.join("") };
  }
}

function isSameId(item: Item, call: Item): boolean {
  const id = idOf(call);
  return item["type"] === call["type"] && id !== undefined && id !== "" && idOf(item) === id;
}

function isSameCall(item: Item, call: Item): boolean {
  return ["type", "name", "arguments", "input", "action"].every(
    (field) => JSON.stringify(item[field]) === JSON.stringify(call[field]),
  );
}
