import { type ChatProblem, refuse, toChatProblem, toParam } from "./chat-problem.ts";
import {
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

const TEXTS = either(STRING, LIST);
/** Longer ids are refused, so one that is made up must be short. */
const CALL_ID = matching(/^[^]{1,40}$/);
const CALLED = matching(/^[a-zA-Z0-9_-]{1,64}$/);
const AUTHOR = matching(/^[^\s<|\\/>]{1,64}$/);
const CACHED = { "prompt_cache_breakpoint?": OBJECT };

/** The fields that messages of each role may have. */
const ROLES: Readonly<Record<string, Shape>> = {
  developer: { role: STRING, content: TEXTS, "name?": AUTHOR },
  system: { role: STRING, content: TEXTS, "name?": AUTHOR },
  user: { role: STRING, content: TEXTS, "name?": AUTHOR },
  assistant: {
    role: STRING,
    "content?": either(TEXTS, NULL),
    "name?": AUTHOR,
    "refusal?": either(STRING, NULL),
    "audio?": either(shaped({ id: STRING }), NULL),
    "function_call?": either(shaped({ name: CALLED, arguments: STRING }), NULL),
    "tool_calls?": LIST,
    // Part of every answer, which clients send back as it is.
    "annotations?": LIST,
  },
  tool: { role: STRING, content: TEXTS, tool_call_id: CALL_ID },
  function: { role: STRING, content: either(STRING, NULL), name: CALLED },
};

/** The fields of each type of content part, and who may write it. */
const PARTS: Readonly<Record<string, { readonly shape: Shape; readonly roles: readonly string[] }>> = {
  text: {
    shape: { type: STRING, text: STRING, ...CACHED },
    roles: ["developer", "system", "user", "assistant", "tool"],
  },
  refusal: { shape: { type: STRING, refusal: STRING }, roles: ["assistant"] },
  image_url: {
    shape: {
      type: STRING,
      image_url: shaped({ url: STRING, "detail?": oneOf("auto", "low", "high", "original") }),
      ...CACHED,
    },
    roles: ["user"],
  },
  input_audio: {
    shape: { type: STRING, input_audio: shaped({ data: STRING, format: oneOf("wav", "mp3") }), ...CACHED },
    roles: ["user"],
  },
  file: {
    shape: {
      type: STRING,
      file: shaped({ "file_data?": STRING, "file_id?": STRING, "filename?": STRING }),
      ...CACHED,
    },
    roles: ["user"],
  },
};

const CALLS: Readonly<Record<string, Shape>> = {
  function: { id: CALL_ID, type: STRING, function: shaped({ name: CALLED, arguments: STRING }) },
  custom: { id: CALL_ID, type: STRING, custom: shaped({ name: CALLED, input: STRING }) },
};

/** Find what OpenAI would refuse about a conversation: each message by itself, then that every call has its one answer. */
export function* findChatMessageProblems(messages: readonly unknown[]): Generator<ChatProblem, undefined> {
  if (messages.length === 0)
    yield refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "messages",
      "empty_array",
    );
  for (const [index, message] of messages.entries()) yield* findMessageProblems(message, ["messages", index]);
  yield* findUnanswered(messages as readonly Message[]);
}

interface Message {
  readonly role: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

function* findMessageProblems(message: unknown, path: Path): Generator<ChatProblem, undefined> {
  const role = isObject(message) ? message["role"] : undefined;
  const shape = Object.hasOwn(ROLES, String(role)) ? ROLES[String(role)] : undefined;
  if (shape === undefined) {
    const param = toParam([...path, "role"]);
    const wrong = role === undefined ? "Missing required parameter" : `Invalid value: '${String(role)}'`;
    yield refuse(`${wrong}: '${param}'.`, param, role === undefined ? MISSING : "invalid_value");
    return;
  }
  for (const misfit of findMisfits(message, shape, path)) yield toChatProblem(misfit);
  const { content, tool_calls: calls } = message as JsonObject;
  if (Array.isArray(content)) yield* findPartProblems(content, String(role), [...path, "content"]);
  if (Array.isArray(calls)) yield* findCallProblems(calls, [...path, "tool_calls"]);
  if (role === "assistant" && !saysSomething(message as JsonObject))
    yield refuse(
      "Invalid value for 'content': expected a string, got null.",
      toOldParam(path, "content"),
      null,
    );
}

const MISSING = "missing_required_parameter";

/** An assistant may leave its content out only where it called something. */
function saysSomething(message: JsonObject): boolean {
  return ["content", "tool_calls", "function_call", "refusal", "audio"].some(
    (name) => message[name] !== undefined && message[name] !== null,
  );
}

function* findPartProblems(
  parts: readonly unknown[],
  role: string,
  path: Path,
): Generator<ChatProblem, undefined> {
  if (parts.length === 0) yield refuseEmpty(path);
  for (const [index, part] of parts.entries()) {
    const type = isObject(part) ? String(part["type"]) : "";
    const known = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
    const place = [...path, index];
    if (known === undefined || !known.roles.includes(role))
      yield refuse(
        `Invalid value: '${type}' in '${toParam(place)}' of a message with role '${role}'.`,
        toParam([...place, "type"]),
        "invalid_value",
      );
    else for (const misfit of findMisfits(part, known.shape, place)) yield toChatProblem(misfit);
  }
}

function* findCallProblems(calls: readonly unknown[], path: Path): Generator<ChatProblem, undefined> {
  if (calls.length === 0) yield refuseEmpty(path);
  const ids = new Set<unknown>();
  for (const [index, call] of calls.entries()) {
    const place = [...path, index];
    const { type, id } = isObject(call) ? call : {};
    const shape = CALLS[type === "custom" ? "custom" : "function"]!;
    for (const misfit of findMisfits(call, { ...shape, type: oneOf("function", "custom") }, place))
      yield toChatProblem(misfit);
    if (ids.has(id))
      yield refuse(
        `Invalid parameter: Duplicate value for 'id' of '${String(id)}'.`,
        toParam([...place, "id"]),
        null,
      );
    ids.add(id);
    const { function: called } = call as { function?: { arguments: string } };
    if (called !== undefined && !isJson(called.arguments))
      yield refuse(
        `Invalid '${toParam([...place, "function", "arguments"])}': expected a string that is valid JSON.`,
        toParam([...place, "function", "arguments"]),
        "invalid_value",
      );
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A message with calls is followed by their answers, one each, before anything else. */
function* findUnanswered(messages: readonly Message[]): Generator<ChatProblem, undefined> {
  let open = new Map<string, number | null>();
  for (const [index, message] of messages.entries()) {
    const path = ["messages", index];
    if (message.role !== "tool") {
      yield* findOpen(open, path);
      open = new Map((message.tool_calls ?? []).map(({ id }) => [id, null]));
      continue;
    }
    const id = message.tool_call_id!;
    const answeredAt = open.get(id);
    if (open.size === 0)
      yield refuse(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        toOldParam(path, "role"),
        null,
      );
    if (answeredAt === undefined)
      yield refuse(
        `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        toOldParam(path, "tool_call_id"),
        null,
      );
    if (typeof answeredAt === "number")
      yield refuse(
        `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${answeredAt}] and messages[${index}].`,
        toOldParam(path, "tool_call_id"),
        null,
      );
    open.set(id, index);
  }
  yield* findOpen(open, ["messages", messages.length]);
}

function* findOpen(open: ReadonlyMap<string, number | null>, path: Path): Generator<ChatProblem, undefined> {
  const missing = [...open].filter(([, answeredAt]) => answeredAt === null).map(([id]) => id);
  if (missing.length > 0)
    yield refuse(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${missing.join(", ")}`,
      toOldParam(path, "role"),
      null,
    );
}

function refuseEmpty(path: Path): ChatProblem {
  const param = toParam(path);
  return refuse(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    "empty_array",
  );
}

/** These checks of the real API, which are older than the others, write a place as `messages.[0].role`. */
function toOldParam([field, index]: Path, name: string): string {
  return `${field}.[${index}].${name}`;
}
