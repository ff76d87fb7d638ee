import type { JsonObject } from "../../../src/core/contract/json.ts";
import { toItemEvents, type Spoken } from "../../support/turn-world.ts";

/** A turn in which a row of the table comes, and the part of what follows that is the row's own. */
export interface TurnScript {
  readonly parts: (speech: Spoken) => readonly JsonObject[];
  /** No write of ours stands before it. */
  readonly alone?: true;
  readonly stop?: (speech: Spoken) => string;
  /** The events of its stream; such a row is one of streams only. */
  readonly events?: readonly JsonObject[];
  /** More of the caller's request. */
  readonly body?: (speech: Spoken) => JsonObject;
  /** The conversation before, where it is more than a question. */
  readonly before?: (speech: Spoken) => readonly JsonObject[];
  /** The numbers that are doubled; of rows that run. */
  readonly doubled?: readonly number[];
  /** The code that the model is told. */
  readonly code?: string;
  /** Texts that the model is told. */
  readonly told?: readonly string[];
  /** A text by which the part is found in answers and requests. */
  readonly mark?: string;
  /** No provider has it yet, so none takes it back. */
  readonly isStrange?: true;
  /** The caller's answer to it, where it is not that to a call of its tool. */
  readonly replies?: readonly JsonObject[];
  /** The choice of tools in later rounds. */
  readonly freed?: (speech: Spoken) => unknown;
}

type Args = object | string | null | undefined;

/** A call of a tool by its name, as each provider writes it; what is undefined is not there. */
export function call(
  speech: Spoken,
  name: string | undefined,
  args: Args,
  id: unknown = "call_1",
): JsonObject {
  const named = name === undefined ? {} : { name };
  const text = typeof args === "object" && args !== null ? JSON.stringify(args) : args;
  const sent = args === undefined ? {} : { arguments: text };
  const own = id === undefined ? {} : { id };
  if (speech === "chat") return { ...own, type: "function", function: { ...named, ...sent } };
  if (speech === "messages")
    return { type: "tool_use", ...own, ...named, ...(args !== undefined && { input: args }) };
  return {
    type: "function_call",
    ...(id !== undefined && { call_id: id }),
    ...named,
    ...sent,
    status: "completed",
  };
}

/** Text as each provider writes it. */
export function text(speech: Spoken, said: string): JsonObject {
  if (speech === "chat") return { field: { content: said } };
  if (speech === "messages") return { type: "text", text: said };
  const content = [{ type: "output_text", text: said, annotations: [] }];
  return { type: "message", id: "msg_said", role: "assistant", status: "completed", content };
}

const double = (speech: Spoken, args: Args = { n: 2 }, id?: unknown): JsonObject =>
  call(speech, "double", args, ...(id === undefined ? [] : [id]));
const named = (name: string): TurnScript => ({
  parts: (speech) => [call(speech, name, { n: 2 })],
  code: "UNKNOWN_TOOL",
});
const withArgs = (args: Args, more: Partial<TurnScript> = {}): TurnScript => ({
  parts: (speech) => [double(speech, args)],
  ...more,
});
const waiting = (item: JsonObject, reply: JsonObject): TurnScript => ({
  parts: () => [item],
  mark: String(item["call_id"] ?? item["id"]),
  replies: [reply],
});
const output = (type: string, more: object = { output: "ok" }) => ({ type, call_id: "wait_1", ...more });

const NAME = { type: "object", properties: {} };
/** The caller's own tool, as each provider has it described. */
const theirs = (speech: Spoken, name = "theirs"): JsonObject => {
  if (speech === "chat") return { type: "function", function: { name, parameters: NAME } };
  if (speech === "messages") return { name, input_schema: NAME };
  return { type: "function", name, parameters: NAME, strict: null };
};
const reply = (speech: Spoken, id: string): JsonObject => {
  if (speech === "chat") return { role: "tool", tool_call_id: id, content: "ok" };
  if (speech === "messages")
    return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] };
  return { type: "function_call_output", call_id: id, output: "ok" };
};

/** An earlier turn of the conversation, which called the caller's tool under an id. */
const earlier = (speech: Spoken): readonly JsonObject[] => {
  const made = call(speech, "theirs", {}, "call_1");
  if (speech === "chat")
    return [{ role: "assistant", content: null, tool_calls: [made] }, reply(speech, "call_1")];
  if (speech === "messages") return [{ role: "assistant", content: [made] }, reply(speech, "call_1")];
  const { status: _, ...item } = made;
  return [item, reply(speech, "call_1")];
};

const chunks = (...pieces: readonly JsonObject[]): readonly JsonObject[] => [
  ...pieces.map((piece) => ({
    id: "c",
    choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: null }],
  })),
  { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
];
const piece = (index: number, name: string | undefined, args: string, id?: string): JsonObject => ({
  index,
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), arguments: args },
});
const streamed = (events: readonly JsonObject[], doubled: readonly number[]): TurnScript => ({
  parts: () => [],
  alone: true,
  events,
  doubled,
});
const completed = (items: readonly JsonObject[], last: JsonObject, told = items.flatMap(toItemEvents)) => [
  { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
  ...told,
  { type: "response.completed", response: { id: "resp_1", status: "completed", ...last } },
];
const [ONE, TWO] = [1, 2].map((n) => call("responses", "double", { n }, `call_${n}`)) as [
  JsonObject,
  JsonObject,
];
const SHELL = {
  type: "shell_call",
  id: "sh_1",
  call_id: "wait_1",
  action: { commands: ["ls"] },
  status: "completed",
};

const FORCED = { chat: "required", messages: { type: "any" }, responses: "required" };
const FORCED_ONE = {
  chat: { type: "function", function: { name: "double" } },
  messages: { type: "tool", name: "double" },
  responses: { type: "function", name: "double" },
};
const AUTO = { chat: "auto", messages: { type: "auto" }, responses: "auto" };
const SOME = [{ type: "function", name: "double" }];

/** A script for each row, by what comes. */
export const SCRIPTS: Readonly<Record<string, TurnScript>> = {
  "a call of a function": withArgs({ n: 2 }, { doubled: [2] }),
  "a call of the caller's function": {
    parts: (speech) => [call(speech, "theirs", {}, "wait_1")],
    body: (speech) => ({ tools: [theirs(speech)] }),
    mark: "wait_1",
  },
  "a call of the caller's function in a namespace": {
    parts: (speech) => [{ ...call(speech, "double", {}, "wait_1"), namespace: "crm" }],
    body: (speech) => ({
      tools: [{ type: "namespace", name: "crm", description: "CRM", tools: [theirs(speech, "double")] }],
    }),
    mark: "wait_1",
  },
  "a call of ours in a namespace that nobody has": {
    parts: (speech) => [{ ...double(speech), namespace: "functions" }],
    doubled: [2],
  },
  "a call in free text, of no tool of the caller's": {
    parts: (speech) => [
      speech === "chat"
        ? { id: "call_1", type: "custom", custom: { name: "double", input: "two" } }
        : { type: "custom_tool_call", call_id: "call_1", name: "double", input: "two" },
    ],
    code: "INVALID_ACTION",
  },
  "a call in free text, of the caller's tool": {
    parts: (speech) => [
      speech === "chat"
        ? { id: "wait_1", type: "custom", custom: { name: "sql", input: "SELECT 1" } }
        : { type: "custom_tool_call", call_id: "wait_1", name: "sql", input: "SELECT 1" },
    ],
    body: (speech) => ({
      tools: [
        speech === "chat" ? { type: "custom", custom: { name: "sql" } } : { type: "custom", name: "sql" },
      ],
    }),
    mark: "wait_1",
  },
  "one call without a list around it": {
    parts: (speech) => [{ field: { tool_calls: call(speech, "double", { n: 2 }, "call_1") } }],
    alone: true,
    doubled: [2],
  },
  "a message's old function_call": {
    parts: () => [{ field: { function_call: { name: "double", arguments: '{"n":2}' } } }],
    doubled: [2],
  },
  "a message's old function_call of the caller's function": {
    parts: () => [{ field: { function_call: { name: "theirs", arguments: '{"city":"Bern"}' } } }],
    alone: true,
    body: (speech) => ({ tools: [theirs(speech)] }),
    mark: "Bern",
    replies: [{ role: "function", name: "theirs", content: "ok" }],
  },
  "a server's question whether it may call": waiting(
    { type: "mcp_approval_request", id: "wait_1", name: "remove", arguments: "{}", server_label: "crm" },
    { type: "mcp_approval_response", approval_request_id: "wait_1", approve: true },
  ),
  "a call of a shell": waiting(SHELL, output("shell_call_output", { output: [] })),
  "a call of a local shell": waiting(
    { ...SHELL, type: "local_shell_call" },
    output("local_shell_call_output"),
  ),
  "a patch to apply": waiting(
    {
      type: "apply_patch_call",
      id: "ap_1",
      call_id: "wait_1",
      operation: { type: "delete_file" },
      status: "completed",
    },
    output("apply_patch_call_output", { status: "completed" }),
  ),
  "a call of a computer": waiting(
    { type: "computer_call", id: "cu_1", call_id: "wait_1", action: { type: "wait" }, status: "completed" },
    output("computer_call_output", { output: {} }),
  ),
  "a search for tools that the client makes": waiting(
    { type: "tool_search_call", call_id: "wait_1", execution: "client", arguments: {} },
    output("tool_search_output", { tools: [] }),
  ),
  "a call of a type that is not known": {
    parts: (speech) =>
      speech === "chat"
        ? [{ id: "wait_1", type: "browser", browser: { open: "a page" } }]
        : [{ type: speech === "messages" ? "browser_use" : "browser_call", id: "wait_1", open: "a page" }],
    isStrange: true,
    mark: "wait_1",
  },
  "a call that the provider ran": {
    parts: (speech) =>
      speech === "responses"
        ? [
            {
              type: "web_search_call",
              id: "mark_1",
              status: "completed",
              action: { type: "search", query: "q" },
            },
          ]
        : [
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "mark_1" } },
            { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          ],
    mark: "mark_1",
  },
  "a call with its output beside it": {
    parts: (speech) =>
      speech === "responses"
        ? [
            { ...SHELL, call_id: "mark_1" },
            { type: "shell_call_output", call_id: "mark_1", output: [] },
          ]
        : [
            { type: "mcp_tool_use", id: "mcptoolu_1", name: "mark_1", server_name: "crm", input: {} },
            { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] },
          ],
    mark: "mark_1",
  },
  "a search for tools that the provider made": {
    parts: () => [
      { type: "tool_search_call", call_id: null, execution: "server", arguments: { paths: ["mark_1"] } },
    ],
    mark: "mark_1",
  },
  "a list of a server's tools": {
    parts: () => [{ type: "mcp_list_tools", id: "mark_1", server_label: "crm", tools: [] }],
    mark: "mark_1",
  },
  text: { parts: (speech) => [text(speech, "mark_1")], alone: true, mark: "mark_1" },
  "text beside a call": { parts: (speech) => [text(speech, "mark_1"), double(speech)], mark: "mark_1" },
  "text of nothing but space beside a call": {
    parts: (speech) => [text(speech, " \n\t "), double(speech)],
    mark: String.raw` \n\t `,
  },
  "a thought": {
    parts: (speech) =>
      speech === "messages"
        ? [{ type: "redacted_thinking", data: "mark_1" }]
        : [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "mark_1" }],
    mark: "mark_1",
  },
  "a thought without its text": {
    parts: () => [{ type: "reasoning", id: "mark_1", summary: [] }],
    mark: "mark_1",
  },
  "notes of the server on a text": {
    parts: (speech) => [
      text(speech, "Look."),
      { field: { annotations: [{ type: "mark_1" }] } },
      double(speech),
    ],
    mark: "mark_1",
  },
  "a refusal": {
    parts: (speech) =>
      speech === "chat"
        ? [{ field: { refusal: "mark_1" } }]
        : speech === "messages"
          ? [text(speech, "mark_1")]
          : [{ ...text(speech, ""), content: [{ type: "refusal", refusal: "mark_1" }] }],
    alone: true,
    stop: (speech) => (speech === "messages" ? "refusal" : speech === "chat" ? "stop" : ""),
    mark: "mark_1",
  },
  "a name that no tool has": named("triple"),
  "a name with a dot": { ...named("functions.double"), told: ["'double'"] },
  "a name of 73 characters": named("x".repeat(73)),
  "a name with space and letters of any script": named("zwei mal zwölf"),
  "an empty name": named(""),
  "no name": { parts: (speech) => [call(speech, undefined, { n: 2 })], code: "UNKNOWN_TOOL" },
  "no id": { parts: (speech) => [withoutId(double(speech))], doubled: [2] },
  "an empty id": { parts: (speech) => [double(speech, { n: 2 }, "")], doubled: [2] },
  "two calls with one id": {
    parts: (speech) => [double(speech, { n: 1 }, "same"), double(speech, { n: 2 }, "same")],
    doubled: [1, 2],
  },
  "an id of an earlier turn": {
    parts: (speech) => [double(speech, { n: 2 }, "ours_1")],
    doubled: [2],
  },
  "an id of an earlier request's turn": {
    parts: (speech) => [double(speech)],
    before: earlier,
    body: (speech) => ({ tools: [theirs(speech)] }),
    doubled: [2],
  },
  "an id that is no legal one": {
    parts: (speech) => [double(speech, { n: 2 }, "functions.double:0")],
    doubled: [2],
  },
  "no arguments": { parts: (speech) => [call(speech, "nothing", undefined)], doubled: [0] },
  "arguments that are null": { parts: (speech) => [call(speech, "nothing", null)], doubled: [0] },
  "arguments as an object": withArgs({ n: 2 }, { doubled: [2] }),
  "arguments in a fence": withArgs('```json\n{"n":2}\n```', { doubled: [2] }),
  "arguments that are JSON text of JSON text": withArgs(JSON.stringify('{"n":2}'), { doubled: [2] }),
  "a read's arguments without their last bracket": withArgs('{"n":2', { doubled: [2] }),
  "a write's arguments without their last bracket": {
    parts: (speech) => [call(speech, "write", '{"n":2')],
    code: "INVALID_ARGS",
    told: ["cut off"],
  },
  "two objects in the arguments of one call": withArgs('{"n":1}{"n":2}', {
    code: "INVALID_ARGS",
    told: ['{"n":1}', '{"n":2}'],
  }),
  "arguments that are no JSON": withArgs("n is two", { code: "INVALID_ARGS", told: ["n is two"] }),
  "arguments that are a list": withArgs("[1,2]", { code: "INVALID_ARGS", told: ["an array of 2"] }),
  "calls without ids under one index": streamed(
    chunks(piece(0, "double", '{"n":1}'), piece(0, "nothing", "{}"), piece(0, "double", '{"n":3}')),
    [1, 0, 3],
  ),
  "calls of one name without ids under one index": streamed(
    chunks(piece(0, "double", '{"n":1}'), piece(0, "double", '{"n":'), piece(0, undefined, "2}")),
    [1, 2],
  ),
  "pieces of a call under shifting indexes": streamed(
    chunks(
      piece(0, "double", "", "a"),
      piece(1, undefined, '{"n"'),
      piece(2, undefined, ":2}"),
      piece(3, "nothing", "{}", "b"),
    ),
    [2, 0],
  ),
  "a name that comes in pieces": streamed(
    chunks(piece(0, "dou", "", "a"), piece(0, "ble", ""), piece(0, undefined, '{"n":2}')),
    [2],
  ),
  "a whole message in place of a piece": streamed(
    [
      {
        id: "chatcmpl-1",
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              tool_calls: [call("chat", "double", { n: 2 }, "b")],
            },
            finish_reason: "tool_calls",
          },
        ],
      },
    ],
    [2],
  ),
  "an old function_call whose arguments are an object": {
    parts: () => [{ field: { function_call: { name: "double", arguments: { n: 2 } } } }],
    doubled: [2],
  },
  "a last event that repeats no item": streamed(completed([ONE, TWO], {}), [1, 2]),
  "a last event without one of the calls": streamed(completed([ONE, TWO], { output: [TWO] }), [2, 1]),
  "a last event that repeats no item that waits": {
    parts: () => [SHELL],
    alone: true,
    events: completed([SHELL], { output: [] }),
    mark: "wait_1",
    replies: [output("shell_call_output", { output: [] })],
  },
  "a call whose item is never said to be done": streamed(
    completed([], { output: [] }, toItemEvents(ONE, 0).slice(0, 2)),
    [1],
  ),
  "a turn that pauses": {
    parts: () => [
      { type: "text", text: "Let me look." },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "mark_1" } },
    ],
    alone: true,
    stop: () => "pause_turn",
    mark: "mark_1",
  },
  "a turn that is cut off by its length": {
    parts: (speech) => [text(speech, "mark_1")],
    alone: true,
    stop: (speech) => ({ chat: "length", messages: "max_tokens", responses: "max_output_tokens" })[speech],
    mark: "mark_1",
  },
  "a turn that a filter ended": {
    parts: (speech) => [text(speech, "mark_1")],
    alone: true,
    stop: (speech) => (speech === "messages" ? "refusal" : "content_filter"),
    mark: "mark_1",
  },
  "a turn of nothing": {
    parts: () => [],
    alone: true,
    stop: (speech) => (speech === "messages" ? "end_turn" : ""),
  },
  "more calls than a turn may have": {
    parts: (speech) => Array.from({ length: 50 }, (_, n) => call(speech, "nothing", {}, `more_${n}`)),
    code: "INVALID_BATCH",
    told: ["50 actions"],
  },
  "a forced call of any tool": forced(FORCED, AUTO),
  "a forced call of one tool": forced(FORCED_ONE, AUTO),
  "a forced call of one of some tools": forced(
    {
      chat: { type: "allowed_tools", allowed_tools: { mode: "required", tools: SOME } },
      messages: {},
      responses: { type: "allowed_tools", mode: "required", tools: SOME },
    },
    {
      chat: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: SOME } },
      messages: {},
      responses: { type: "allowed_tools", mode: "auto", tools: SOME },
    },
  ),
};

function forced(
  choice: Readonly<Record<Spoken, unknown>>,
  freed: Readonly<Record<Spoken, unknown>>,
): TurnScript {
  return {
    parts: (speech) => [double(speech)],
    body: (speech) => ({ tool_choice: choice[speech] }),
    freed: (speech) => freed[speech],
  };
}

function withoutId(part: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([field]) => field !== "id" && field !== "call_id"));
}

/** The answer of the caller to a call of its own tool. */
export function repliesTo({ replies }: TurnScript, part: JsonObject, speech: Spoken): readonly JsonObject[] {
  if (replies !== undefined) return replies;
  if (part["type"] === "custom_tool_call")
    return [{ type: "custom_tool_call_output", call_id: "wait_1", output: "ok" }];
  return [reply(speech, "wait_1")];
}
