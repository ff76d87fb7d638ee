import type { ToolLog } from "../catalog/define-tool.ts";
import { LIMITS } from "../contract/limits.ts";
import type { LogLevel } from "../egress/ports.ts";
import type { LookupFailure } from "../egress/tool-secrets.ts";
import { plainValue } from "../kit/plain-value.ts";
import { attemptNow } from "../kit/result.ts";
import type { CallScope } from "./call-scope.ts";

/** The call that a line is about. */
export interface LoggedCall {
  readonly tool: string;
  readonly scope: CallScope;
  /** Takes its secrets out of JSON text. */
  readonly redact: (json: string) => string;
}

/**
 * Create the log of one call. Every line is one JSON text that says whose it is, with the tool's secrets taken out of all
 * of it, and there are so many lines and characters of a call, and of a request, and no more.
 *
 * Nothing is ever cut: half a secret is none that a redactor finds. What is too long is left out, and the line says so.
 */
export function createToolLog(call: LoggedCall): ToolLog {
  const own = new Allowance(LIMITS.callLogCharacters, LIMITS.logLines);
  const shared = allowanceOf(call.scope);
  const write = (level: LogLevel, message: unknown, fields: unknown): void => {
    if (own.isOver || shared.isOver) return;
    const json = writeLine(call, { level, event: "tool_log" }, [
      { message: plainValue(message), ...(fields !== undefined && { fields: plainValue(fields) }) },
      { message: plainValue(message), fields: "(left out: too long)" },
      { message: "(left out: too long)" },
    ]);
    // Both are drawn, so that neither is ever drawn from again once it is over.
    const fits = [own.draw(json.length), shared.draw(json.length)].every(Boolean);
    if (fits) return call.scope.ports.log(level, json);
    const told = { message: "The rest of what this tool logs is left out: it is too much." };
    call.scope.ports.log("warn", writeLine(call, { level: "warn", event: "tool_log" }, [told]));
  };
  const at =
    (level: LogLevel) =>
    (message: string, fields?: unknown): void =>
      write(level, message, fields);
  return Object.assign(at("info"), { info: at("info"), warn: at("warn"), error: at("error") });
}

/** Tell the operator of an exception that a tool did not throw on purpose. The caller is told `TOOL_FAILED`, and no more. */
export function logToolBug(error: unknown, call: LoggedCall): void {
  logError("tool_failed", error, call);
}

/** Tell the operator why a secret could not be looked up. */
export function logLookup({ secret, cause }: LookupFailure, call: LoggedCall): void {
  logError("secret_lookup_failed", cause, call, { secret });
}

function logError(event: string, error: unknown, call: LoggedCall, more: object = {}): void {
  const { name, message, stack } = describeError(error);
  const head = { level: "error", event, ...more };
  const json = writeLine(call, head, [
    { error: { name, message, stack } },
    { error: { name, message: "(left out: too long)", stack } },
    { error: { name, message: "(left out: too long)" } },
  ]);
  const written = JSON.parse(json) as {
    readonly error: { readonly message: string; readonly stack?: string };
  };
  const shown =
    written.error.stack === undefined
      ? undefined
      : `${call.tool}: ${name}: ${written.error.message}\n${written.error.stack}`;
  call.scope.ports.log("error", json, shown);
}

/** Name, message and frames of whatever was thrown. The frames alone: what stands above them is the message again. */
function describeError(error: unknown): {
  readonly name: string;
  readonly message: unknown;
  readonly stack: string;
} {
  const read = attemptNow(() => {
    if (!(error instanceof Error)) return { name: "(no Error)", message: plainValue(error), stack: "" };
    // A stack begins with the message: where that is a document, writing it costs more than the frames are worth.
    const isShort = error.message.length <= LIMITS.callLogCharacters;
    const frames = (isShort && String(error.stack).match(/^ +at .*$/gm)) || [];
    return { name: error.name, message: plainValue(error.message), stack: frames.join("\n") };
  });
  return read.ok ? read.value : { name: "(unreadable)", message: "", stack: "" };
}

/** Write the first of these bodies that is not too long, without the tool's secrets. The last one always fits. */
function writeLine(
  { tool, scope, redact }: LoggedCall,
  head: object,
  bodies: readonly [object, ...object[]],
): string {
  const { tenant, key, requestId } = scope.origin;
  const whose = { ...head, request_id: requestId, tenant, key, tool };
  for (const body of bodies) {
    const json = JSON.stringify({ ...whose, ...body });
    if (json.length <= LIMITS.logLineCharacters) return redact(json);
  }
  return JSON.stringify(whose);
}

/** How much may still be logged. */
class Allowance {
  #characters: number;
  #lines: number;

  constructor(characters: number, lines: number) {
    this.#characters = characters;
    this.#lines = lines;
  }

  get isOver(): boolean {
    return this.#characters < 0 || this.#lines < 0;
  }

  /** Draw a line; false when it is too much. */
  draw(characters: number): boolean {
    this.#characters -= characters;
    this.#lines -= 1;
    return !this.isOver;
  }
}

/** Of every request that logs; it goes with the request. */
const allowances = new WeakMap<CallScope, Allowance>();

function allowanceOf(scope: CallScope): Allowance {
  let allowance = allowances.get(scope);
  if (allowance === undefined) {
    allowance = new Allowance(LIMITS.logCharacters, Number.POSITIVE_INFINITY);
    allowances.set(scope, allowance);
  }
  return allowance;
}
