import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { whatIsDone } from "../../../turns/turn-table.ts";
import type { ModelCall } from "./dialect.ts";
import { takeId } from "./conversation.ts";

/** A call as its pieces arrive. */
interface PartialCall {
  /** Its own, whatever the server gave it. */
  readonly id: string;
  readonly sentId: unknown;
  fields: JsonObject;
  /** In a custom tool the input is text; a foreign call has fields of its own. */
  readonly kind: "function" | "custom" | "foreign";
  name: string;
  readonly args: string[];
  readonly object: OpenObject;
  /** Which call of the caller's answer it is; null where it is not in it. */
  shownAs: number | null;
}

/** A piece of a call, taken apart. */
interface Piece {
  readonly id: unknown;
  readonly hasIndex: boolean;
  readonly place: number;
  readonly name: string;
  readonly text: string;
}

/** Gives a call its place in the caller's answer; null if it has none. */
export type NextShown = (call: Pick<ModelCall, "name" | "foreign">) => number | null;

/** The calls of one stream of Chat Completions, put together from their pieces. */
export class StreamedCalls {
  readonly #nextShown: NextShown;
  readonly #calls: PartialCall[] = [];
  readonly #places = new Map<number, PartialCall>();
  readonly #ids: Set<string>;

  /** @param ids those of earlier calls of the conversation */
  constructor(nextShown: NextShown, ids: ReadonlySet<string>) {
    this.#nextShown = nextShown;
    this.#ids = new Set(ids);
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Keep a piece of a call; as the caller is shown it, null where it is not. */
  take(sent: JsonObject, at: number): JsonObject | null {
    const { index, id, function: called, custom, ...fields } = sent;
    const {
      name,
      arguments: args,
      input = args,
      ...others
    } = isJsonObject(custom) ? custom : isJsonObject(called) ? called : {};
    const piece: Piece = {
      id,
      hasIndex: typeof index === "number",
      place: typeof index === "number" ? index : at,
      name: typeof name === "string" ? name : "",
      text: toText(input),
    };
    const known = this.#find(piece);
    const call = known ?? this.#begin(piece, sent, { ...fields, function: others });
    if (known?.kind === "foreign") known.fields = growField(known.fields, fields) as JsonObject;
    const isRest = known !== undefined && isRestOfName(known, piece);
    call.args.push(piece.text);
    call.object.take(piece.text);
    if (piece.name !== "" && (call.name === "" || isRest)) {
      call.name += piece.name;
      const isShown = call.shownAs !== null;
      call.shownAs ??= this.#nextShown(call);
      // All that came before its name, if there is anything.
      if (call.shownAs !== null && !isShown && known !== undefined)
        return { index: call.shownAs, ...toEntry(call) };
    }
    const { shownAs } = call;
    if (shownAs === null) return null;
    if (known === undefined)
      return shownAs === index && id === call.id ? sent : { ...sent, index: shownAs, id: call.id };
    if (shownAs === index && (id === undefined || id === call.id)) return sent;
    const { id: _, ...rest } = sent;
    return { ...rest, index: shownAs };
  }

  /** The calls as they stand in a message. */
  toEntries(): JsonObject[] {
    return this.#calls.map(toEntry);
  }

  /** Find the call that a piece belongs to; undefined where it begins one. */
  #find(piece: Piece): PartialCall | undefined {
    const here = this.#places.get(piece.place);
    if (here !== undefined) return isAnother(here, piece) ? undefined : here;
    // The index may shift from piece to piece: then its id tells the call, or that it says nothing of its own.
    const last = hasText(piece.id)
      ? this.#calls.findLast(({ sentId }) => sentId === piece.id)
      : this.#calls.at(-1);
    if (last === undefined) return undefined;
    return piece.name === "" || (piece.name === last.name && last.object.isOpen) ? last : undefined;
  }

  #begin({ id, place }: Piece, sent: JsonObject, fields: JsonObject): PartialCall {
    const { type } = sent;
    const hasName = isJsonObject(sent["function"]) || isJsonObject(sent["custom"]);
    const isForeign = !hasName && type !== undefined && whatIsDone("chat", type) === "handed over";
    const call: PartialCall = {
      id: takeId(id, this.#calls.length, this.#ids),
      sentId: id,
      fields,
      kind: isForeign ? "foreign" : isJsonObject(sent["custom"]) ? "custom" : "function",
      name: "",
      args: [],
      object: new OpenObject(),
      shownAs: isForeign ? this.#nextShown({ name: String(type), foreign: true }) : null,
    };
    this.#places.set(place, call);
    this.#calls.push(call);
    return call;
  }
}

/** Some servers send arguments whole, as an object; an empty one may only begin a call whose text follows. */
export function toText(input: unknown): string {
  if (typeof input === "string") return input;
  return isJsonObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
}

function hasText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * Whether a piece begins another call than the one under way at its place: some servers number no call, or all of them 0, and
 * send each whole, with ids or without. One id for each piece is what others do, but those name a call once; and others name it in
 * every piece.
 */
function isAnother(call: PartialCall, { id, name, text, hasIndex }: Piece): boolean {
  if (call.name === "" || name === "") return false;
  if (name === call.name) {
    if (hasText(id) && hasText(call.sentId) && id !== call.sentId) return true;
    return hasIndex || call.object.isOpen ? call.object.isWhole && text !== "" : true;
  }
  return !isRestOfName(call, { id, name, hasIndex });
}

/** A call that has an id and no arguments yet may go on with its name; without an id it would be another. */
function isRestOfName(
  call: PartialCall,
  { id, name, hasIndex }: Pick<Piece, "id" | "name" | "hasIndex">,
): boolean {
  const isSameCall = hasText(call.sentId) && (!hasText(id) || id === call.sentId);
  return hasIndex && isSameCall && name !== call.name && !call.object.isOpen && !call.object.isWhole;
}

function toEntry({ id, fields, kind, name, args }: PartialCall): JsonObject {
  const { function: others, ...rest } = fields;
  const text = args.join("");
  if (kind === "foreign") return { ...rest, id };
  if (kind === "custom") return { ...rest, id, type: "custom", custom: { name, input: text } };
  return { ...rest, id, type: "function", function: { ...(others as JsonObject), name, arguments: text } };
}

/** Tells of the text of an object, as its pieces arrive, whether it has begun and whether it is whole. */
class OpenObject {
  #depth = 0;
  #hasBegun = false;
  #inString = false;
  #isEscaped = false;

  take(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#inString) {
        if (character === "\\") this.#isEscaped = true;
        else if (character === '"') this.#inString = false;
      } else if (character === '"') this.#inString = true;
      else if (character === "{" || character === "[") {
        this.#depth += 1;
        this.#hasBegun = true;
      } else if (character === "}" || character === "]") this.#depth -= 1;
    }
  }

  /** Something of it is there, and something is missing. */
  get isOpen(): boolean {
    return this.#hasBegun && this.#depth > 0;
  }

  get isWhole(): boolean {
    return this.#hasBegun && this.#depth <= 0;
  }
}

/**
 * Put the pieces of a message's field together: text and lists grow, and other values are replaced by the last one. A growing
 * list is a copy made once: made for each piece, many small ones would cost their square.
 */
export function growField(sofar: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return sofar;
  if (typeof sofar === "string" && typeof value === "string") return sofar + value;
  if (Array.isArray(value)) {
    const list = Array.isArray(sofar) ? (sofar as unknown[]) : [];
    for (const one of value as unknown[]) growList(list, one);
    return list;
  }
  return isJsonObject(value) ? growObject(isJsonObject(sofar) ? sofar : null, value) : value;
}

/** Pieces of one entry follow each other under its index, as those of OpenRouter's `reasoning_details`. */
function growList(list: unknown[], one: unknown): void {
  const last = list.at(-1);
  if (!isJsonObject(one)) list.push(one);
  else if (!isJsonObject(last) || typeof one["index"] !== "number" || !isSameEntry(last, one))
    list.push(growObject(null, one));
  else growObject(last, one, ENTRY_TEXT);
}

function isSameEntry(last: JsonObject, one: JsonObject): boolean {
  return last["index"] === one["index"] && last["type"] === one["type"];
}

/** The fields of an entry that come in pieces; its other fields come whole, maybe again and again. */
const ENTRY_TEXT: ReadonlySet<string> = new Set(["text", "summary"]);

/** Without a prototype, so that every key is one. */
function growObject(sofar: JsonObject | null, value: JsonObject, texts?: ReadonlySet<string>): JsonObject {
  const own = (sofar ?? Object.create(null)) as Record<string, unknown>;
  for (const [key, field] of Object.entries(value)) {
    const before = own[key];
    if (texts?.has(key) === true && typeof before === "string" && typeof field === "string")
      own[key] = before + field;
    else if (field !== null || before === undefined) own[key] = field;
  }
  return own;
}
