import { findJsonSlip, toLineAndColumn } from "../kit/json/json-slip.ts";
import { attemptNow, err, ok, type Result } from "../kit/result.ts";
import { parseExact } from "./json.ts";
import * as LIMITS from "./limits.ts";
import { makeRefusal, type Refusal } from "./refusal.ts";

/** Strict: invalid UTF-8 would otherwise be replaced silently, and a replaced id is another id. */
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Parse a request body: valid UTF-8, no deeper than it may be, JSON.
 *
 * The depth is counted on the bytes before anything is parsed, because `JSON.parse` accepts a depth of 200,000 that
 * every later walk over the value would pay for.
 */
export function parseJson(
  bytes: Uint8Array,
  nesting: number = LIMITS.nesting,
  { values, parse = JSON.parse }: JsonOptions = {},
): Result<unknown, Refusal> {
  if (exceedsDepth(bytes, nesting)) {
    return err(makeRefusal("INVALID_BATCH", `The body nests deeper than ${nesting} levels; flatten it.`));
  }
  const text = attemptNow(() => decoder.decode(bytes));
  if (!text.ok) return err(makeRefusal("MALFORMED_JSON", "The body is not valid UTF-8."));
  if (values !== undefined && countValues(text.value, values) > values)
    return err(
      makeRefusal("BODY_TOO_LARGE", `A body may have ${values} JSON values; leave out what is not needed.`),
    );
  const parsed = attemptNow(() => parse(text.value));
  return parsed.ok ? parsed : err(makeRefusal("MALFORMED_JSON", saySlip(text.value)));
}

export interface JsonOptions {
  /** How many values it may have, where its bytes alone do not bound them. */
  readonly values?: number;
  /** How it is parsed; throws where it is no JSON. */
  readonly parse?: (text: string) => unknown;
}

/**
 * Parse JSON that stands as text inside other JSON, whose depth has not been counted.
 *
 * @param depth the levels it may have
 * @returns the value, or the sentence that says what is wrong with the text
 */
export function parseJsonText(text: string, depth: number): Result<unknown, string> {
  if (exceedsDepth(text, depth)) return err("The text nests too deep; flatten it.");
  const parsed = attemptNow(() => parseExact(text));
  return parsed.ok ? ok(parsed.value) : err(saySlip(text).replace("The body", "The text"));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Whether brackets outside strings nest deeper than `limit`, in JSON that is not parsed yet. */
export function exceedsDepth(json: Uint8Array | string, limit: number): boolean {
  const bytes = typeof json === "string" ? new TextEncoder().encode(json) : json;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

/**
 * Count the values that JSON text has, in one pass and before anything is parsed: `{}` is three bytes of text with its
 * comma and fifty in memory. Exact for JSON; of any other text it says nothing.
 *
 * Every value but the first stands behind a comma or is the first in its container.
 *
 * @param enough once there are more, the rest is not looked at
 */
export function countValues(text: string, enough: number): number {
  let values = 1;
  let opened = false;
  for (let at = 0; at < text.length && values <= enough; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    const isEnd = code === 0x5d || code === 0x7d;
    if (opened && !isEnd) values += 1;
    opened = code === 0x5b || code === 0x7b;
    if (code === COMMA) values += 1;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return values;
}

/** Where the string that begins at `start` ends; the text's end when it does not. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** Say what is wrong with text that is not JSON. The engine's message is not used: it quotes the body. */
function saySlip(text: string): string {
  if (text.trim() === "") return "The body is empty; send a JSON object.";
  if (FORM.test(text)) return "The body is form-encoded (name=value); send a JSON object.";
  const slip = findJsonSlip(text);
  if (slip === null) return "The body is not JSON; check its brackets, quotes and commas.";
  return `The JSON goes wrong at ${toLineAndColumn(text, slip.at)}: ${slip.what}.`;
}

/** How a form begins: a name without quotes, and an equals sign. */
const FORM = /^[A-Za-z_][\w.[\]%-]{0,63}=/;
