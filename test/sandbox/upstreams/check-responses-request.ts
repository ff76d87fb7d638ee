import { type ChatProblem, refuse, toChatProblem } from "./chat-problem.ts";
import {
  ANYTHING,
  atMost,
  BOOLEAN,
  either,
  findMisfits,
  integerIn,
  isObject,
  type JsonObject,
  type Kind,
  LIST,
  NULL,
  numberIn,
  OBJECT,
  oneOf,
  type Shape,
  STRING,
  STRINGS,
} from "./find-misfits.ts";

const orNull = (kind: Kind): Kind => either(kind, NULL);

/** Every documented field of the request; one that is not here is refused. */
const FIELDS: Shape = {
  "background?": orNull(BOOLEAN),
  "conversation?": orNull(either(STRING, OBJECT)),
  "include?": orNull(STRINGS),
  input: either(STRING, LIST),
  "instructions?": orNull(either(STRING, LIST)),
  "max_output_tokens?": orNull(integerIn(16)),
  "max_tool_calls?": orNull(integerIn(1)),
  "metadata?": orNull(OBJECT),
  model: STRING,
  "parallel_tool_calls?": orNull(BOOLEAN),
  "previous_response_id?": orNull(STRING),
  "prompt?": orNull(OBJECT),
  "prompt_cache_key?": orNull(STRING),
  "reasoning?": orNull(OBJECT),
  "safety_identifier?": orNull(atMost(64)),
  "service_tier?": orNull(STRING),
  "store?": orNull(BOOLEAN),
  "stream?": orNull(BOOLEAN),
  "stream_options?": orNull(OBJECT),
  "temperature?": orNull(numberIn(0, 2)),
  "text?": orNull(OBJECT),
  "tool_choice?": ANYTHING,
  "tools?": LIST,
  "top_logprobs?": orNull(integerIn(0, 20)),
  "top_p?": orNull(numberIn(0, 1)),
  "truncation?": orNull(oneOf("auto", "disabled")),
  "user?": orNull(STRING),
};

const FUNCTION: Shape = {
  type: oneOf("function"),
  name: STRING,
  "description?": orNull(atMost(1_024)),
  parameters: orNull(OBJECT),
  strict: orNull(BOOLEAN),
};

const CALLED: Kind = {
  expected: "a string that matches '^[a-zA-Z0-9_-]+$', with at most 64 characters",
  fits: (value) => typeof value === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(value),
};

/** The fields of each type of item that tests send; an id of what is not stored here finds nothing. */
const ITEMS: Readonly<Record<string, Shape>> = {
  message: {
    "type?": oneOf("message"),
    role: oneOf("user", "assistant", "system", "developer"),
    content: either(STRING, LIST),
    "phase?": orNull(STRING),
  },
  function_call: {
    type: ANYTHING,
    call_id: STRING,
    name: CALLED,
    arguments: STRING,
    "namespace?": STRING,
    "id?": STRING,
    "status?": STRING,
  },
  function_call_output: {
    type: ANYTHING,
    call_id: STRING,
    output: either(STRING, LIST),
    "id?": ANYTHING,
    "status?": ANYTHING,
  },
  reasoning: { type: ANYTHING, id: STRING, summary: LIST, encrypted_content: STRING, "content?": ANYTHING },
};

/** Calls of other kinds, and what each of them is not complete without. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  shell_call: ["call_id", "action"],
  local_shell_call: ["id", "call_id", "action", "status"],
  apply_patch_call: ["call_id", "operation", "status"],
  computer_call: ["id", "call_id", "status"],
  custom_tool_call: ["call_id", "name", "input"],
  mcp_approval_request: ["id", "name", "arguments", "server_label"],
  tool_search_call: ["arguments"],
  web_search_call: ["id", "status"],
  mcp_list_tools: ["id", "server_label", "tools"],
};

/**
 * Find what OpenAI would refuse about the body of a Responses request; null when it would answer it.
 *
 * Fields: https://platform.openai.com/docs/api-reference/responses/create, refusals as they are reported of the real API.
 */
export function checkResponsesRequest(body: unknown): ChatProblem | null {
  return findProblems(body).next().value ?? null;
}

function* findProblems(body: unknown): Generator<ChatProblem, undefined> {
  if (!isObject(body)) {
    yield refuse("We could not parse the JSON body of your request.", null, null);
    return;
  }
  for (const misfit of findMisfits(body, FIELDS, [])) yield toChatProblem(misfit);
  if (body["store"] !== false) yield refuse("This stand-in stores nothing.", "store", "invalid_value");
  const { tools, input } = body;
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries())
    if (isObject(tool) && tool["type"] === "function")
      for (const misfit of findMisfits(tool, FUNCTION, ["tools", index])) yield toChatProblem(misfit);
  if (Array.isArray(input)) yield* findItemProblems(input.filter(isObject));
}

/** Each call has its output, and each output its call before it. */
function* findItemProblems(items: readonly JsonObject[]): Generator<ChatProblem, undefined> {
  const waiting = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const type = typeof item["type"] === "string" ? item["type"] : "message";
    const shape = ITEMS[type];
    const isOther = type in CALLS || type.endsWith("_output") || type === "mcp_approval_response";
    if (shape === undefined && isOther) {
      const missing = CALLS[type]?.find((field) => item[field] === undefined);
      if (missing !== undefined)
        yield refuse(`Missing required parameter: 'input[${index}].${missing}'.`, `input[${index}]`, null);
    } else if (shape === undefined)
      yield refuse(`Invalid value: '${type}'.`, `input[${index}].type`, "invalid_value");
    else for (const misfit of findMisfits(item, shape, ["input", index])) yield toChatProblem(misfit);
    if (type === "function_call") waiting.add(item["call_id"]);
    if (type === "function_call_output" && !waiting.delete(item["call_id"]))
      yield refuse(
        `No tool call found for function call output with call_id ${String(item["call_id"])}.`,
        "input",
        null,
      );
  }
  for (const id of waiting)
    yield refuse(`No tool output found for function call ${String(id)}.`, "input", null);
}
