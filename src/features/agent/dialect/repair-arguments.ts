import { err, type Failure, type Result } from "../../../feature/refuse.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import { innerText, NAMELESS, parseCallArguments } from "../../../turns/parse-call-arguments.ts";
import { findJsonSpan } from "../../../turns/json-span.ts";

/** A call's arguments, or why they are not to be used. */
export interface RepairedArguments {
  readonly args: Result<JsonObject, Failure>;
  /** The text ended too early, and brackets were appended: something may be missing, which matters for a write. */
  readonly closed: boolean;
  /** The arguments as JSON text, to the byte as they were sent where that is the text of an object; of those that are not to be used, `{}`. */
  readonly written: string;
}

/**
 * Parse a call's arguments as a provider carries them, taken out of a Markdown fence and closed by brackets where needed.
 *
 * Nothing is ever added but closing brackets, in the order in which they are missing: no quote, no value, and no comma is taken
 * away. So every value in what is closed is one that the model wrote out, save a number at the very end, which is taken as it
 * stands. Text that stays wrong has the failure of the text as it was sent, whose hint says line and column there.
 *
 * @example
 * repairArguments('```json\n{"city": "Phoenix"'); // { args: ok({ city: "Phoenix" }), closed: true, written: '{"city": "Phoenix"}' }
 */
export function repairArguments(sent: unknown): RepairedArguments {
  const args = parseCallArguments(sent);
  if (args.ok || typeof sent !== "string") return { args, closed: false, written: writtenAs(sent, args) };
  const found = findObjectText(sent);
  const written = found === null ? "" : found.text + found.missing;
  const repaired = found === null ? args : parseCallArguments(written);
  return repaired.ok && found !== null
    ? { args: repaired, closed: found.missing !== "", written }
    : { args, closed: false, written: writtenAs(sent, args) };
}

/** The arguments of a call; a call without a name has its failure in their place. */
export function readArguments(name: string, sent: unknown): RepairedArguments {
  const read = repairArguments(sent);
  return name.trim() === "" ? { ...read, args: err(NAMELESS), closed: false } : read;
}

/** Arguments that were not repaired, as JSON text: that of an object, because servers read it as one. */
function writtenAs(sent: unknown, args: Result<JsonObject, Failure>): string {
  if (!args.ok) return "{}";
  const text = typeof sent === "string" ? innerText(sent) : "";
  return text.trimStart().startsWith("{") ? text : JSON.stringify(args.value);
}

/** Find the one object that the text is, or that its first fence holds; null where something else stands beside it. */
function findObjectText(sent: string): { readonly text: string; readonly missing: string } | null {
  const fenced = behindFence(sent);
  const start = fenced ?? skip(SPACE, sent, 0);
  if (sent.charAt(start) !== "{") return null;
  const { end, missing } = findJsonSpan(sent, start);
  const rest = skip(SPACE, sent, end);
  const isOver = rest === sent.length || (fenced !== null && sent.startsWith(FENCE, rest));
  return isOver ? { text: sent.slice(start, end), missing } : null;
}

const FENCE = "```";
/** As JSON has it: any other space would have been refused without a fence. */
const SPACE = /[ \t\n\r]*/y;
const BACKTICKS = /`+[\w+-]{0,32}\s*/y;

/**
 * The offset of the text in the first fence; null where there is none. A fence inside an argument is no fence around the
 * arguments, so nothing before it may have begun an object, a list or a text.
 */
function behindFence(sent: string): number | null {
  const fence = sent.indexOf(FENCE);
  if (fence === -1) return null;
  const before = sent.slice(0, fence);
  return before.includes("{") || /^\s*["[]/.test(before) ? null : skip(BACKTICKS, sent, fence);
}

/** Where a sticky pattern that always matches ends. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}
