import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import type { ServerSentEvent } from "../../../core/kit/event-splitter.ts";

/** Takes secrets out of the answers of a model's server. */
export interface ModelRedactor {
  /** Out of JSON text. */
  readonly json: (json: string) => string;
  /** Out of a text that comes in pieces: `held` is to be given again before the next of them. */
  readonly piece: (text: string, isLast: boolean) => { readonly clean: string; readonly held: string };
}

/** The fields of both providers whose text comes in pieces. */
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

/** Text that may be the beginning of a secret, and the event that says it alone. */
interface HeldText {
  readonly text: string;
  readonly toEvent: (text: string) => JsonObject;
}

type Wrap = (inner: unknown) => JsonObject;

/**
 * Takes secrets out of a model's stream, event by event. Text that may be the beginning of one is held back, for each text and
 * each call by itself, until its next piece shows whether it is, or until the text ends. An event in which nothing has to be
 * another is passed on as it came.
 */
export class EventRedactor {
  readonly #redactor: ModelRedactor;
  /** By field, and by the call or block that it is a field of. */
  readonly #held = new Map<string, HeldText>();

  constructor(redactor: ModelRedactor) {
    this.#redactor = redactor;
  }

  /** Take one event; what is passed on in its place. */
  take(event: ServerSentEvent): readonly ServerSentEvent[] {
    const { raw, data, name } = event;
    if (data === null) return this.#says(raw) ? [] : [event];
    const parsed = attemptNow(() => parseExact(data));
    if (!parsed.ok || !isJsonObject(parsed.value)) return [...this.end(), event];
    const isLast = endsTexts(parsed.value);
    const before: ServerSentEvent[] = [];
    const pieces = this.#takePieces(parsed.value, isLast, before);
    if (isLast) before.push(...this.end());
    if (pieces === parsed.value && !this.#says(raw)) return [...before, event];
    const json = this.#redactor.json(JSON.stringify(pieces));
    return [...before, write(json, this.#says(name) ? "" : name)];
  }

  /** The held events, when nothing more comes. */
  end(): readonly ServerSentEvent[] {
    return this.#release("");
  }

  #says(text: string): boolean {
    return this.#redactor.piece(text, true).clean !== text;
  }

  /** Let out what is held at a place, and below it. */
  #release(place: string): readonly ServerSentEvent[] {
    const released: ServerSentEvent[] = [];
    for (const [key, { text, toEvent }] of this.#held) {
      if (!key.startsWith(place)) continue;
      this.#held.delete(key);
      const said = toEvent(this.#redactor.piece(text, true).clean);
      released.push(write(JSON.stringify(said), typeof said["type"] === "string" ? said["type"] : ""));
    }
    return released;
  }

  #takePieces(event: JsonObject, isLast: boolean, before: ServerSentEvent[]): JsonObject {
    const redact = (value: unknown, place: string, wrap: Wrap): unknown => {
      if (Array.isArray(value)) {
        return mapSame(value as readonly unknown[], (one, at) => {
          const own = isJsonObject(one) && typeof one["index"] === "number" ? one["index"] : at;
          const below = `${place}/${own}/`;
          if (isJsonObject(one) && beginsCall(one)) before.push(...this.#release(below));
          return redact(one, below, (inner) => wrap([{ index: own, ...(inner as JsonObject) }]));
        });
      }
      if (!isJsonObject(value)) return value;
      const { type } = value;
      return mapFields(value, (field, key) => {
        const inside: Wrap = (inner) => wrap({ ...(type !== undefined && { type }), [key]: inner });
        return typeof field === "string" && TEXTS.has(key)
          ? this.#takePiece(field, `${place}${key}`, { isLast, wrap: inside })
          : redact(field, `${place}${key}`, inside);
      });
    };
    const { type, index, delta, choices } = event;
    if (isJsonObject(delta)) {
      const wrap: Wrap = (inner) => ({ type, index, delta: inner });
      const taken = redact(delta, `${String(index)}/`, wrap) as JsonObject;
      return taken === delta ? event : { ...event, delta: taken };
    }
    if (!Array.isArray(choices)) return event;
    const head = {
      id: event["id"],
      object: event["object"],
      created: event["created"],
      model: event["model"],
    };
    const taken = mapSame(choices as readonly unknown[], (choice, at) => {
      if (!isJsonObject(choice) || !isJsonObject(choice["delta"])) return choice;
      const own = choice["index"] ?? at;
      const wrap: Wrap = (inner) => ({
        ...head,
        choices: [{ index: own, delta: inner, finish_reason: null }],
      });
      const said = redact(choice["delta"], `${String(own)}/`, wrap);
      return said === choice["delta"] ? choice : { ...choice, delta: said };
    });
    return taken === choices ? event : { ...event, choices: taken };
  }

  #takePiece(
    text: string,
    place: string,
    { isLast, wrap }: { readonly isLast: boolean; readonly wrap: Wrap },
  ): string {
    const before = this.#held.get(place)?.text ?? "";
    this.#held.delete(place);
    const { clean, held } = this.#redactor.piece(before + text, isLast);
    if (held !== "") this.#held.set(place, { text: held, toEvent: wrap });
    return clean;
  }
}

/** Whether texts end with this event: a block, a message or a choice does. */
function endsTexts({ type, choices }: JsonObject): boolean {
  if (type === "content_block_stop" || type === "message_delta" || type === "message_stop") return true;
  return (
    Array.isArray(choices) &&
    (choices as readonly unknown[]).some(
      (choice) => isJsonObject(choice) && typeof choice["finish_reason"] === "string",
    )
  );
}

/** Servers that number no calls send each whole, and name it. */
function beginsCall({ function: called, custom = called }: JsonObject): boolean {
  return isJsonObject(custom) && typeof custom["name"] === "string" && custom["name"] !== "";
}

function write(json: string, name: string): ServerSentEvent {
  return { name, data: json, raw: `${name === "" ? "" : `event: ${name}\n`}data: ${json}\n\n` };
}

/** The list itself where nothing of it becomes another. */
function mapSame(list: readonly unknown[], map: (one: unknown, at: number) => unknown): readonly unknown[] {
  const mapped = list.map(map);
  return mapped.every((one, at) => one === list[at]) ? list : mapped;
}

function mapFields(value: JsonObject, map: (field: unknown, key: string) => unknown): JsonObject {
  const entries = Object.entries(value);
  const mapped = entries.map(([key, field]) => [key, map(field, key)] as const);
  return mapped.every(([, field], at) => field === entries[at]![1]) ? value : Object.fromEntries(mapped);
}
