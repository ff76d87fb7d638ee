import { findBlockProblems } from "./check-content-blocks.ts";
import { findMessagesToolProblems } from "./check-messages-tools.ts";
import { findPairProblems, type TypedMessage } from "./check-tool-results.ts";
import {
  BOOLEAN,
  LIST,
  NULL,
  OBJECT,
  STRING,
  STRINGS,
  either,
  findMisfits,
  integerIn,
  isObject,
  type JsonObject,
  type Kind,
  numberIn,
  oneOf,
  type Shape,
  shaped,
} from "./find-misfits.ts";
import { type MessagesProblem, refuse, refuseAt, toMessagesProblem } from "./messages-problem.ts";

export type { MessagesProblem } from "./messages-problem.ts";

const orNull = (kind: Kind): Kind => either(kind, NULL);

/** How Claude is asked to think. */
const DISPLAY = { "display?": orNull(oneOf("summarized", "omitted")) };
const THINKING = either(
  shaped({ type: oneOf("enabled"), budget_tokens: integerIn(1_024), ...DISPLAY }),
  shaped({ type: oneOf("adaptive"), ...DISPLAY }),
  shaped({ type: oneOf("disabled", "between_tools") }),
);

/** Every documented field of the request, those of betas too; one that is not here is refused. */
const FIELDS: Shape = {
  model: STRING,
  max_tokens: integerIn(1),
  messages: LIST,
  "cache_control?": orNull(OBJECT),
  "container?": orNull(either(STRING, OBJECT)),
  "context_management?": orNull(OBJECT),
  "diagnostics?": orNull(OBJECT),
  "inference_geo?": orNull(STRING),
  "mcp_servers?": LIST,
  "metadata?": shaped({ "user_id?": orNull(STRING) }),
  "output_config?": OBJECT,
  "service_tier?": oneOf("auto", "standard_only"),
  "speed?": orNull(oneOf("standard", "fast")),
  "stop_sequences?": STRINGS,
  "stream?": BOOLEAN,
  "system?": either(STRING, LIST),
  "temperature?": numberIn(0, 1),
  "thinking?": THINKING,
  "tool_choice?": OBJECT,
  "tools?": LIST,
  "top_k?": integerIn(0),
  "top_p?": numberIn(0, 1),
  "user_profile_id?": STRING,
  "workspace_id?": STRING,
};

/**
 * Find what Anthropic would refuse about the body of a Messages request; null when it would answer it.
 *
 * Fields: https://docs.claude.com/en/api/messages, refusals as they are reported of the real API.
 */
export function checkMessagesRequest(body: unknown): MessagesProblem | null {
  return findProblems(body).next().value ?? null;
}

function* findProblems(body: unknown): Generator<MessagesProblem, undefined> {
  if (!isObject(body)) {
    yield refuse("The request body is not valid JSON");
    return;
  }
  for (const misfit of findMisfits(body, FIELDS, [])) yield toMessagesProblem(misfit);
  if (Array.isArray(body["system"]))
    yield* findBlockProblems(body["system"], { by: "system", path: ["system"] });
  yield* findMessageProblems(body["messages"] as readonly unknown[]);
  yield* findMessagesToolProblems(body);
  yield* findPairProblems(body["messages"] as readonly TypedMessage[]);
  yield* findThinkingProblems(body);
  yield* findCacheProblems(body);
}

function* findMessageProblems(messages: readonly unknown[]): Generator<MessagesProblem, undefined> {
  if (messages.length === 0) yield refuse("messages: at least one message is required");
  for (const [index, message] of messages.entries()) {
    const path = ["messages", index];
    for (const misfit of findMisfits(message, { role: STRING, content: either(STRING, LIST) }, path))
      yield toMessagesProblem(misfit);
    const { role, content } = message as TypedMessage;
    if (role !== "user" && role !== "assistant")
      yield refuse(
        `messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"; the instructions of a ` +
          "system go into the top-level `system` parameter.",
      );
    if (index === 0 && role !== "user") yield refuse('messages: first message must use the "user" role');
    if (content.length === 0) yield refuseAt(path, "all messages must have non-empty content");
    if (typeof content === "string") {
      if (content.trim() === "")
        yield refuse("messages: text content blocks must contain non-whitespace text");
    } else yield* findBlockProblems(content, { by: role, path: [...path, "content"] });
  }
  const last = messages.at(-1) as TypedMessage;
  if (last.role === "assistant" && !wasPaused(last))
    yield refuse(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
}

/** A turn that the provider's own tools paused is sent back as it is, to go on. */
function wasPaused({ content }: TypedMessage): boolean {
  const last = typeof content === "string" ? undefined : content.at(-1)?.type;
  return last === "server_tool_use" || last?.endsWith("_tool_result") === true;
}

/** While Claude thinks before it calls tools, the turn it is in begins with what it thought. */
function* findThinkingProblems(body: JsonObject): Generator<MessagesProblem, undefined> {
  const { type, budget_tokens: budget } = (body["thinking"] ?? {}) as {
    type?: string;
    budget_tokens?: number;
  };
  if (type !== "enabled" && type !== "adaptive") return;
  const { type: choice } = (body["tool_choice"] ?? {}) as { type?: string };
  if (choice === "any" || choice === "tool")
    yield refuse("Thinking may not be enabled when tool_choice forces tool use.");
  if (type === "adaptive") return;
  if (budget! >= Number(body["max_tokens"]))
    yield refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
  if (body["temperature"] !== undefined && body["temperature"] !== 1)
    yield refuse("`temperature` may only be set to 1 when thinking is enabled.");
  const messages = body["messages"] as readonly TypedMessage[];
  const index = messages.findLastIndex(({ role }) => role === "assistant");
  const content = messages[index]?.content ?? "";
  // A text after the results of its calls has ended its turn.
  const isOpen = hasBlock(messages.at(-1)?.content ?? "", "tool_result");
  if (typeof content === "string" || !isOpen || !hasBlock(content, "tool_use")) return;
  const first = content[0]!.type;
  if (first !== "thinking" && first !== "redacted_thinking")
    yield refuseAt(
      ["messages", index, "content", 0, "type"],
      `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final ` +
        "`assistant` message must start with a thinking block (preceding the lastmost set of `tool_use` and " +
        "`tool_result` blocks).",
    );
}

function hasBlock(content: TypedMessage["content"], type: string): boolean {
  return typeof content !== "string" && content.some((block) => block.type === type);
}

const CACHE_CONTROL = shaped({ type: oneOf("ephemeral"), "ttl?": oneOf("5m", "1h") });
const MOST_CACHED = 4;

/** However deep it stands, each counts; what a model or a tool wrote may have a field of that name. */
function* findCacheProblems(body: JsonObject): Generator<MessagesProblem, undefined> {
  const found = [...findCacheControls(body)].filter((value) => value !== null && value !== undefined);
  for (const value of found)
    if (!CACHE_CONTROL.fits(value)) yield refuse(`cache_control: Input should be ${CACHE_CONTROL.expected}`);
  if (found.length > MOST_CACHED)
    yield refuse(
      `A maximum of ${MOST_CACHED} blocks with cache_control may be provided. Found ${found.length}.`,
    );
}

function* findCacheControls(value: unknown): Generator<unknown, undefined> {
  if (Array.isArray(value)) for (const item of value) yield* findCacheControls(item);
  if (!isObject(value)) return;
  yield value["cache_control"];
  for (const name of ["system", "messages", "content", "tools"]) yield* findCacheControls(value[name]);
}
