import { type ChatProblem, refuse, toChatProblem, toParam } from "./chat-problem.ts";
import {
  BOOLEAN,
  LIST,
  NULL,
  OBJECT,
  atMost,
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

const NAME = matching(/^[a-zA-Z0-9_-]{1,64}$/);
const FUNCTION: Shape = {
  name: NAME,
  "description?": atMost(1_024),
  "parameters?": OBJECT,
  "strict?": either(BOOLEAN, NULL),
};
const CUSTOM: Shape = { name: NAME, "description?": atMost(1_024), "format?": OBJECT };
const NAMED = shaped({ name: NAME });

/** Stand at the top of no function's parameters. */
const NOT_AT_THE_TOP = ["oneOf", "anyOf", "allOf", "enum", "const", "not"];

/** Find what OpenAI would refuse about the tools a request offers, and about how it wants them chosen. */
export function* findChatToolProblems(body: JsonObject): Generator<ChatProblem, undefined> {
  const { tools, functions, tool_choice: choice } = body;
  const names = new Set<string>();
  for (const [field, list] of Object.entries({ tools, functions })) {
    if (!Array.isArray(list)) continue;
    if (list.length === 0)
      yield refuse(
        `Invalid '${field}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        field,
        "empty_array",
      );
    if (list.length > 128)
      yield refuse(
        `Invalid '${field}': array too long. Expected an array with maximum length 128.`,
        field,
        "array_above_max_length",
      );
    for (const [index, tool] of list.entries())
      yield* field === "tools"
        ? findToolProblems(tool, [field, index], names)
        : findFunctionProblems(tool, [field, index], FUNCTION, names);
  }
  if (choice !== undefined) yield* findChoiceProblems(choice, names);
}

function* findToolProblems(tool: unknown, path: Path, names: Set<string>): Generator<ChatProblem, undefined> {
  const type = isObject(tool) ? tool["type"] : undefined;
  const isCustom = type === "custom";
  const field = isCustom ? "custom" : "function";
  for (const misfit of findMisfits(tool, { type: oneOf("function", "custom"), [field]: OBJECT }, path))
    yield toChatProblem(misfit);
  yield* findFunctionProblems(
    (tool as JsonObject)[field],
    [...path, field],
    isCustom ? CUSTOM : FUNCTION,
    names,
  );
}

function* findFunctionProblems(
  value: unknown,
  path: Path,
  shape: Shape,
  names: Set<string>,
): Generator<ChatProblem, undefined> {
  for (const misfit of findMisfits(value, shape, path)) yield toChatProblem(misfit);
  const { name, parameters } = value as { name: string; parameters?: JsonObject };
  if (names.has(name))
    yield refuse(
      `Invalid '${toParam([...path, "name"])}': '${name}' is the name of another tool.`,
      toParam([...path, "name"]),
      "invalid_value",
    );
  names.add(name);
  const wrong = parameters === undefined ? undefined : findSchemaFault(parameters);
  if (wrong !== undefined)
    yield refuse(
      `Invalid schema for function '${name}': ${wrong}`,
      toParam([...path, "parameters"]),
      "invalid_function_parameters",
    );
}

/** OpenAI's words about the parameters of a function that it refuses. */
function findSchemaFault(schema: JsonObject): string | undefined {
  if (schema["type"] === undefined || schema["type"] === null)
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`;
  if (schema["type"] !== "object" || NOT_AT_THE_TOP.some((keyword) => keyword in schema))
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level.";
  if (!isObject(schema["properties"])) return "In context=(), object schema missing properties.";
  return findListFault(schema, []);
}

/** An array has to say what is in it, wherever it stands. A name under `properties` is no keyword. */
function findListFault(value: unknown, context: readonly string[]): string | undefined {
  if (Array.isArray(value))
    return firstOf(value.map((item, index) => () => findListFault(item, [...context, String(index)])));
  if (!isObject(value)) return undefined;
  const { type, items } = value;
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  if (isList && !isObject(items) && typeof items !== "boolean")
    return `In context=(${context.map((part) => `'${part}'`).join(", ")}), array schema missing items.`;
  return firstOf(
    Object.entries(value)
      .filter(([keyword]) => !PLAIN_VALUES.has(keyword))
      .flatMap(([keyword, inner]) =>
        NAMED_SCHEMAS.has(keyword) && isObject(inner)
          ? Object.entries(inner).map(
              ([name, schema]) =>
                () =>
                  findListFault(schema, [...context, keyword, name]),
            )
          : [() => findListFault(inner, [...context, keyword])],
      ),
  );
}

const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
]);
/** Their values are no schemas. */
const PLAIN_VALUES: ReadonlySet<string> = new Set([
  "enum",
  "const",
  "default",
  "examples",
  "x-orchestration",
]);

function firstOf(finders: readonly (() => string | undefined)[]): string | undefined {
  for (const find of finders) {
    const found = find();
    if (found !== undefined) return found;
  }
  return undefined;
}

function* findChoiceProblems(choice: unknown, names: ReadonlySet<string>): Generator<ChatProblem, undefined> {
  const kinds = either(
    oneOf("none", "auto", "required"),
    shaped({ type: oneOf("function"), function: NAMED }),
    shaped({ type: oneOf("custom"), custom: NAMED }),
    shaped({
      type: oneOf("allowed_tools"),
      allowed_tools: shaped({ mode: oneOf("auto", "required"), tools: LIST }),
    }),
  );
  if (!kinds.fits(choice))
    yield refuse(`Invalid 'tool_choice': expected ${kinds.expected}.`, "tool_choice", "invalid_value");
  const { function: called, custom } = choice as { function?: { name: string }; custom?: { name: string } };
  const name = called?.name ?? custom?.name;
  if (name !== undefined && !names.has(name))
    yield refuse(
      `Invalid value for 'tool_choice': tool '${name}' not found in 'tools' parameter.`,
      "tool_choice",
      null,
    );
}
