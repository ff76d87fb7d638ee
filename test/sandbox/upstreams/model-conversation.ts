import { isObject, type JsonObject } from "./find-misfits.ts";
import { findObjects } from "./find-objects.ts";

/** A call, its arguments as JSON text. */
export interface Call {
  readonly name: string;
  readonly args: string;
}

/** The result of an action. */
export interface Seen {
  readonly tool: string;
  readonly status: string;
  readonly data: unknown;
}

/** The content of a request, in whichever dialect. */
export interface Conversation {
  /** The last question of a person. */
  readonly question: string;
  /** How many answers since then have called something. */
  readonly rounds: number;
  /** The results of all calls since then, in their order. */
  readonly seen: readonly Seen[];
  /** Which tools may be called now. */
  readonly offers: (name: string) => boolean;
  /** It is asked to think first, and to call nothing. */
  readonly isPlanning: boolean;
  /** Calls are written as text, `Action:` and `Action Input:`. */
  readonly isReact: boolean;
}

/** A message in no provider's words. */
interface Turn {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly (Call & { readonly id: string })[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

const SYSTEM: ReadonlySet<unknown> = new Set(["system", "developer"]);
/** The texts that a loop writes in a person's place. */
const FROM_A_LOOP = /^\s*(?:\[Volley\]|Observation\b)/i;
const ASKS_FOR_A_PLAN = /^\s*\[Volley\][^.]*\bthink\b/i;

/** Read a request of either dialect, after it was checked. */
export function readConversation(body: JsonObject): Conversation {
  const messages = (body["messages"] ?? toMessages(body["input"])) as readonly JsonObject[];
  const system = [
    body["system"],
    body["instructions"],
    ...messages.filter(({ role }) => SYSTEM.has(role)).map(contentOf),
  ]
    .map(textOf)
    .join("\n");
  const isReact = system.includes("Action Input:");
  const turns = messages.filter(({ role }) => !SYSTEM.has(role)).map(toTurn);
  const asked = turns.findLastIndex(
    ({ role, text }) => role === "user" && text.trim() !== "" && !FROM_A_LOOP.test(text),
  );
  const since = turns.slice(asked + 1);
  return {
    question: turns[asked]?.text ?? "",
    rounds: since.filter(({ calls }) => calls.length > 0).length,
    seen: since.flatMap((turn, index) => toSeen(turn, since.slice(index + 1))),
    offers: isReact ? (name) => namesTool(system, name) : (name) => offered(body).has(name),
    isPlanning: ASKS_FOR_A_PLAN.test(turns.at(-1)?.text ?? ""),
    isReact,
  };
}

/** Write the items of Responses as messages of Chat Completions: a model's items together are one. */
function toMessages(input: unknown): readonly JsonObject[] {
  if (!Array.isArray(input)) return [{ role: "user", content: input }];
  const messages: { role: unknown; content: unknown; tool_calls?: object[]; tool_call_id?: unknown }[] = [];
  for (const { type, role, content, call_id, name, arguments: args, output } of input.filter(isObject)) {
    const last = messages.at(-1);
    if (type === "function_call_output")
      messages.push({ role: "tool", tool_call_id: call_id, content: output });
    else if (type === "function_call") {
      const call = { id: call_id, function: { name, arguments: args } };
      if (last?.role === "assistant") (last.tool_calls ??= []).push(call);
      else messages.push({ role: "assistant", content: "", tool_calls: [call] });
    } else if (role !== undefined) messages.push({ role, content });
  }
  return messages;
}

function toTurn(message: JsonObject): Turn {
  const content = contentOf(message);
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  if (message["role"] === "tool")
    return {
      role: "tool",
      text: "",
      calls: [],
      results: [{ id: String(message["tool_call_id"]), text: textOf(content) }],
    };
  const text = textOf(content);
  const native = (message["tool_calls"] ?? []) as readonly { id: string; function?: NativeCall }[];
  return {
    role: String(message["role"]),
    text,
    calls: [
      ...native.map(({ id, function: call }) => ({
        id,
        name: call?.name ?? "",
        args: call?.arguments ?? "",
      })),
      ...blocks
        .filter(({ type }) => type === "tool_use")
        .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: JSON.stringify(input) })),
      ...(message["role"] === "assistant" ? readActions(text) : []),
    ],
    results: [
      ...blocks
        .filter(({ type }) => type === "tool_result")
        .map(({ tool_use_id: id, content: inner }) => ({ id: String(id), text: textOf(inner) })),
      ...(message["role"] === "user" ? readObservations(text) : []),
    ],
  };
}

interface NativeCall {
  readonly name: string;
  readonly arguments: string;
}

/** The calls that a model without native ones has written. */
function readActions(text: string): Turn["calls"] {
  return [...text.matchAll(/^Action:\s*(\S+)\nAction Input:(.*)$/gm)].map(
    ([, name = "", args = ""], index) => ({
      id: `text_${index}`,
      name,
      args,
    }),
  );
}

/** The results that it is told: a line each, in their order. */
function readObservations(text: string): Turn["results"] {
  return [...text.matchAll(/^Observation(?: \d+)?(?: \([^)\n]*\))?:\s*(.+)$/gm)].map(
    ([, result = ""], index) => ({
      id: `text_${index}`,
      text: result,
    }),
  );
}

function contentOf(message: JsonObject): unknown {
  return message["content"];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isObject)
    .flatMap(({ text }) => (typeof text === "string" ? [text] : []))
    .join("\n");
}

/** Each call of a turn with the result of its id, which stands before the next answer. */
function toSeen({ calls }: Turn, after: readonly Turn[]): readonly Seen[] {
  const next = after.findIndex((turn) => turn.calls.length > 0);
  const results = new Map(
    after
      .slice(0, next === -1 ? after.length : next)
      .flatMap((turn) => turn.results)
      .map(({ id, text }) => [id, text]),
  );
  return calls.flatMap(({ id, name }) => {
    const text = results.get(id);
    return text === undefined ? [] : readResult(name, text);
  });
}

/** A batch's answer has a result for each action; any other is bare data, unless it has a status of Volley's. */
function readResult(name: string, text: string): readonly Seen[] {
  const value = parse(text) ?? parse(findObjects(text)[0] ?? "");
  if (!isObject(value)) return [{ tool: name, status: "success", data: value ?? text }];
  const { results, status, data } = value;
  if (name === "execute_actions" && Array.isArray(results))
    return results.filter(isObject).map((result) => ({
      tool: String(result["tool"]),
      status: String(result["status"]),
      data: result["data"],
    }));
  return typeof status === "string"
    ? [{ tool: name, status, data }]
    : [{ tool: name, status: "success", data: value }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The tools a request offers; none where it forbids to call them. */
function offered({ tools, tool_choice: choice }: JsonObject): ReadonlySet<string> {
  if (choice === "none" || (isObject(choice) && choice["type"] === "none")) return new Set();
  const list = (tools ?? []) as readonly { name?: string; function?: { name: string } }[];
  return new Set(list.map((tool) => tool.function?.name ?? tool.name ?? ""));
}

/** Without a list of tools, a name that stands in the prompt is one that may be called. */
function namesTool(system: string, name: string): boolean {
  return system.split(/[^\w-]+/).includes(name);
}
