import { toHint } from "../../../core/contract/issues.ts";
import { describe, isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { textOf } from "../../agent/dialect/conversation.ts";
import { groupItems, type Item, namedCallsIn, outputOf, textIn } from "../dialect/responses-items.ts";

/** The fields that mean the same in both APIs, and their names in Chat Completions. */
const SAME: readonly (readonly [string, string])[] = [
  ["model", "model"],
  ["temperature", "temperature"],
  ["top_p", "top_p"],
  ["parallel_tool_calls", "parallel_tool_calls"],
  ["user", "user"],
  ["metadata", "metadata"],
  ["service_tier", "service_tier"],
  // Servers without Responses are other people's, and many of those know no other name.
  ["max_output_tokens", "max_tokens"],
];

/**
 * Write a request of Responses as one of Chat Completions, for servers that have only those. Refused where it asks for something that
 * they have no words for: a tool that the model's server would run itself.
 */
export function toChatRequest(request: JsonObject): Result<JsonObject, Refusal> {
  const { input, instructions, tools, tool_choice: choice, text, reasoning, stream } = request;
  const offered = Array.isArray(tools) ? (tools as readonly JsonObject[]) : [];
  const stranger = offered.find(({ type }) => type !== "function" && type !== "custom");
  if (stranger !== undefined) return refuseTool(stranger);
  const format = isJsonObject(text) ? toResponseFormat(text["format"]) : undefined;
  const verbosity = isJsonObject(text) ? text["verbosity"] : undefined;
  const effort = isJsonObject(reasoning) ? reasoning["effort"] : undefined;
  const same = SAME.flatMap(([from, to]) => (isNothing(request[from]) ? [] : [[to, request[from]] as const]));
  return ok({
    ...Object.fromEntries(same),
    messages: placeMessages(input as readonly Item[], instructions).map(({ message }) => message),
    ...(offered.length > 0 && { tools: offered.map(toTool) }),
    ...(!isNothing(choice) && { tool_choice: toChoice(choice) }),
    ...(format !== undefined && { response_format: format }),
    ...(!isNothing(verbosity) && { verbosity }),
    ...(!isNothing(effort) && { reasoning_effort: effort }),
    ...(stream === true && { stream, stream_options: { include_usage: true } }),
  });
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function refuseTool({ type }: JsonObject): Result<never, Refusal> {
  const issue = {
    path: "/tools",
    expected: "functions, because the model's server here has no Responses API of its own",
    received: `a tool of the type ${typeof type === "string" ? `"${visibleText(type, 40)}"` : describe(type)}`,
  };
  return err(makeRefusal("INVALID_REQUEST", toHint([issue]), { issue }));
}

function toTool({ type, ...tool }: JsonObject): JsonObject {
  return type === "custom" ? { type, custom: tool } : { type: "function", function: tool };
}

function toChoice(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type, name } = choice;
  return type === "function" || type === "custom" ? { type, [type]: { name } } : "auto";
}

function toResponseFormat(format: unknown): JsonObject | undefined {
  if (!isJsonObject(format)) return undefined;
  const { type, ...schema } = format;
  return type === "json_schema"
    ? { type, json_schema: schema }
    : type === "json_object"
      ? { type }
      : undefined;
}

/** A message, and the place of the first item that it was made of; null where it was made of the instructions. */
interface PlacedMessage {
  readonly message: JsonObject;
  readonly at: number | null;
}

/** Write items as messages. */
function placeMessages(items: readonly Item[], instructions: unknown): readonly PlacedMessage[] {
  const said = typeof instructions === "string" && instructions !== "";
  let next = 0;
  return [
    ...(said ? [{ message: { role: "system", content: instructions }, at: null }] : []),
    ...groupItems(items).flatMap((group) => {
      const output = outputOf(group);
      const at = next;
      next += output?.length ?? 1;
      return (output === null ? toMessage(group) : toAssistant(output)).map((message) => ({ message, at }));
    }),
  ];
}

function toMessage({ type, role, content, call_id, output }: Item): readonly JsonObject[] {
  if (typeof role === "string") return [{ role, content: toContent(content) }];
  const isOutput = type === "function_call_output" || type === "custom_tool_call_output";
  return isOutput ? [{ role: "tool", tool_call_id: call_id, content: toOutputText(output) }] : [];
}

/** Thoughts, and calls that another server ran, have no place in Chat Completions. */
function toAssistant(output: readonly Item[]): readonly JsonObject[] {
  const text = textIn(output);
  const calls = namedCallsIn(output).map(({ type, call_id: id, name, arguments: args, input }) =>
    type === "custom_tool_call"
      ? { id, type: "custom", custom: { name, input } }
      : { id, type: "function", function: { name, arguments: args } },
  );
  if (text === "" && calls.length === 0) return [];
  return [
    { role: "assistant", content: text === "" ? null : text, ...(calls.length > 0 && { tool_calls: calls }) },
  ];
}

function toOutputText(output: unknown): string {
  return typeof output === "string"
    ? output
    : Array.isArray(output)
      ? textOf(output)
      : JSON.stringify(output);
}

function toContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return (content as readonly unknown[]).filter(isJsonObject).map((part): JsonObject => {
    const { type, text, image_url: url, detail, file_data, file_id, filename, input_audio } = part;
    switch (type) {
      case "input_image":
        return { type: "image_url", image_url: { url, ...(!isNothing(detail) && { detail }) } };
      case "input_file":
        return {
          type: "file",
          file: Object.fromEntries(
            Object.entries({ file_data, file_id, filename }).filter(([, value]) => !isNothing(value)),
          ),
        };
      case "input_audio":
        return { type, input_audio };
      default:
        return { type: "text", text: text ?? "" };
    }
  });
}

/** The fields that stand inside of another one in Responses. */
const INSIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ["response_format", ["text", "format"]],
  ["verbosity", ["text", "verbosity"]],
  ["reasoning_effort", ["reasoning", "effort"]],
]);

/** Find the place in a request of Responses that a place in its translation comes from. */
export function toResponsesPath(
  [field = "", at, ...rest]: readonly string[],
  { input, instructions }: JsonObject,
): readonly string[] {
  const steps = at === undefined ? rest : [at, ...rest];
  const inside = INSIDE.get(field);
  if (inside !== undefined) return [...inside, ...(steps[0] === "json_schema" ? steps.slice(1) : steps)];
  if (field === "tools") return [field, ...steps.filter((step) => step !== "function" && step !== "custom")];
  if (field !== "messages") return [SAME.find(([, to]) => to === field)?.[0] ?? field, ...steps];
  if (at === undefined) return ["input"];
  const placed = placeMessages(input as readonly Item[], instructions)[Number(at)];
  if (placed === undefined) return ["input"];
  return placed.at === null ? ["instructions"] : ["input", String(placed.at), ...rest];
}
