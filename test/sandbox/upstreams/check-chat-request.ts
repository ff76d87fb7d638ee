import { findChatMessageProblems } from "./check-chat-messages.ts";
import { findChatToolProblems } from "./check-chat-tools.ts";
import { type ChatProblem, refuse, toChatProblem } from "./chat-problem.ts";
import {
  ANYTHING,
  BOOLEAN,
  LIST,
  NULL,
  OBJECT,
  STRING,
  STRINGS,
  atMost,
  either,
  findMisfits,
  integerIn,
  isObject,
  type JsonObject,
  type Kind,
  listOf,
  numberIn,
  oneOf,
  type Shape,
  shaped,
} from "./find-misfits.ts";

export type { ChatProblem } from "./chat-problem.ts";

const orNull = (kind: Kind): Kind => either(kind, NULL);

/** Every documented field of the request; one that is not here is refused. */
const FIELDS: Shape = {
  messages: LIST,
  "audio?": orNull(OBJECT),
  "frequency_penalty?": orNull(numberIn(-2, 2)),
  "function_call?": either(oneOf("none", "auto"), shaped({ name: STRING })),
  "functions?": LIST,
  "logit_bias?": orNull(OBJECT),
  "logprobs?": orNull(BOOLEAN),
  "max_completion_tokens?": orNull(integerIn(1)),
  "max_tokens?": orNull(integerIn(1)),
  "metadata?": orNull({
    expected: "at most 16 strings of up to 512 characters, with names of up to 64",
    fits: (value) =>
      isObject(value) &&
      Object.keys(value).length <= 16 &&
      Object.entries(value).every(([name, text]) => name.length <= 64 && atMost(512).fits(text)),
  }),
  "modalities?": orNull(listOf(oneOf("text", "audio"))),
  model: STRING,
  "moderation?": orNull(OBJECT),
  "n?": orNull(integerIn(1, 128)),
  "parallel_tool_calls?": BOOLEAN,
  "prediction?": orNull(shaped({ type: oneOf("content"), content: either(STRING, LIST) })),
  "presence_penalty?": orNull(numberIn(-2, 2)),
  "prompt_cache_key?": orNull(STRING),
  "prompt_cache_options?": OBJECT,
  "prompt_cache_retention?": orNull(oneOf("in_memory", "24h")),
  "reasoning_effort?": orNull(oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max")),
  "response_format?": either(
    shaped({ type: oneOf("text", "json_object") }),
    shaped({
      type: oneOf("json_schema"),
      json_schema: shaped({
        name: STRING,
        "description?": STRING,
        "schema?": OBJECT,
        "strict?": orNull(BOOLEAN),
      }),
    }),
  ),
  "safety_identifier?": orNull(atMost(64)),
  "seed?": orNull(integerIn(Number.MIN_SAFE_INTEGER)),
  "service_tier?": orNull(oneOf("auto", "default", "flex", "scale", "priority", "fast")),
  "stop?": orNull(
    either(STRING, {
      expected: "an array of 1 to 4 strings",
      fits: (value) => STRINGS.fits(value) && [1, 2, 3, 4].includes((value as []).length),
    }),
  ),
  "store?": orNull(BOOLEAN),
  "stream?": orNull(BOOLEAN),
  "stream_options?": orNull(shaped({ "include_obfuscation?": BOOLEAN, "include_usage?": BOOLEAN })),
  "temperature?": orNull(numberIn(0, 2)),
  "tool_choice?": ANYTHING,
  "tools?": LIST,
  "top_logprobs?": orNull(integerIn(0, 20)),
  "top_p?": orNull(numberIn(0, 1)),
  "user?": STRING,
  "verbosity?": orNull(oneOf("low", "medium", "high")),
  "web_search_options?": OBJECT,
};

/**
 * Find what OpenAI would refuse about the body of a Chat Completions request; null when it would answer it.
 *
 * Fields: https://platform.openai.com/docs/api-reference/chat/create, refusals as they are reported of the real API.
 */
export function checkChatRequest(body: unknown): ChatProblem | null {
  return findProblems(body).next().value ?? null;
}

function* findProblems(body: unknown): Generator<ChatProblem, undefined> {
  if (!isObject(body)) {
    yield refuse("We could not parse the JSON body of your request.", null, null);
    return;
  }
  if (body["model"] === undefined || body["model"] === "")
    yield refuse("you must provide a model parameter", null, null);
  for (const misfit of findMisfits(body, FIELDS, [])) yield toChatProblem(misfit);
  yield* findConflicts(body);
  yield* findChatToolProblems(body);
  yield* findChatMessageProblems(body["messages"] as readonly unknown[]);
}

/** Fields that are only allowed with another, or only without it. */
function* findConflicts(body: JsonObject): Generator<ChatProblem, undefined> {
  const has = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  if (has("stream_options") && body["stream"] !== true)
    yield refuse(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
      null,
    );
  for (const name of ["tool_choice", "parallel_tool_calls"])
    if (has(name) && !has("tools"))
      yield refuse(
        `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
        name,
        null,
      );
  if (has("function_call") && !has("functions"))
    yield refuse(
      "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.",
      "function_call",
      null,
    );
  if (has("functions") && has("tools"))
    yield refuse("'tools' and 'functions' cannot both be given.", "functions", "invalid_value");
  if (has("max_tokens") && has("max_completion_tokens"))
    yield refuse(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      "max_tokens",
      "invalid_parameter_combination",
    );
  if (has("top_logprobs") && body["logprobs"] !== true)
    yield refuse("'top_logprobs' is only allowed when 'logprobs' is true.", "top_logprobs", null);
}
