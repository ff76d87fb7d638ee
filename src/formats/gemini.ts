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
  const read = readCalls(findParts(body), readPart);
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
      const [candidate] = candidates as unknown[];
      // A candidate that was blocked has no content, and calls nothing.
      const inner = isJsonObject(candidate) ? candidate["content"] : undefined;
      return partsOf(inner ?? {}, "/candidates/0/content");
    }
    if (isJsonObject(content)) return partsOf(content, "/content");
    if (Array.isArray(functionCalls))
      return ok({ path: "/functionCalls", items: functionCalls as unknown[] });
    if (parts !== undefined || body["role"] === "model") return partsOf(body, "");
    if (isJsonObject(body["functionCall"]) || typeof body["name"] === "string")
      return ok({ path: "", items: [body] });
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
  const inner = part["functionCall"];
  if (isJsonObject(inner)) return readCall(inner, `${path}/functionCall`);
  return typeof part["name"] === "string" ? readCall(part, path) : ok(null);
}

function readCall({ id, name, args }: JsonObject, path: string): Result<FunctionCall, Refusal> {
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
  if (id !== undefined && typeof id !== "string")
    return refuseShape(`${path}/id`, "the call's id, a string", id);
  return ok({ id, name, args: parseCallArguments(args) });
}

/** The value as it is, not as text: `response` is a structure here. */
function toFunctionResponse({ id, name }: FunctionCall, { json, failed }: ToolReply): object {
  const value = JSON.parse(json) as unknown;
  return { ...(id !== undefined && { id }), name, response: failed ? { error: value } : { output: value } };
}
