import { hasToolBlocks, type TypedMessage } from "./check-tool-results.ts";
import {
  BOOLEAN,
  LIST,
  NULL,
  OBJECT,
  STRING,
  either,
  findMisfits,
  isObject,
  type JsonObject,
  matching,
  oneOf,
  type Path,
  type Shape,
  shaped,
} from "./find-misfits.ts";
import { type MessagesProblem, refuse, refuseAt, toMessagesProblem } from "./messages-problem.ts";

const TOOL: Shape = {
  name: matching(/^[a-zA-Z0-9_-]{1,128}$/),
  "description?": STRING,
  input_schema: OBJECT,
  "type?": either(oneOf("custom"), NULL),
  "cache_control?": either(OBJECT, NULL),
  "allowed_callers?": LIST,
  "defer_loading?": BOOLEAN,
  "eager_input_streaming?": either(BOOLEAN, NULL),
  "input_examples?": LIST,
  "strict?": BOOLEAN,
};

const CHOICE = either(
  shaped({ type: oneOf("auto", "any"), "disable_parallel_tool_use?": BOOLEAN }),
  shaped({ type: oneOf("tool"), name: STRING, "disable_parallel_tool_use?": BOOLEAN }),
  shaped({ type: oneOf("none") }),
);

/** Tools that run at Anthropic, or whose schema it knows, such as `web_search_20260318`. */
const VERSIONED = /^[a-z][a-z0-9_]*_\d{8}$/;
/** They may also be named without their version. */
const UNVERSIONED = ["tool_search_tool_bm25", "tool_search_tool_regex", "mcp_toolset"];
const NOT_AT_THE_TOP = ["oneOf", "allOf", "anyOf"];
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Find what Anthropic would refuse about the tools a request offers, and about how it wants them chosen. */
export function* findMessagesToolProblems(body: JsonObject): Generator<MessagesProblem, undefined> {
  const tools = (body["tools"] ?? []) as readonly unknown[];
  const names = new Set<unknown>();
  for (const [index, tool] of tools.entries()) {
    yield* findToolProblems(tool, ["tools", index]);
    const { name } = tool as JsonObject;
    if (name !== undefined && names.has(name)) yield refuse("tools: Tool names must be unique.");
    names.add(name);
  }
  const choice = body["tool_choice"];
  if (choice !== undefined && !CHOICE.fits(choice))
    yield refuseAt(["tool_choice"], `Input should be ${CHOICE.expected}`);
  if (choice !== undefined && tools.length === 0)
    yield refuse("tool_choice may only be specified while providing tools.");
  const { type, name } = (choice ?? {}) as JsonObject;
  if (type === "tool" && !names.has(name)) yield refuse(`Tool '${String(name)}' not found in provided tools`);
  if (tools.length === 0 && (body["messages"] as readonly TypedMessage[]).some(hasToolBlocks))
    yield refuse("Requests which include `tool_use` or `tool_result` blocks must define tools");
}

function* findToolProblems(tool: unknown, path: Path): Generator<MessagesProblem, undefined> {
  const type = isObject(tool) ? tool["type"] : undefined;
  if (typeof type === "string" && (VERSIONED.test(type) || UNVERSIONED.includes(type))) return;
  const place = [...path, "custom"];
  for (const misfit of findMisfits(tool, TOOL, place)) yield toMessagesProblem(misfit);
  const { input_schema: schema } = tool as { input_schema: JsonObject };
  const at = [...place, "input_schema"];
  if (schema["type"] === undefined) yield refuseAt([...at, "type"], "Field required");
  if (schema["type"] !== "object") yield refuseAt([...at, "type"], "Input should be 'object'");
  if (NOT_AT_THE_TOP.some((keyword) => keyword in schema))
    yield refuseAt(at, "input_schema does not support oneOf, allOf, or anyOf at the top level");
  for (const property of Object.keys(schema["properties"] ?? {}))
    if (!PROPERTY.test(property))
      yield refuse(`${at.join(".")}.properties: Property keys should match pattern '${PROPERTY.source}'`);
}
