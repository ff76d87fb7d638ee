import * as z from "zod/mini";

import {
  isJsonObject,
  type JsonObject,
  parseExact,
  strictSchema,
  type Written,
} from "../../feature/schema.ts";
import { ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { parseCallArguments } from "../../turns/parse-call-arguments.ts";
import {
  defineDialect,
  type FoundCalls,
  foundAt,
  type ProviderCall,
  readId,
  refuseShape,
} from "../../turns/read-turn.ts";

interface FunctionCall extends ProviderCall {
  /** Not every model gives its calls ids; those without are told apart by name and order. */
  readonly id: string | undefined;
}

const partSchema = strictSchema(() => {
  const functionResponse = z.strictObject({
    id: z.optional(z.string()),
    name: z.string(),
    response: z.looseObject({}),
  });
  return { functionResponse };
});

/** The contents to append to those of generateContent. */
export const geminiAnswerSchema = strictSchema("GeminiAnswer", () => {
  const content = z.strictObject({ role: z.literal("user"), parts: z.array(partSchema()) });
  return { messages: z.array(content) };
});

/**
 * Read a turn of Gemini's generateContent: the response, its content, its parts, or the list of function calls. All calls
 * are answered in one content: a `functionResponse` for every `functionCall`, whose `response` has `output` or `error`.
 *
 * Source: https://ai.google.dev/api/caching#FunctionResponse
 */
export const parseGeminiTurn = defineDialect<FunctionCall>({
  endpoint: "/v1/gemini/function_calls",
  bodies: "a response, its content, its parts, or its function calls",
  item: "a part",
  find: findParts,
  /** A part with a function call in it, or the call itself; text and thoughts are parts too. */
  read(part, path) {
    const inner = callIn(part);
    if (isJsonObject(inner)) return readCall(inner, `${path}/functionCall`);
    if (inner !== undefined) return refuseShape(`${path}/functionCall`, "a function call", inner);
    return typeof part["name"] === "string" ? readCall(part, path) : ok(null);
  },
  /** The value as it is, not as text: `response` is a structure here. */
  toItem({ id, name }, { json, failed }): Written<typeof partSchema> {
    const value = parseExact(json);
    const response = failed ? { error: value } : { output: value };
    return { functionResponse: { ...(id !== undefined && { id }), name, response } };
  },
  toAnswer: (parts) => ({ messages: parts.length === 0 ? [] : [{ role: "user", parts }] }),
});

function findParts(body: JsonObject): Result<FoundCalls, Refusal> | null {
  const { candidates, content, parts, functionCalls, promptFeedback, role, name } = body;
  if (Array.isArray(candidates)) {
    const [candidate, ...others] = candidates as unknown[];
    if (others.length > 0)
      return refuseShape("/candidates", "a single candidate, the one gone on with", candidates);
    // A candidate that was blocked has no content, and calls nothing.
    const inner = isJsonObject(candidate) ? candidate["content"] : undefined;
    return partsOf(inner ?? {}, "/candidates/0/content");
  }
  if (isJsonObject(content)) return partsOf(content, "/content");
  if (Array.isArray(functionCalls)) return foundAt("/functionCalls", functionCalls as unknown[]);
  if (parts !== undefined || role === "model") return partsOf(body, "");
  // A prompt that was blocked has no candidates.
  if (isJsonObject(promptFeedback)) return foundAt("", []);
  return callIn(body) !== undefined || typeof name === "string" ? foundAt("", body) : null;
}

function partsOf(content: unknown, path: string): Result<FoundCalls, Refusal> {
  if (!isJsonObject(content)) return refuseShape(path, "a content", content);
  const parts = content["parts"] ?? [];
  return Array.isArray(parts)
    ? foundAt(`${path}/parts`, parts as unknown[])
    : refuseShape(`${path}/parts`, "an array of parts", parts);
}

/** The REST API writes `functionCall`, the Python library `function_call`, and `null` for what is not there. */
function callIn({ functionCall, function_call }: JsonObject): unknown {
  return functionCall ?? function_call ?? undefined;
}

function readCall({ id: sent, name, args }: JsonObject, path: string): Result<FunctionCall, Refusal> {
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
  const id = readId(sent);
  if (id !== undefined && id !== null && typeof id !== "string")
    return refuseShape(`${path}/id`, "the call's id, a string", sent);
  return ok({ id: id ?? undefined, name, args: parseCallArguments(args) });
}
