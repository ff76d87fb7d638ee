import { type Failure, makeFailure } from "../../contract/failure.ts";
import { describe, toMisfit } from "../../contract/issues.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../contract/json.ts";
import * as LIMITS from "../../contract/limits.ts";
import { parseJson } from "../../contract/parse-json.ts";
import { err, ok, type Result } from "../../kit/result.ts";

/** The hint for a call with free text for arguments. */
export const CUSTOM =
  "Tools with free-form input are not offered; call it as a function with JSON arguments.";

/**
 * Parse a call's arguments as a provider carries them: JSON text, or an object where a client library has parsed it
 * already. No text, an empty text and `null`, as text too, are no arguments: models send those for tools without parameters.
 */
export function parseCallArguments(sent: unknown): Result<JsonObject, Failure> {
  if (sent === undefined || sent === null) return ok({});
  if (typeof sent !== "string") return requireObject(sent);
  if (["", "null"].includes(sent.trim())) return ok({});
  if (sent.length > LIMITS.bodyBytes) return err(TOO_LONG);
  const parsed = parseJson(new TextEncoder().encode(sent), LIMITS.nesting, { parse: parseExact });
  if (parsed.ok) return requireObject(parsed.value);
  const hint = `The arguments are not usable JSON. ${parsed.error.hint.replace("The body", "The text")} Send the call again with valid JSON.`;
  return err(makeFailure("INVALID_ARGS", { hint }));
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
