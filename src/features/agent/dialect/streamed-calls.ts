import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { takeId } from "./read-conversation.ts";

/** A call as its pieces arrive. */
interface PartialCall {
  /** Its own, whatever the server gave it. */
  readonly id: string;
  readonly sentId: unknown;
  readonly fields: JsonObject;
  /** True of a custom tool, whose input is text. */
  readonly isCustom: boolean;
  name: string;
  readonly args: string[];
  /** Which call of the caller's answer it is; null where it is not in it. */
  shownAs: number | null;
}

/** The calls of one stream of Chat Completions, put together from their pieces. */
export class StreamedCalls {
  readonly #nextShown: (name: string) => number | null;
  readonly #calls: PartialCall[] = [];
  readonly #places = new Map<number, PartialCall>();
  readonly #ids = new Set<string>();

  /** @param nextShown gives a call of this name its place in the caller's answer; null where it has none */
  constructor(nextShown: (name: string) => number | null) {
    this.#nextShown = nextShown;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Keep a piece of a call; as the caller is shown it, null where it is not. */
  take(piece: JsonObject, at: number): JsonObject | null {
    const { index, id, function: called, custom, ...fields } = piece;
    const place = typeof index === "number" ? index : at;
    const sent = isJsonObject(custom) ? custom : isJsonObject(called) ? called : {};
    const { name, arguments: args, input = args, ...others } = sent;
    let call = this.#places.get(place);
    const begins = call === undefined || isAnother(call, piece, name);
    if (call === undefined || begins) {
      call = {
        id: takeId(id, this.#calls.length, this.#ids),
        sentId: id,
        fields: { ...fields, function: others },
        isCustom: isJsonObject(custom),
        name: "",
        args: [],
        shownAs: null,
      };
      this.#places.set(place, call);
      this.#calls.push(call);
    }
    if (typeof input === "string") call.args.push(input);
    // Some servers send arguments whole, as an object; an empty one may only begin a call whose text follows.
    else if (isJsonObject(input) && Object.keys(input).length > 0) call.args.push(JSON.stringify(input));
    if (typeof name === "string" && call.name === "") {
      call.name = name;
      call.shownAs = this.#nextShown(name);
      // All that came before its name, if there is anything.
      if (call.shownAs !== null && !begins) return { index: call.shownAs, ...toEntry(call) };
    }
    const { shownAs } = call;
    if (shownAs === null) return null;
    if (begins)
      return shownAs === index && id === call.id ? piece : { ...piece, index: shownAs, id: call.id };
    if (shownAs === index && (id === undefined || id === call.id)) return piece;
    const { id: _, ...rest } = piece;
    return { ...rest, index: shownAs };
  }

  /** The calls as they stand in a message. */
  toEntries(): JsonObject[] {
    return this.#calls.map(toEntry);
  }
}

/**
 * Whether a piece begins another call than the one under way at its place: some servers number no call, or all of them 0, and
 * send each whole. One id for each piece is what others do, but those name a call once.
 */
function isAnother({ name, sentId }: PartialCall, { index, id }: JsonObject, next: unknown): boolean {
  if (name === "" || typeof next !== "string" || next === "") return false;
  return typeof id === "string" && id !== "" ? id !== sentId : typeof index !== "number";
}

function toEntry({ id, fields, isCustom, name, args }: PartialCall): JsonObject {
  const { function: others, ...rest } = fields;
  const text = args.join("");
  if (isCustom) return { ...rest, id, type: "custom", custom: { name, input: text } };
  return { ...rest, id, type: "function", function: { ...(others as JsonObject), name, arguments: text } };
}
