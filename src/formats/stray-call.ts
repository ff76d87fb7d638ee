import { visiblePath } from "../contract/issues.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";

/** Where calls are answered. */
export type TurnEndpoint =
  | "/v1/openai/tool_calls"
  | "/v1/openai/function_calls"
  | "/v1/anthropic/tool_use"
  | "/v1/gemini/function_calls";

/** A call that stands where nobody looked for it, and the endpoint that would have looked there. */
export interface StrayCall {
  readonly path: string;
  readonly endpoint: TurnEndpoint;
}

/**
 * Find the first call of any provider anywhere in a body. For bodies in which an endpoint found none of its own: a whole
 * conversation, or another provider's message. Answered with an empty list, those calls would be lost without a word.
 */
export function findStrayCall(body: unknown, path: readonly PropertyKey[] = []): StrayCall | null {
  if (typeof body !== "object" || body === null) return null;
  const endpoint = isJsonObject(body) ? endpointFor(body) : null;
  if (endpoint !== null) return { path: visiblePath(path), endpoint };
  for (const [key, inner] of Object.entries(body)) {
    const stray = findStrayCall(inner, [...path, key]);
    if (stray !== null) return stray;
  }
  return null;
}

/** Whose call it is, by what only that provider's calls have; definitions of tools have no arguments. */
function endpointFor({
  type,
  function: called,
  functionCall,
  function_call,
}: JsonObject): TurnEndpoint | null {
  if (type === "tool_use") return "/v1/anthropic/tool_use";
  if (type === "function_call" || type === "custom_tool_call") return "/v1/openai/function_calls";
  if (isJsonObject(called) && "arguments" in called) return "/v1/openai/tool_calls";
  if (isJsonObject(functionCall)) return "/v1/gemini/function_calls";
  if (!isJsonObject(function_call)) return null;
  return "arguments" in function_call ? "/v1/openai/tool_calls" : "/v1/gemini/function_calls";
}
