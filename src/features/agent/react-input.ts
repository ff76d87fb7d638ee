import { attemptNow } from "../../feature/refuse.ts";
import { blankTrailingCommas, findJsonSpan } from "../../turns/json-span.ts";
import { repairArguments, type RepairedArguments } from "./dialect/repair-arguments.ts";
import {
  BLANK,
  endOfLine,
  FENCE_CLOSING,
  FENCE_OPENING,
  type LabelledText,
  type ReactLabel,
} from "./react-labels.ts";

/** The text behind a name. */
export interface Input {
  readonly args: RepairedArguments;
  readonly start: number;
  readonly end: number;
  /** Where reading has to end: what follows cannot be told from a broken call. */
  readonly stop?: number;
}

/**
 * Read the input that stands beside a name: on its line in brackets like a function's, behind a label, or as JSON alone, or as JSON
 * on the next line.
 *
 * @param after where the name ends
 */
export function readInputBeside(turn: LabelledText, after: number): Input | null {
  const lineEnd = endOfLine(turn.text, after);
  const open = turn.skip(/\(|\[|[ \t]+\((?=\s*\{)/y, after);
  if (open > after) {
    const closing = turn.text.charAt(open - 1) === "(" ? ")" : "]";
    const start = turn.skip(BLANK, open);
    if (start < turn.boundBehind(open) && turn.text.charAt(start) === "{") return readInput(turn, open);
    const close = turn.text.lastIndexOf(closing, lineEnd - 1);
    const inside = turn.text.slice(open, close < open ? lineEnd : close).trim();
    return { args: repairArguments(inside), start: open, end: lineEnd };
  }
  INLINE_INPUT.lastIndex = after;
  const label = INLINE_INPUT.exec(turn.text);
  if (label !== null) return readInput(turn, after + label[0].length);
  const inline = turn.match(INLINE_JSON, after);
  const json = inline === -1 ? turn.match(NEXT_JSON, after) : inline;
  return json === -1 ? null : readInput(turn, json);
}

/** Read the input whose label is the next thing behind `from`. */
export function readInputBehind(
  turn: LabelledText,
  from: number,
): (Input & { readonly isSure: boolean }) | null {
  const next = turn.labelBehind(from);
  if (!isInput(next) || !turn.isBlank(from, next.start)) return null;
  return { ...readInput(turn, next.end), isSure: next.kind === "action-input" };
}

/** Read an input: an object as far as its brackets go, or what stands on its line. */
function readInput(turn: LabelledText, from: number): Input {
  const next = turn.labelBehind(from)?.start ?? turn.text.length;
  const blank = turn.skip(BLANK, from);
  const fence = blank < next ? turn.skip(FENCE_OPENING, blank) : blank;
  // Where the text ends behind a label or a fence, the arguments may be what it ended before.
  if (fence >= turn.text.length)
    return { args: { ...repairArguments(""), closed: true }, start: from, end: turn.text.length };
  if (blank >= next) return { args: repairArguments(""), start: from, end: from };
  const isFenced = fence > blank;
  const start = /^['`]\s?[{[]/.test(turn.text.slice(fence, fence + 3)) ? fence + 1 : fence;
  return /[{[]/.test(turn.text.charAt(start))
    ? readObject(turn, { start, isFenced })
    : readPlain(turn, { start, end: Math.min(next, endOfLine(turn.text, start)) });
}

function readObject(
  turn: LabelledText,
  { start, isFenced }: { readonly start: number; readonly isFenced: boolean },
): Input {
  const bound = turn.boundBehind(start);
  const span = findJsonSpan(turn.text, start, bound);
  const behind = turn.skip(/[\s,;]*/y, span.end);
  // A second object is told to the model as one too many: nothing of what it wrote is left out without a word.
  const hasSecond = behind < bound && turn.text.charAt(behind) === "{";
  const isWhole = span.missing === "" && !hasSecond;
  const end = isWhole ? span.end : bound;
  // The said text ends without the blanks of its last string, so the call is read without them too.
  const text = turn.text.slice(start, end).trimEnd();
  const args = repairArguments(blankTrailingCommas(text));
  // The text that follows may be part of its last string: an action that is quoted there must not run.
  const isBroken = span.missing !== "" && !args.args.ok;
  return {
    args,
    start,
    end: isWhole ? turn.skip(isFenced ? FENCE_CLOSING : QUOTED, end) : end,
    ...(isBroken && { stop: bound }),
  };
}

function readPlain(turn: LabelledText, { start, end }: Pick<Input, "start" | "end">): Input {
  const text = turn.text.slice(start, end).trim();
  if (isNoInput(text)) return { args: repairArguments(""), start, end };
  // An object that was written out as a string.
  const inner = text.startsWith('"') ? attemptNow((): unknown => JSON.parse(text)) : null;
  const isObject =
    inner?.ok === true && typeof inner.value === "string" && inner.value.trim().startsWith("{");
  const sent = isObject ? inner.value : text;
  return { args: repairArguments(blankTrailingCommas(sent)), start, end };
}

/** Where begins the input of an action that may have none: behind a label on its line, or on the next one; -1 if it has none. */
export function findInput(turn: LabelledText, from: number): number {
  const inline = turn.match(INLINE_INPUT, from);
  if (inline !== -1) return inline;
  const lineEnd = endOfLine(turn.text, from);
  const next = turn.labelBehind(lineEnd);
  return isInput(next) && turn.isBlank(lineEnd, next.start) ? next.end : -1;
}

/** Whether a text says that a call has no arguments. */
export function isNoInput(text: string): boolean {
  return NO_INPUT.test(text);
}

function isInput(label: ReactLabel | undefined): label is ReactLabel {
  return label?.kind === "action-input" || label?.kind === "input";
}

const QUOTED = /['"`)\]]?/y;
/** An input on the name's own line, told by its label. */
const INLINE_INPUT =
  /[ \t]{0,9}[,;.:>\u2013\u2014-]{0,3}[ \t]{0,9}\*{0,3}(?:(?:action|tool)[ _-]?|with )?(?:input|args|arguments|parameters|params)\*{0,3}[ \t]{0,9}(?:[:=\uff1a]\*{0,3}|(?=\{))/iy;
/** An input on the name's own line, told by its bracket. */
const INLINE_JSON = /[ \t]{0,9}[,;:=>-]{0,3}[ \t]{0,9}(?:with[ \t]{1,9})?(?=['`]?\{|```)/iy;
/** An object on the line after the name, in a fence or not. */
const NEXT_JSON = /[ \t.:*]*\r?\n\s*(?=\{|`{3,}(?:json[c5]?)?\s*\{)/iy;
/** How a model says that a call has no arguments. */
const NO_INPUT =
  /^[("'[]?(?:none|null|nil|n\/a|empty|no (?:input|arguments|args|parameters)(?: (?:is |are )?(?:needed|required))?)?[)"'\]]?\.?$/i;

/** The answer in a text without calls: without the format's words. */
export function toAnswer(text: string): string {
  const final = /\bFinal Answer:\*{0,3}/.exec(text);
  if (final !== null) {
    const answer = text.slice(final.index + final[0].length).trim();
    if (answer !== "") return answer;
  }
  const thought = THOUGHT.exec(text);
  if (thought === null) return text.trim();
  const said = text.slice(thought[0].length);
  // LlamaIndex teaches models this label.
  const answer = /^\*{0,3}Answer\*{0,3}:\*{0,3}/m.exec(said);
  return (answer === null ? said : said.slice(answer.index + answer[0].length)).trim();
}

const THOUGHT =
  /^\s*[>#*_]{0,6}[ \t]{0,3}thoughts?(?:[ \t]{0,3}\d{1,3})?[*_]{0,4}[ \t]{0,3}[:\uff1a]\*{0,4}/i;

/** An answer given as an input: text, JSON text, or an object with that text alone. */
export function unwrapAnswer(sent: unknown): string {
  if (typeof sent !== "string") {
    const values = Object.values(sent ?? {}) as unknown[];
    return values.length === 1 && typeof values[0] === "string" ? values[0].trim() : JSON.stringify(sent);
  }
  const inner = /^\s*["{]/.test(sent) ? attemptNow((): unknown => JSON.parse(sent)) : null;
  if (inner?.ok !== true) return sent.trim();
  return typeof inner.value === "string" ? inner.value.trim() : unwrapAnswer(inner.value);
}
