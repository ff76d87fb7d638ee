import { BATCH_TOOL } from "../../feature/tool.ts";
import { isJsonObject, type JsonObject } from "../../feature/schema.ts";
import { blankTrailingCommas } from "../../turns/json-span.ts";
import { repairArguments, type RepairedArguments } from "./dialect/repair-arguments.ts";

/** A call that a model wrote as JSON. */
export interface WrittenCall {
  readonly name: string;
  /** As they stand there; undefined where nothing is said of them. */
  readonly sent: unknown;
  readonly args: RepairedArguments;
}

/**
 * Read JSON that may be one call, a list of calls or a batch.
 *
 * @param isLabelled whether a label says that it is a call. Without one it has to be plain from the JSON alone: every entry
 *   has a name and arguments, and no field that no call has, because an answer may hold JSON too.
 * @returns its calls, none when it is something else, null when it is no JSON
 */
export function readWrittenCalls(text: string, isLabelled: boolean): readonly WrittenCall[] | null {
  const { args, closed } = parseWritten(blankTrailingCommas(text));
  if (!args.ok) return null;
  const list = Object.hasOwn(args.value, LIST) ? args.value[LIST] : args.value["tool_calls"];
  const entries: unknown[] = Array.isArray(list) ? list : [args.value];
  const calls = entries.map((entry) => readCall(entry, isLabelled));
  if (!isLabelled && calls.includes(null)) return [];
  const last = calls.length - 1;
  return calls.flatMap((call, at) => {
    if (call === null) return [];
    // Only what was still open can be incomplete.
    return [closed && at === last ? { ...call, args: { ...call.args, closed } } : call];
  });
}

/** Find the name in a call that is no JSON, so that the model can be told what is wrong with it. */
export function findWrittenName(text: string): string | null {
  return NAMED.exec(text.slice(0, 2_000))?.[1] ?? null;
}

const NAMED = /["'](?:tool|tool_name|function|action|name)["']\s{0,9}:\s{0,9}["']([A-Za-z][\w.-]{0,63})["']/i;

/** A list stands under a name that no model writes: the parsed value is always an object. */
const LIST = "\u0000list";

function parseWritten(text: string): RepairedArguments {
  if (!text.startsWith("[")) return repairArguments(text);
  const list = `{${JSON.stringify(LIST)}:${text}`;
  const whole = repairArguments(`${list}}`);
  return whole.args.ok ? whole : repairArguments(list);
}

/** In the order in which they are believed. */
const NAME_KEYS = ["tool", "tool_name", "function", "action", "name"];
const ARGUMENT_KEYS = ["args", "arguments", "parameters", "action_input", "tool_input", "input"];
/** Other fields that an entry may have. */
const OTHER_KEYS = "id call_id type index thought thoughts reasoning reason depends_on".split(" ");
const KNOWN_KEYS: ReadonlySet<string> = new Set([...NAME_KEYS, ...ARGUMENT_KEYS, ...OTHER_KEYS]);

const TOOL_NAME = /^[A-Za-z][\w.-]{0,63}$/;

function readCall(entry: unknown, isLabelled: boolean): WrittenCall | null {
  if (!isJsonObject(entry)) return null;
  if (isBatch(entry["actions"])) return makeCall(BATCH_TOOL, entry);
  const fields = new Map(Object.entries(entry).map(([key, value]) => [toKey(key), value]));
  const inner = fields.get("function");
  if (isJsonObject(inner)) return readCall(inner, isLabelled);
  const name = NAME_KEYS.map((key) => fields.get(key))
    .find(isName)
    ?.trim();
  if (name === undefined) return null;
  const key = ARGUMENT_KEYS.find((key) => fields.has(key));
  const sent = key === undefined ? undefined : fields.get(key);
  if (isLabelled) return key === undefined ? withRest(name, entry) : makeCall(name, sent);
  if (key === undefined || [...fields.keys()].some((key) => !KNOWN_KEYS.has(key))) return null;
  const call = makeCall(name, sent);
  const isClear = TOOL_NAME.test(name) && sent !== null && call.args.args.ok;
  return isClear || isNoCall(name) ? call : null;
}

/** Names under which a model writes that it calls nothing, and the answer beside it. */
export function isNoCall(name: string): boolean {
  return NO_CALL.test(name);
}

const NO_CALL =
  /^(?:none(?: (?:is )?(?:needed|required|necessary))?|n\/a|na|nothing|not applicable|no (?:action|tool)(?: (?:is )?(?:needed|required))?|final[ _-]?answer|finish(?:ed)?)$/i;

function isBatch(actions: unknown): boolean {
  return (
    Array.isArray(actions) &&
    actions.length > 0 &&
    actions.every((action) => isJsonObject(action) && NAME_KEYS.some((key) => isName(action[key])))
  );
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** `Action Input`, `actionInput` and `action_input` are one key. */
function toKey(key: string): string {
  return key
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/[ -]/g, "_")
    .toLowerCase();
}

function makeCall(name: string, sent: unknown): WrittenCall {
  const args = repairArguments(typeof sent === "string" ? blankTrailingCommas(sent) : sent);
  return { name, sent, args };
}

/** Arguments that stand beside the name, as some models write them. */
function withRest(name: string, entry: JsonObject): WrittenCall {
  const rest = Object.entries(entry).filter(([key]) => !KNOWN_KEYS.has(toKey(key)));
  const sent = rest.length === 0 ? undefined : Object.fromEntries(rest);
  return { name, sent, args: repairArguments(sent) };
}
