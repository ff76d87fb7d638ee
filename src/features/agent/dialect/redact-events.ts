import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { MARK } from "../../../core/egress/redact.ts";
import { mapFields, mapSame, tokensIn } from "./clean-answer.ts";
import { type ModelEvent, readEvent } from "./dialect.ts";

/** Takes secrets out of the answers of a model's server. */
export interface ModelRedactor {
  /** Out of JSON text. */
  readonly json: (json: string) => string;
  /** Out of a text that comes in pieces: `held` is to be given again before the next of them. */
  readonly piece: (text: string, isLast: boolean) => { readonly clean: string; readonly held: string };
}

/** The fields of all providers whose text comes in pieces. */
const TEXTS: ReadonlySet<string> = new Set([
  "arguments",
  "content",
  "input",
  "partial_json",
  "reasoning",
  "reasoning_content",
  "refusal",
  "summary",
  "text",
  "thinking",
  "transcript",
]);

/** So many characters of a secret tell something. Fewer are the beginning of many words, and of every key of a provider. */
const TELLING = 6;

/** Text that may be the beginning of a secret, and the event that says it alone; null where its end says all of it again. */
interface HeldText {
  readonly text: string;
  readonly toEvent: Wrap | null;
}

type Wrap = (inner: unknown) => JsonObject;

/**
 * Takes secrets out of a model's stream, event by event. An event in which nothing has to be another is passed on as it came.
 *
 * - Text that may be the beginning of a secret is held back, for each text and each call by itself, until its next piece shows
 *   whether it is, or until the text ends.
 * - All else comes whole, an id or a name, and cannot be held. It is passed on at once, unless it goes on what the same field
 *   of earlier events began to tell. So a field that no provider has tells no secret piece by piece either.
 */
export class EventRedactor {
  readonly #redactor: ModelRedactor;
  /** By field, and by the call or block that it is a field of. */
  readonly #held = new Map<string, HeldText>();
  /** The ends of all other fields that were passed on, as far as they may be the beginning of a secret. */
  readonly #passed = new Map<string, string>();
  /** The ids of calls, by their place. */
  readonly #calls = new Map<string, string>();

  constructor(redactor: ModelRedactor) {
    this.#redactor = redactor;
  }

  /** Take one event; what is passed on in its place. */
  take(event: ModelEvent): readonly ModelEvent[] {
    const { raw, data, name } = event;
    const isPlain = data !== null && raw === write(data, name).raw;
    const aside = isPlain ? "" : asideOf(event);
    const isAsideClean = aside === "" || this.#takeWhole(aside, ":") === aside;
    if (data === null) return isAsideClean ? [event] : [];
    const value = readEvent(event);
    if (value === null) return [...this.end(), event];
    const before: ModelEvent[] = [];
    const said = this.#takeEvent(value, before);
    const own = name === "" || this.#takeWhole(name, "event:") === name ? name : "";
    if (said === value && own === name && isAsideClean && !this.#says(raw))
      return [...before, { name, data, raw, value }];
    return [...before, write(this.#redactor.json(JSON.stringify(said)), own)];
  }

  /** The held events, when nothing more comes. */
  end(): readonly ModelEvent[] {
    return this.#release("");
  }

  #says(text: string): boolean {
    return this.#redactor.piece(text, true).clean !== text;
  }

  /** Let out what is held at a place, and below it. */
  #release(place: string): readonly ModelEvent[] {
    const released: ModelEvent[] = [];
    for (const [key, { text, toEvent }] of this.#held) {
      if (!key.startsWith(place)) continue;
      this.#held.delete(key);
      if (toEvent === null) continue;
      const said = toEvent(this.#redactor.piece(text, true).clean);
      released.push(write(JSON.stringify(said), typeof said["type"] === "string" ? said["type"] : ""));
    }
    return released;
  }

  /** @param before takes the events that come before it */
  #takeEvent(event: JsonObject, before: ModelEvent[]): JsonObject {
    const isLast = endsTexts(event);
    const said = Array.isArray(event["choices"])
      ? this.#takeChunk(event, { isLast, before })
      : "output_index" in event
        ? this.#takeItem(event, before)
        : this.#takeBlock(event, { isLast, before });
    if (isLast) before.push(...this.end());
    return said;
  }

  /** An event of Chat Completions. */
  #takeChunk(event: JsonObject, pieces: Pieces): JsonObject {
    const { id, object, created, model } = event;
    const takeChoice = (choice: unknown, at: number): unknown => {
      if (!isJsonObject(choice)) return choice;
      const own = choice["index"] ?? at;
      const wrap: Wrap = (inner) => ({
        id,
        object,
        created,
        model,
        choices: [{ index: own, delta: inner, finish_reason: null }],
      });
      return mapFields(choice, (field, key) =>
        key === "delta"
          ? this.#take(field, `${String(own)}/`, { ...pieces, wrap })
          : this.#takeField(field, key, `choice ${String(own)}/`),
      );
    };
    return mapFields(event, (field, key) =>
      key === "choices"
        ? mapSame(field as readonly unknown[], takeChoice)
        : this.#takeField(field, key, "chunk/"),
    );
  }

  /** An event of Messages. */
  #takeBlock(event: JsonObject, pieces: Pieces): JsonObject {
    const { type, index } = event;
    const place = `${String(index)}/`;
    return mapFields(event, (field, key) => {
      if (key === "delta")
        return this.#take(field, place, { ...pieces, wrap: (inner) => ({ type, index, delta: inner }) });
      if (key !== "content_block" || !isJsonObject(field)) return this.#takeField(field, key, "event/");
      return mapFields(field, (text, name) => {
        if (typeof text !== "string" || (name !== "text" && name !== "thinking"))
          return this.#takeField(text, name, `block ${place}`);
        // The text of a block may begin with it, and goes on in its pieces.
        const wrap: Wrap = (inner) => ({
          type: "content_block_delta",
          index,
          delta: { type: `${name}_delta`, [name]: inner },
        });
        return this.#takePiece(text, `${place}${name}`, { ...pieces, wrap });
      });
    });
  }

  /** An event of Responses about an item. */
  #takeItem(event: JsonObject, before: ModelEvent[]): JsonObject {
    const { type, delta, output_index: index, content_index: part = event["summary_index"] } = event;
    const place = `${String(index)}/`;
    const inPart = `${place}${String(part)}/`;
    const isBeginning = typeof type === "string" && type.endsWith(".added");
    if (typeof delta !== "string" && !isBeginning) before.push(...this.#release(place));
    return mapFields(event, (field, key) => {
      if (key === "delta" && typeof delta === "string") {
        const wrap: Wrap = (inner) => ({ ...event, logprobs: [], delta: inner });
        return this.#takePiece(delta, inPart, { isLast: false, wrap });
      }
      return isBeginning && isJsonObject(field)
        ? this.#takeBegun(field, place, inPart)
        : this.#takeField(field, key, `item ${place}`);
    });
  }

  /** Take an item or a part that begins: what its text may be the beginning of is told with the next piece. */
  #takeBegun(begun: JsonObject, place: string, inPart: string): JsonObject {
    return mapFields(begun, (field, key) => {
      if (typeof field === "string" && TEXTS.has(key))
        return this.#takePiece(field, inPart, { isLast: false, wrap: null });
      if (!Array.isArray(field) || !TEXTS.has(key)) return this.#takeField(field, key, `item ${place}`);
      return mapSame(field as readonly unknown[], (one, at) =>
        isJsonObject(one) ? this.#takeBegun(one, place, `${place}${at}/`) : one,
      );
    });
  }

  /** Take a value in which some texts come in pieces. */
  #take(value: unknown, place: string, pieces: Wrapped): unknown {
    const { wrap, before } = pieces;
    if (Array.isArray(value)) {
      return mapSame(value as readonly unknown[], (one, at) => {
        if (!isJsonObject(one)) return this.#takeAll(one, `${place}/`);
        const own = typeof one["index"] === "number" ? one["index"] : at;
        const below = `${place}/${own}/`;
        if (this.#beginsCall(one, below)) before.push(...this.#release(below));
        const inside: Wrap = (inner) => wrap([{ index: own, ...(inner as JsonObject) }]);
        return this.#take(one, below, { ...pieces, wrap: inside });
      });
    }
    if (!isJsonObject(value)) return this.#takeAll(value, place);
    const { type } = value;
    return mapFields(value, (field, key) => {
      const at = `${place}${key}`;
      if (typeof field === "string" && !TEXTS.has(key)) return this.#takeWhole(field, at);
      if (typeof field !== "string" && (typeof field !== "object" || field === null)) return field;
      const inside: Wrap = (inner) => wrap({ ...(type !== undefined && { type }), [key]: inner });
      return typeof field === "string"
        ? this.#takePiece(field, at, { ...pieces, wrap: inside })
        : this.#take(field, at, { ...pieces, wrap: inside });
    });
  }

  #takePiece(
    text: string,
    place: string,
    { isLast, wrap }: { readonly isLast: boolean; readonly wrap: Wrap | null },
  ): string {
    const before = this.#held.get(place)?.text ?? "";
    this.#held.delete(place);
    const { clean, held } = this.#redactor.piece(before + text, isLast);
    if (held === "") return clean;
    if (this.#held.size >= LIMITS.modelCalls) return clean + MARK;
    this.#held.set(place, { text: held, toEvent: wrap });
    return clean;
  }

  /** Whether another call begins at a place. Servers that number no calls send each whole, and name it. */
  #beginsCall({ id, index, function: called, custom = called }: JsonObject, place: string): boolean {
    if (!isJsonObject(custom) || typeof custom["name"] !== "string" || custom["name"] === "") return false;
    if (typeof id !== "string" || id === "") return typeof index !== "number";
    if (this.#calls.get(place) === id) return false;
    if (this.#calls.size < LIMITS.modelCalls) this.#calls.set(place, id);
    return true;
  }

  #takeField(field: unknown, key: string, place: string): unknown {
    if (key === "logprobs") {
      const tokens = tokensIn(field);
      return this.#takeWhole(tokens, `${place}${key}`) === tokens ? field : null;
    }
    return this.#takeAll(field, `${place}${key}`);
  }

  /** Take a value all of whose texts come whole. */
  #takeAll(value: unknown, place: string): unknown {
    if (typeof value === "string") return this.#takeWhole(value, place);
    if (Array.isArray(value))
      return mapSame(value as readonly unknown[], (one, at) =>
        this.#takeAll(one, typeof one === "string" ? `${place}/` : `${place}/${at}/`),
      );
    return isJsonObject(value) ? mapFields(value, (field, key) => this.#takeField(field, key, place)) : value;
  }

  #takeWhole(text: string, place: string): string {
    const before = this.#passed.size === 0 ? "" : (this.#passed.get(place) ?? "");
    const { clean, held } = this.#redactor.piece(before + text, false);
    const isFull = before === "" && this.#passed.size >= LIMITS.modelCalls;
    if (held !== "" && !isFull) this.#passed.set(place, held);
    else if (before !== "") this.#passed.delete(place);
    const isTelling = held.length >= TELLING || (held !== "" && isFull);
    if (before === "") return clean + (isTelling ? MARK : held);
    return isTelling || clean + held !== before + text ? MARK : text;
  }
}

interface Pieces {
  /** No more of any text comes. */
  readonly isLast: boolean;
  /** Takes the events that come before the one under way. */
  readonly before: ModelEvent[];
}

interface Wrapped extends Pieces {
  /** Makes an event of a text alone. */
  readonly wrap: Wrap;
}

const LAST = /^(?:content_block_stop|message_delta|message_stop|response\.(?:completed|incomplete|failed))$/;

/** Whether texts end with this event: a block, a message, a choice or a response does. */
function endsTexts({ type, choices }: JsonObject): boolean {
  if (typeof type === "string" && LAST.test(type)) return true;
  return (
    Array.isArray(choices) &&
    (choices as readonly unknown[]).some(
      (choice) => isJsonObject(choice) && typeof choice["finish_reason"] === "string",
    )
  );
}

/** The lines of an event besides its data and its name, without the names of their fields: comments, ids, whatever there is. */
function asideOf({ raw, name }: ModelEvent): string {
  const isAside = (line: string): boolean => !/^data(?::|$)/.test(line) && line !== `event: ${name}`;
  const lines = raw.split(/[\r\n]+/).filter(isAside);
  return lines.map((line) => line.replace(/^\w*: ?/, "")).join("");
}

function write(json: string, name: string): ModelEvent {
  return { name, data: json, raw: `${name === "" ? "" : `event: ${name}\n`}data: ${json}\n\n` };
}
