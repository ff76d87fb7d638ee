import { isJsonObject, type JsonObject } from "../contract/json.ts";
import type { Refusal } from "../contract/refusal.ts";
import { ok, type Result } from "../kit/result.ts";
import { parseCallArguments } from "./parse-call-arguments.ts";
import {
  type FoundCalls,
  makeTurn,
  type ParseTurn,
  type ProviderCall,
  readCalls,
  refuseShape,
  type ToolReply,
} from "./provider-turn.ts";

interface FunctionCall extends ProviderCall {
  /** Not every model gives its calls ids; those without are told apart by name and order. */
  readonly id: string | undefined;
}

/**
 * Read a turn of Gemini's generateContent: the response, its content, its parts, or the list of function calls. All calls
 * are answered in one content: a `functionResponse` for every `functionCall`, whose `response` has `output` or `error`.
 *
 * Source: https://ai.google.dev/api/caching#FunctionResponse
 */
export const parseGeminiTurn: ParseTurn = (body) => {
  const read = readCalls(body, { endpoint: "/v1/gemini/function_calls", find: findParts, read: readPart });
  if (!read.ok) return read;
  return ok(
    makeTurn(read.value, {
      toItem: (call, reply) => ({ functionResponse: toFunctionResponse(call, reply) }),
      toAnswer: (parts) => ({ messages: parts.length === 0 ? [] : [{ role: "user", parts }] }),
    }),
  );
};

function findParts(body: unknown): Result<FoundCalls, Refusal> {
  if (Array.isArray(body)) return ok({ path: "", items: body });
  if (isJsonObject(body)) {
    const { candidates, content, parts, functionCalls } = body;
    if (Array.isArray(candidates)) {
      const [candidate, ...others] = candidates as unknown[];
      if (others.length > 0)
        return refuseShape("/candidates", "a single candidate, the one gone on with", candidates);
      // A candidate that was blocked has no content, and calls nothing.
      const inner = isJsonObject(candidate) ? candidate["content"] : undefined;
      return partsOf(inner ?? {}, "/candidates/0/content");
    }
    if (isJsonObject(content)) return partsOf(content, "/content");
    if (Array.isArray(functionCalls))
      return ok({ path: "/functionCalls", items: functionCalls as unknown[] });
    if (parts !== undefined || body["role"] === "model") return partsOf(body, "");
    // A prompt that was blocked has no candidates.
    if (isJsonObject(body["promptFeedback"])) return ok({ path: "", items: [] });
    if (callIn(body) !== undefined || typeof body["name"] === "string") return ok({ path: "", items: body });
  }
  return refuseShape("", "a response, its content, its parts, or its function calls", body);
}

function partsOf(content: unknown, path: string): Result<FoundCalls, Refusal> {
  if (!isJsonObject(content)) return refuseShape(path, "a content", content);
  const parts = content["parts"] ?? [];
  return Array.isArray(parts)
    ? ok({ path: `${path}/parts`, items: parts as unknown[] })
    : refuseShape(`${path}/parts`, "an array of parts", parts);
}

/** A part with a function call in it, or the call itself; text and thoughts are parts too. */
function readPart(part: unknown, path: string): Result<FunctionCall | null, Refusal> {
  if (!isJsonObject(part)) return refuseShape(path, "a part", part);
  const inner = callIn(part);
  if (inner !== undefined)
    return isJsonObject(inner)
      ? readCall(inner, `${path}/functionCall`)
      : refuseShape(`${path}/functionCall`, "a function call", inner);
  return typeof part["name"] === "string" ? readCall(part, path) : ok(null);
}

/** The REST API writes `functionCall`, the Python library `function_call`, and `null` for what is not there. */
function callIn({ functionCall, function_call }: JsonObject): unknown {
  return functionCall ?? function_call ?? undefined;
}

function readCall({ id, name, args }: JsonObject, path: string): Result<FunctionCall, Refusal> {
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
  if (id !== undefined && id !== null && typeof id !== "string")
    return refuseShape(`${path}/id`, "the call's id, a string", id);
  return ok({ id: id ?? undefined, name, args: parseCallArguments(args) });
}

/** The value as it is, not as text: `response` is a structure here. */
function toFunctionResponse({ id, name }: FunctionCall, { json, failed }: ToolReply): object {
  const value = JSON.parse(json) as unknown;
  return { ...(id !== undefined && { id }), name, response: failed ? { error: value } : { output: value } };
}
