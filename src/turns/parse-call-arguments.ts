import { type Failure, makeFailure } from "../core/contract/failure.ts";
import { describe, toMisfit } from "../core/contract/issues.ts";
import { isJsonObject, type JsonObject, parseExact } from "../core/contract/json.ts";
import * as LIMITS from "../core/contract/limits.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { findJsonSpan } from "./json-span.ts";
import { err, ok, type Result } from "../core/kit/result.ts";
import { visibleText } from "../core/kit/visible-text.ts";

/** The hint for a call with free text for arguments. */
export const CUSTOM =
  "Tools with free-form input are not offered; call it as a function with JSON arguments.";

/** The failure of a call that names no tool. */
export const NAMELESS: Failure = makeFailure("UNKNOWN_TOOL", {
  hint: "The call has no name, so nothing was run for it; call discover_tools to find a tool, and call that by its name.",
});

/**
 * Parse a call's arguments as a provider carries them: JSON text, or an object where a client library has parsed it
 * already. No text, an empty text and `null`, as text too, are no arguments: models send those for tools without parameters. Some
 * models write the text of an object as JSON text once more; it is read as the object.
 */
export function parseCallArguments(sent: unknown): Result<JsonObject, Failure> {
  if (sent === undefined || sent === null) return ok({});
  if (typeof sent !== "string") return requireObject(sent);
  const text = innerText(sent);
  if (["", "null"].includes(text.trim())) return ok({});
  if (text.length > LIMITS.bodyBytes) return err(TOO_LONG);
  const parsed = parseJson(new TextEncoder().encode(text), LIMITS.nesting, { parse: parseExact });
  if (parsed.ok) return requireObject(parsed.value);
  const objects = splitObjects(text);
  if (objects.length > 1) return err(makeFailure("INVALID_ARGS", { hint: saySeveral(objects) }));
  const hint = `The arguments are not usable JSON. ${parsed.error.hint.replace("The body", "The text")} They begin with: ${visibleText(text, SHOWN)} Send the call again with valid JSON.`;
  return err(makeFailure("INVALID_ARGS", { hint }));
}

/** Take the text of an object out of the JSON texts that it was written as; any other text stays as it is. */
export function innerText(sent: string): string {
  let text = sent;
  for (let depth = 0; depth < TEXTS; depth += 1) {
    if (text.length > LIMITS.bodyBytes || !/^\s*"\s*(?:\{|\\")/.test(text)) break;
    const parsed = parseJson(new TextEncoder().encode(text));
    if (!parsed.ok || typeof parsed.value !== "string") break;
    text = parsed.value;
  }
  return text.trimStart().startsWith("{") ? text : sent;
}

/** How often the text of an object may have been written as JSON text. */
const TEXTS = 3;

/** Characters of a model's text that it is shown again. */
const SHOWN = 200;
/** Objects of one text that are told apart. */
const OBJECTS = 8;

/** The objects that a text consists of; none where anything else stands in it. */
function splitObjects(text: string): readonly string[] {
  const objects: string[] = [];
  for (let at = 0; at < text.length;) {
    const [space = ""] = /^[\s,]*/.exec(text.slice(at, at + 64)) ?? [];
    at += space.length;
    if (at === text.length) break;
    if (text.charAt(at) !== "{") return [];
    const { end, missing } = findJsonSpan(text, at);
    const object = text.slice(at, end);
    if (missing !== "" || !parseJson(new TextEncoder().encode(object)).ok) return [];
    objects.push(object);
    at = end;
  }
  return objects;
}

function saySeveral(objects: readonly string[]): string {
  const shown = objects.slice(0, OBJECTS).map((object) => visibleText(object, SHOWN));
  const more = objects.length > OBJECTS ? ` and ${objects.length - OBJECTS} more` : "";
  return `The arguments of this one call are ${objects.length} JSON objects, so nothing was run for it: ${shown.join(" and ")}${more}. Send a call for each of them.`;
}

/** A batch has no more, however it comes; its actions have less each. */
const TOO_LONG = makeFailure("INVALID_ARGS", {
  hint: `The arguments of one call may take ${LIMITS.bodyBytes} bytes; send less, in several calls.`,
});

function requireObject(value: unknown): Result<JsonObject, Failure> {
  if (isJsonObject(value)) return ok(value);
  const issue = { path: "/args", expected: "a JSON object", received: describe(value) };
  return err(makeFailure("INVALID_ARGS", toMisfit(issue)));
}
