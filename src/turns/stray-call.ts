import { visiblePath } from "../core/contract/issues.ts";
import { isJsonObject, type JsonObject } from "../core/contract/json.ts";

/** Where calls are answered. */
export type TurnEndpoint =
  | "/v1/openai/tool_calls"
  | "/v1/openai/function_calls"
  | "/v1/anthropic/tool_use"
  | "/v1/gemini/function_calls";

/** A call in an unexpected place, and the endpoint that would have looked there. */
export interface StrayCall {
  readonly path: string;
  readonly endpoint: TurnEndpoint;
}

/**
 * Find the first call of any provider anywhere in a value. For what an endpoint found no calls of its own in: a whole
 * conversation, or another provider's message.
 *
 * @param path where the value stood
 */
export function findStrayCall(value: unknown, path: string): StrayCall | null {
  if (typeof value !== "object" || value === null) return null;
  const endpoint = isJsonObject(value) ? endpointFor(value) : null;
  if (endpoint !== null) return { path, endpoint };
  for (const [key, inner] of Object.entries(value)) {
    const stray = findStrayCall(inner, `${path}${visiblePath([key])}`);
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
