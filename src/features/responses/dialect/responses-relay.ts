import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import {
  type Ending,
  type IsTheirs,
  joinWords,
  type ModelCall,
  type ModelEvent,
  type ModelTurn,
  readEvent,
  type Relay,
  type RelayMode,
  type StreamFault,
  withReport,
} from "../../agent/dialect/dialect.ts";
import { toChatError } from "../../agent/dialect/provider-error.ts";
import {
  beginText,
  endText,
  type Item,
  namedCallsIn,
  StreamedItems,
  toCallEvents,
  toCallItem,
  toTextItem,
  toTextPiece,
  toTurn,
} from "./responses-items.ts";

/** The last event of a stream. */
interface Last {
  readonly type: string;
  readonly response: JsonObject;
}

const LAST = new Set(["response.completed", "response.incomplete"]);
const FIRST = new Set(["response.created", "response.queued", "response.in_progress"]);

/**
 * Passes streams of Responses on as one response: one id, one beginning, items and events numbered in a row, and one end, which is held
 * back until it is known that the answer ends with it. An item that the last event of a stream does not repeat is taken from the
 * stream itself.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesRelay implements Relay {
  readonly #isTheirs: IsTheirs;
  /** The first response that was begun: all of the answer has its id. */
  #begun: JsonObject | null = null;
  #sequence = 0;
  /** The items that the caller was told of, in their order. */
  readonly #shown: Item[] = [];
  #shownWeight = 0;

  #mode: RelayMode = "open";
  /** Where items of the stream under way stand in the answer; null for those that are not in it. */
  #places = new Map<unknown, number | null>();
  #items = new StreamedItems();
  #earlier: ReadonlySet<string> = new Set();
  #hasStarted = false;
  #last: Last | null = null;
  #kept = 0;

  constructor(isTheirs: IsTheirs) {
    this.#isTheirs = isTheirs;
  }

  begin(mode: RelayMode, ids: ReadonlySet<string> = new Set()): void {
    this.#mode = mode;
    this.#places = new Map();
    this.#items = new StreamedItems(ids);
    this.#earlier = ids;
    this.#hasStarted = false;
    this.#last = null;
    this.#kept = 0;
  }

  get kept(): number {
    return this.#kept + this.#shownWeight;
  }

  get isOver(): boolean {
    return this.#last !== null;
  }

  take(said: ModelEvent): Result<string, StreamFault> {
    const { raw, data } = said;
    if (this.#last !== null) return ok("");
    if (data === null) return ok(this.#mode === "silent" ? "" : raw);
    if (data.trim() === "[DONE]") return ok("");
    const event = readEvent(said);
    if (event === null) return err("unreadable");
    const type = String(event["type"]);
    if (type === "error" || type === "response.failed") return err("error");
    if (LAST.has(type)) {
      if (!isJsonObject(event["response"])) return err("unreadable");
      this.#last = { type, response: event["response"] };
      this.#kept += data.length;
      return ok("");
    }
    if (FIRST.has(type)) return ok(this.#begin(raw, event));
    if (!("output_index" in event)) return ok(this.#mode === "silent" ? "" : this.#pass(raw, event));
    if (this.#places.size > LIMITS.modelCalls) return err("too large");
    this.#kept += this.#items.take(event);
    return ok(this.#takeItem(raw, event));
  }

  turn(): ModelTurn | null {
    if (this.#last === null) return null;
    const { response } = this.#last;
    const said = Array.isArray(response["output"])
      ? (response["output"] as readonly unknown[]).filter(isJsonObject)
      : [];
    const output = this.#items.join(said);
    return toTurn(output, { ...response, output }, { isTheirs: this.#isTheirs, ids: this.#earlier });
  }

  proceed(): string {
    return "";
  }

  /** The event has a name of ours, and a type at which the official client's helper does nothing: it refuses types that it does not know. */
  result(json: string): string {
    const begun = this.#begun === null ? this.#beginUnheard() : "";
    return begun + this.#write({ type: "keepalive" }, `,"result":${json}`, "volley.result");
  }

  end(ending: Ending): string {
    const isSilent = this.#mode === "silent";
    const turn = this.turn();
    const said = isSilent ? (ending.text ?? turn?.text ?? "") : "";
    const words = joinWords(said, ending.words);
    return [
      this.#begun === null ? this.#beginUnheard() : "",
      words === "" ? "" : this.#writeText(words),
      ...(isSilent ? ending.calls.map((call) => this.#writeItem(toCallItem(call))) : []),
      this.#writeLast(ending),
    ].join("");
  }

  fail(refusal: Refusal, report: string | null = null): string {
    const { error } = toChatError(refusal);
    const { code, message, param } = error;
    const more = report === null ? "" : `,"volley":${report}`;
    const inside = `,"error":${JSON.stringify(error).slice(0, -1)}${more}}${more}`;
    return this.#write({ type: "error", code, message, param }, inside);
  }

  /** Only the first stream's beginning is the answer's. */
  #begin(raw: string, event: JsonObject): string {
    if (this.#begun !== null && !this.#hasStarted) return "";
    if (!isJsonObject(event["response"])) return "";
    if (this.#mode === "silent") return "";
    this.#begun ??= event["response"];
    this.#hasStarted = true;
    return this.#pass(raw, event);
  }

  #takeItem(raw: string, event: JsonObject): string {
    const { type, output_index: index } = event;
    const item = isJsonObject(event["item"]) ? event["item"] : null;
    if (type === "response.output_item.added" && item !== null) this.#place(index, item);
    const place = this.#places.get(index) ?? null;
    if (place === null) return "";
    const named = item === null ? null : this.#items.withId(index, item);
    if (type === "response.output_item.done" && named !== null) {
      this.#shown[place] = named;
      this.#shownWeight += raw.length;
    }
    return place === index && named === item
      ? this.#pass(raw, event)
      : this.#renumber(
          { ...event, output_index: place, ...(named !== null && { item: named }) },
          this.#sequence++,
        );
  }

  #place(index: unknown, item: Item): void {
    const isCall = namedCallsIn([item]).length > 0;
    const isShown = !isCall || (this.#mode === "open" && this.#isTheirs(toHead(item)));
    const place = isShown && this.#mode !== "silent" ? this.#shown.length : null;
    this.#places.set(index, place);
    if (place !== null) this.#shown.push(this.#items.withId(index, item));
  }

  /** Pass an event on: as it came, where its number is the next one. */
  #pass(raw: string, event: JsonObject): string {
    const number = this.#sequence++;
    return event["sequence_number"] === number ? raw : this.#renumber(event, number);
  }

  #renumber(event: JsonObject, number: number): string {
    return toEvent(JSON.stringify({ ...event, sequence_number: number }), String(event["type"]));
  }

  #write(event: JsonObject & { readonly type: string }, more = "", name = event.type): string {
    const json = JSON.stringify({ ...event, sequence_number: this.#sequence++ });
    return toEvent(`${json.slice(0, -1)}${more}}`, name);
  }

  #beginUnheard(): string {
    const response = { ...this.#last?.response, status: "in_progress", output: [], usage: null };
    this.#begun = response;
    return this.#write({ type: "response.created", response });
  }

  #writeText(text: string): string {
    const place = this.#shown.length;
    const item = toTextItem(`msg_${String(this.#begun?.["id"])}_${place}`, text);
    this.#shown.push(item);
    const events = [...beginText(item, place), toTextPiece(item["id"], text, place), ...endText(item, place)];
    return events.map((event) => this.#write(event)).join("");
  }

  #writeItem(item: Item): string {
    const events = toCallEvents(item, this.#shown.length);
    this.#shown.push(item);
    return events.map((event) => this.#write(event)).join("");
  }

  #writeLast({ usage, report, text, words }: Ending): string {
    const last: Last = this.#last ?? { type: "response.completed", response: {} };
    const isOwn = text !== undefined || words !== undefined;
    const { id, created_at } = this.#begun ?? last.response;
    const response = {
      ...last.response,
      id,
      created_at,
      ...(isOwn && { status: "completed", incomplete_details: null }),
      output: this.#shown,
      ...(usage !== null && { usage }),
      store: false,
    };
    const type = isOwn ? "response.completed" : last.type;
    // Official clients hand the response of the last event to their callers, with all its fields.
    return this.#write({ type }, `,"response":${withReport(response, report)}`);
  }
}

function toHead({ name, namespace }: Item): Pick<ModelCall, "name" | "space"> {
  return { name: String(name), ...(typeof namespace === "string" && { space: namespace }) };
}

function toEvent(json: string, name: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
