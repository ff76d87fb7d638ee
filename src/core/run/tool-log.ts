import type { ToolLog } from "../catalog/define-tool.ts";
import * as LIMITS from "../contract/limits.ts";
import type { LogLevel } from "../egress/ports.ts";
import type { LookupFailure } from "../egress/tool-secrets.ts";
import { attemptNow } from "../kit/result.ts";
import type { CallScope } from "./call-scope.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** The call that a line is about. */
export interface LoggedCall {
  readonly tool: string;
  readonly scope: CallScope;
  /** Takes its secrets out of JSON text. */
  readonly redact: (json: string) => string;
  /** Keeps what is written of it with its outcome, secrets and all. */
  readonly keep?: (text: string) => void;
}

/**
 * Create the log of one call. Every line is one JSON text that says whose it is, with the tool's secrets taken out of all
 * of it, and there are so many lines and characters of a call, and of a request, and no more.
 *
 * Nothing is ever cut: half a secret is none that a redactor finds. A text that is too long is left out, and the line says so.
 */
export function createToolLog(call: LoggedCall): ToolLog {
  const own: Allowance = { characters: LIMITS.callLogCharacters, lines: LIMITS.logLines };
  const shared = allowanceOf(call.scope);
  const write = (level: LogLevel, message: unknown, fields: unknown): void => {
    if (isOver(own) || isOver(shared)) return;
    const head = { level, event: "tool_log" };
    const said = plainValue(message);
    const json =
      fields === undefined
        ? writeLine(call, head, { message: said })
        : writeLine(
            call,
            head,
            { message: said, fields: plainValue(fields) },
            { message: said, fields: TOO_LONG },
          );
    draw(own, json);
    draw(shared, json);
    if (LIMITS.logLines - own.lines <= LIMITS.linesKept)
      call.keep?.([message, fields].flatMap((part) => toText(part) ?? []).join(" "));
    if (!isOver(own) && !isOver(shared)) return call.scope.ports.log(level, json);
    const over = { message: "The rest is left out: it is too much." };
    call.scope.ports.log("warn", writeLine(call, { ...head, level: "warn" }, over));
  };
  const at = (level: LogLevel) => write.bind(null, level);
  return Object.assign(at("info"), { info: at("info"), warn: at("warn"), error: at("error") });
}

/** A part of a line as a person reads it; undefined for none. */
function toText(part: unknown): string | undefined {
  const said = plainValue(part);
  return typeof said === "string" ? said : JSON.stringify(said);
}

/** Log an exception that a tool did not throw on purpose. The caller is told `TOOL_FAILED`, and no more. */
export function logToolBug(error: unknown, call: LoggedCall): void {
  logError(call, { event: "tool_failed" }, error);
}

/** Log a bug of ours on the way to a call. The caller is told `INTERNAL`, and no more. */
export function logBug(error: unknown, call: LoggedCall): void {
  logError(call, { event: "bug" }, error);
}

/** Log why a secret could not be looked up. */
export function logLookup({ secret, cause }: LookupFailure, call: LoggedCall): void {
  logError(call, { event: "secret_lookup_failed", secret }, cause);
}

/** Never throws, whatever was thrown: its caller is about to answer for it. */
function logError(call: LoggedCall, head: object, thrown: unknown): void {
  const error = describeError(thrown);
  const json = writeLine(
    call,
    { level: "error", ...head },
    { error },
    { error: { ...error, message: TOO_LONG } },
  );
  const { error: shown } = JSON.parse(json) as { readonly error?: Described };
  const stack = shown?.stack ? `${call.tool}: ${shown.name}: ${shown.message}\n${shown.stack}` : undefined;
  call.scope.ports.log("error", json, stack);
}

interface Described {
  readonly name: unknown;
  readonly message: unknown;
  readonly stack?: string;
}

/** Name, message and frames of whatever was thrown. The frames alone: what stands above them is the message again. */
function describeError(thrown: unknown): Described {
  if (!(thrown instanceof Error)) return { name: "(no Error)", message: plainValue(thrown) };
  const read = attemptNow(() => {
    const { name, message } = thrown;
    // A stack begins with the message: where that is a document, writing it costs more than the frames are worth.
    const frames =
      message.length > LIMITS.callLogCharacters ? null : String(thrown.stack).match(/^ +at .*$/gm);
    return { name: plainValue(name), message: plainValue(message), stack: (frames ?? []).join("\n") };
  });
  return read.ok ? read.value : { name: "(unreadable)", message: "" };
}

const TOO_LONG = "(left out: too long)";

/** Write the first of these bodies that is not too long, or else that all were, without the tool's secrets. */
function writeLine({ tool, scope, redact }: LoggedCall, head: object, ...bodies: readonly object[]): string {
  const { tenant, key, requestId, traceId, account } = scope.origin;
  const whose = {
    ...head,
    request_id: requestId,
    trace_id: traceId,
    tenant,
    key,
    subject: account?.digest,
    tool,
  };
  for (const body of bodies) {
    const json = JSON.stringify({ ...whose, ...body });
    if (json.length <= LIMITS.logLineCharacters) return redact(json);
  }
  return JSON.stringify({ ...whose, message: TOO_LONG });
}

/** How much may still be logged. */
interface Allowance {
  characters: number;
  lines: number;
}

function isOver({ characters, lines }: Allowance): boolean {
  return characters < 0 || lines < 0;
}

function draw(allowance: Allowance, line: string): void {
  allowance.characters -= line.length;
  allowance.lines -= 1;
}

/** The allowance of every request that logs; it goes with the request. */
const allowances = new WeakMap<CallScope, Allowance>();

function allowanceOf(scope: CallScope): Allowance {
  return getOrMake(allowances, scope, () => ({
    characters: LIMITS.logCharacters,
    lines: Number.POSITIVE_INFINITY,
  }));
}

/** Values looked at: more make no line that anybody reads. */
const MOST_VALUES = 500;
const MOST_LEVELS = 8;
const LONGEST_TEXT = 8 * 1024;

/**
 * Make of any value one that JSON can say, for a line of a log: an error with its message, a large integer with its digits, bytes
 * by their number. A part that is too deep, too long or too much is named instead of shown, and one that cannot be read says so.
 * Looks at a bounded part of the value, however large it is or whatever circle it makes. Never throws.
 */
export function plainValue(value: unknown): unknown {
  const read = attemptNow(() => new Reading().plain(value, 0));
  return read.ok ? read.value : "(unreadable)";
}

class Reading {
  #left = MOST_VALUES;

  plain(value: unknown, level: number): unknown {
    this.#left -= 1;
    if (typeof value === "string") return shorten(value);
    if (typeof value === "bigint") return shorten(String(value));
    // A function may have a `toJSON` of its own, which is called when it is written.
    if (typeof value === "function") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if (level === MOST_LEVELS) return "(deeper)";
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `(${value.byteLength} bytes)`;
    if (value instanceof Error) return this.#record({ name: value.name, message: value.message }, level);
    // The JSON form of a date or an address.
    if ("toJSON" in value && typeof value.toJSON === "function") return this.plain(value.toJSON(), level + 1);
    return Array.isArray(value) ? this.#list(value, level) : this.#record(value, level);
  }

  #list(items: readonly unknown[], level: number): unknown[] {
    const shown: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) return [...shown, `(${items.length - shown.length} more)`];
      shown.push(this.plain(item, level + 1));
    }
    return shown;
  }

  #record(value: object, level: number): object {
    // Without a prototype, so that a key named `__proto__` is a key.
    const shown = Object.create(null) as Record<string, unknown>;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      if (this.#left <= 0) return Object.assign(shown, { "(more)": true });
      shown[shorten(key)] = this.plain((value as Readonly<Record<string, unknown>>)[key], level + 1);
    }
    return shown;
  }
}

function shorten(text: string): string {
  return text.length > LONGEST_TEXT ? `(text of ${text.length} characters)` : text;
}
