import * as LIMITS from "../../core/contract/limits.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { blankTrailingCommas, findJsonSpan } from "./dialect/json-span.ts";
import { findReactLabels, type LabelKind, type ReactLabel } from "./react-labels.ts";
import { repairArguments, type RepairedArguments } from "./dialect/repair-arguments.ts";
import { findWrittenName, isNoCall, readWrittenCalls, type WrittenCall } from "./written-call.ts";

/** The turn of a model without native tool calls: calls, or an answer. */
export interface ReactTurn {
  readonly calls: readonly { readonly name: string; readonly args: RepairedArguments }[];
  /** The message as it goes back into the conversation: nothing in it is invented, and every action in it was read. */
  readonly said: string;
  /** Null exactly when there are calls. */
  readonly answer: string | null;
}

/** More than a turn may run; the rest of the text is left out of what was said. */
const MOST_CALLS = 200;

/**
 * Read a turn that was written as thought, action and observation, however loosely.
 *
 * Labels count at the beginning of a line only, and an action needs a name and something that shows that it is meant: its
 * input, JSON, or its place in such a turn. So ordinary prose stays an answer. An observation is not the model's to write:
 * reading ends there. Linear in the text, whatever it says; text of more than `reactCharacters` is an answer.
 *
 * @example
 * readReactText('Thought: Look.\nAction: get_weather\nAction Input: {"city": "Phoenix"}').calls[0].name; // "get_weather"
 */
export function readReactText(text: string): ReactTurn {
  if (text.length > LIMITS.reactCharacters) return { calls: [], said: text, answer: text };
  const begin = behindThinking(text);
  const { calls, cut, answer } = new Reader(text.slice(begin)).read();
  return {
    calls,
    said: text.slice(0, begin + cut).trimEnd() || text,
    answer: calls.length > 0 ? null : answer,
  };
}

/** Reasoning models draft calls in a block of their own, which is not what they say in the end. */
function behindThinking(text: string): number {
  const end = text.indexOf("</think>");
  if (end === -1) return 0;
  const start = text.indexOf("<think>");
  const begin = end + "</think>".length;
  const isOutside = (start === -1 || text.slice(0, start).trim() === "") && text.slice(begin).trim() !== "";
  return isOutside ? begin : 0;
}

type Call = ReactTurn["calls"][number];

interface Read {
  readonly calls: readonly Call[];
  /** Where what was said ends. */
  readonly cut: number;
  readonly answer: string;
}

/** The text behind a name. */
interface Input {
  readonly args: RepairedArguments;
  readonly start: number;
  readonly end: number;
}

const BLANK = /[\s*]*/y;
/** Behind a fence's backticks stands its language, or what it holds. */
const FENCE_OPENING =
  /`{3,}[ \t]*(?:(?:json[c5]?|action|tool_code|tool_call|python|te?xt|plaintext|markdown)(?=[\s{[]|$))?\s*/iy;
const FENCE_CLOSING = /['"`)\]]?(?:\s*`{3,})?/y;
const QUOTED = /['"`)\]]?/y;
const NAME = /["'`“<[*]{0,4}(?<name>[A-Za-z][\w.-]{0,127})(?:["'`”>*]|\](?!\()){0,4}/y;
/** An input on the name's own line, told by its label. */
const INLINE_INPUT =
  /[ \t]{0,9}[,;.:>–—-]{0,3}[ \t]{0,9}\*{0,3}(?:(?:action|tool)[ _-]?|with )?(?:input|args|arguments|parameters|params)\*{0,3}[ \t]{0,9}(?:[:=：]\*{0,3}|(?=\{))/iy;
/** An input on the name's own line, told by its bracket. */
const INLINE_JSON = /[ \t]{0,9}[,;:=>-]{0,3}[ \t]{0,9}(?:with[ \t]{1,9})?(?=['`]?\{|```)/iy;
/** An object on the line after the name, in a fence or not. */
const NEXT_JSON = /[ \t.:*]*\r?\n\s*(?=\{|`{3,}(?:json[c5]?)?\s*\{)/iy;
const NAME_ENDS = /^[\s.:;*`\])>"'-]*$/;
/** How a model says that a call has no arguments. */
const NO_INPUT =
  /^[("'[]?(?:none|null|nil|n\/a|empty|no (?:input|arguments|args|parameters)(?: (?:is |are )?(?:needed|required))?)?[)"'\]]?\.?$/i;

class Reader {
  readonly #text: string;
  readonly #labels: readonly ReactLabel[];
  /** The bounds of a piece of JSON: none of them can stand inside one, for it begins a line that is no JSON. */
  readonly #bounds: readonly ReactLabel[];
  readonly #first: number;
  readonly #calls: Call[] = [];
  #inTurn = false;
  /** Where reading has to end: what follows cannot be told from a broken call. */
  #stop = -1;
  /** The text of an action that is none. */
  #answer: string | null = null;
  /** Where the first action that is none stands. */
  #quiet = -1;
  /** Actions that were none and JSON that was no call: a sound turn has few, and each costs as much as a call. */
  #misses = 0;

  constructor(text: string) {
    this.#text = text;
    this.#labels = findReactLabels(text);
    this.#bounds = this.#labels.filter(({ kind }) => kind !== "inline-action");
    this.#first = text.search(/\S/);
  }

  read(): Read {
    const hasFinal = this.#labels.some(({ kind }) => kind === "final");
    let cursor = this.#readWhole();
    for (const label of this.#labels) {
      const { kind, start } = label;
      if (this.#answer !== null || this.#stop !== -1 || this.#isFull) break;
      if (start < cursor) continue;
      const hasBegun = this.#inTurn || this.#calls.length > 0;
      if (kind === "thought") this.#inTurn = true;
      // As a heading in an answer it is the model's own.
      else if (kind === "observation" && (hasBegun || (label.isPlain && hasFinal && this.#first < start)))
        return this.#end(start);
      else if (kind === "final") return this.#calls.length > 0 ? this.#end(start) : this.#readFinal(label);
      // A second input of one call: what was said ends before it, so the model knows that it was not read.
      else if (kind === "action-input" && this.#calls.length > 0) return this.#end(start);
      else if (kind === "fence" || kind === "tag") cursor = this.#readBare(label);
      else if (ACTIONS.has(kind) && (kind !== "inline-action" || hasBegun)) cursor = this.#readAction(label);
      if (this.#answer !== null && this.#calls.length > 0) return this.#end(start);
    }
    if (this.#answer !== null) return { calls: [], cut: this.#answerEnd(cursor), answer: this.#answer };
    if (this.#stop !== -1) return this.#end(this.#stop);
    return this.#end(this.#calls.length > 0 && this.#isFull ? cursor : this.#text.length);
  }

  get #isFull(): boolean {
    return this.#calls.length >= MOST_CALLS || this.#misses >= MOST_CALLS;
  }

  /** A turn that says nothing more. Without calls, what was said is the answer. */
  #end(cut: number): Read {
    if (this.#calls.length > 0) return { calls: this.#calls.slice(0, MOST_CALLS), cut, answer: "" };
    const answer = toAnswer(this.#text.slice(0, this.#quiet === -1 ? cut : this.#quiet));
    return { calls: [], cut, answer: answer || toAnswer(this.#text.slice(0, cut)) };
  }

  #readFinal({ start, end }: ReactLabel): Read {
    const cut = this.#answerEnd(end);
    const answer = this.#text.slice(end, cut).trim() || toAnswer(this.#text.slice(0, start));
    return { calls: [], cut, answer };
  }

  /** Where an answer ends that begins at `start`: before another turn that the model went on to invent. */
  #answerEnd(start: number): number {
    const later = this.#bounds.filter((label) => label.start >= start);
    const runaway = later.findIndex(
      ({ kind, isPlain }, at) =>
        isPlain &&
        (kind === "thought" ||
          kind === "observation" ||
          (kind === "action" && later[at + 1]?.kind === "action-input")),
    );
    return later[runaway]?.start ?? this.#text.length;
  }

  /** Read a text that is nothing but calls as JSON. */
  #readWhole(): number {
    const calls: WrittenCall[] = [];
    let at = this.#first;
    while (/[{[]/.test(this.#text.charAt(at))) {
      const bound = this.#boundBehind(at);
      const { end, missing } = findJsonSpan(this.#text, at, bound);
      const read = readWrittenCalls(this.#text.slice(at, end), false) ?? [];
      if (read.length === 0) return 0;
      calls.push(...read);
      const next = this.#skip(/[\s;,]*/y, end);
      if (next >= bound || missing !== "" || calls.length >= MOST_CALLS) {
        this.#push(calls);
        return end;
      }
      at = next;
    }
    return 0;
  }

  /** Read JSON that stands in a fence, or behind a tag, and is plainly a call. */
  #readBare({ kind, end: from }: ReactLabel): number {
    const start = this.#skip(BLANK, from);
    if (!/[{[]/.test(this.#text.charAt(start))) return from;
    const { end } = findJsonSpan(this.#text, start, this.#boundBehind(from));
    const calls = readWrittenCalls(this.#text.slice(start, end), false) ?? [];
    if (calls.length === 0) this.#misses += 1;
    this.#push(calls);
    return calls.length > 0 && kind === "fence" ? this.#skip(FENCE_CLOSING, end) : end;
  }

  /** Read what an action's label stands before; where it is no action, nothing of it is read. */
  #readAction(label: ReactLabel): number {
    const next = this.#labelBehind(label.end);
    let start = this.#skip(BLANK, label.end);
    if (start >= (next?.start ?? this.#text.length)) return label.end;
    const fence = this.#skip(FENCE_OPENING, start);
    const isFenced = fence > start;
    start = fence;
    if (/\{|\[\s*\{/y.test(this.#text.slice(start, start + 200))) return this.#readJson(label, start);
    return label.kind === "actions" ? label.end : this.#readNamed(label, start, isFenced);
  }

  #readJson(label: ReactLabel, start: number): number {
    const bound = this.#boundBehind(start);
    const { end, missing } = findJsonSpan(this.#text, start, bound);
    const text = this.#text.slice(start, end).trimEnd();
    const calls = readWrittenCalls(text, true);
    const name = calls === null ? findWrittenName(text) : null;
    if (calls === null || calls.length === 0) this.#misses += 1;
    if (name !== null) {
      this.#calls.push({ name, args: repairArguments(blankTrailingCommas(text)) });
      if (missing !== "") this.#stop = bound;
    }
    const [only] = calls ?? [];
    if (calls?.length === 1 && only!.sent === undefined && !isNoCall(only!.name)) {
      const input = this.#inputBehind(end);
      if (input !== null) {
        this.#calls.push({ name: only!.name, args: input.args });
        return input.end;
      }
    }
    this.#push(calls ?? []);
    if (only !== undefined && calls!.every((call) => isNoCall(call.name)) && this.#quiet === -1)
      this.#quiet = label.start;
    return end;
  }

  #push(calls: readonly WrittenCall[]): void {
    for (const { name, sent, args } of calls) {
      if (!isNoCall(name)) this.#calls.push({ name, args });
      else if (calls.length === 1 && sent !== undefined && sent !== null) this.#answer = unwrapAnswer(sent);
    }
  }

  #readNamed(label: ReactLabel, start: number, isFenced: boolean): number {
    const lineEnd = endOfLine(this.#text, start);
    const line = this.#text.slice(start, lineEnd);
    const none = NO_ACTION.exec(line);
    if (none !== null) return this.#readNone(label, start + none[0].length, lineEnd);
    NAME.lastIndex = start;
    const found = NAME.exec(this.#text);
    const name = found?.groups!["name"]!.replace(/[.-]+$/, "");
    const after = start + (found?.[0].length ?? 0);
    if (name !== undefined && name !== "") {
      const input = this.#inlineInput(after, lineEnd) ?? this.#jsonBehind(after);
      if (input !== null) return this.#add(name, input);
    }
    const input = this.#inputBehind(lineEnd);
    const isName = name !== undefined && NAME_ENDS.test(this.#text.slice(after, lineEnd));
    if (input !== null && (input.isSure || this.#text.charAt(input.start) === "{"))
      return this.#add(isName ? name : guessName(line), input);
    if (!isName || !this.#isMeant(label, found![0], input?.end ?? lineEnd, isFenced))
      return this.#miss(label, input);
    return this.#add(name, input ?? { args: repairArguments(""), start, end: lineEnd });
  }

  /** Leave what is no action; what its input would have stopped does not count either. */
  #miss({ end }: ReactLabel, input: Input | null): number {
    if (input !== null) this.#misses += 1;
    this.#stop = -1;
    return end;
  }

  #add(name: string, { args, end }: Input): number {
    this.#calls.push({ name, args });
    return end;
  }

  /** Whether a name that stands alone is called: where a turn is under way, or it can be nothing but a tool's. */
  #isMeant({ isPlain, start }: ReactLabel, written: string, end: number, isFenced: boolean): boolean {
    const next = this.#labelBehind(end);
    const rest = this.#text.slice(end, next?.start ?? this.#text.length);
    const isLast = /^[\s`*]*$/.test(rest);
    const isToolLike = /_|[a-z][A-Z]/.test(written) || /^["'`]/.test(written);
    if (this.#inTurn || this.#calls.length > 0) return isPlain || isFenced || isLast;
    return isLast ? isToolLike || (isPlain && start <= this.#first) : isToolLike && isPlain;
  }

  /** Read an action that says that there is none: what it has for an input, or what follows, is the answer. */
  #readNone(label: ReactLabel, from: number, lineEnd: number): number {
    this.#misses += 1;
    const input = this.#noneInput(from, lineEnd);
    // An input of none, and then another action: that one is meant.
    const [brief] =
      input === -1 ? [insideBrackets(this.#text.slice(from, lineEnd))] : this.#textUntil(input, TURN_STOPS);
    if (!NO_INPUT.test(brief)) {
      const [said, end] = input === -1 ? [brief, lineEnd] : this.#textUntil(input, ANSWER_STOPS);
      this.#answer = unwrapAnswer(said);
      return end;
    }
    if (this.#quiet === -1) this.#quiet = label.start;
    if (input !== -1) return lineEnd;
    const [behind, stop] = this.#textUntil(lineEnd, TURN_STOPS);
    const follower = this.#labelBehind(stop)?.kind;
    if (behind !== "" && (follower === undefined || follower === "observation")) this.#answer = behind;
    return lineEnd;
  }

  /** Where the input of an action begins that is none; -1 where it has none. */
  #noneInput(from: number, lineEnd: number): number {
    const inline = this.#match(INLINE_INPUT, from);
    if (inline !== -1) return inline;
    const next = this.#labelBehind(lineEnd);
    return isInput(next) && this.#isBlank(lineEnd, next.start) ? next.end : -1;
  }

  #textUntil(from: number, isStop: (kind: LabelKind) => boolean): readonly [said: string, end: number] {
    const end = this.#labelBehind(from, isStop)?.start ?? this.#text.length;
    return [this.#text.slice(from, end).trim(), end];
  }

  /** Read an input on the name's own line: in brackets like a function's, behind a label, or as JSON alone. */
  #inlineInput(after: number, lineEnd: number): Input | null {
    const open = this.#skip(/\(|\[|[ \t]+\((?=\s*\{)/y, after);
    if (open > after) {
      const closing = this.#text.charAt(open - 1) === "(" ? ")" : "]";
      const start = this.#skip(BLANK, open);
      if (start < this.#boundBehind(open) && this.#text.charAt(start) === "{") return this.#readInput(open);
      const close = this.#text.lastIndexOf(closing, lineEnd - 1);
      const inside = this.#text.slice(open, close < open ? lineEnd : close).trim();
      return { args: repairArguments(inside), start: open, end: lineEnd };
    }
    INLINE_INPUT.lastIndex = after;
    const label = INLINE_INPUT.exec(this.#text);
    if (label !== null) return this.#readInput(after + label[0].length);
    const json = this.#match(INLINE_JSON, after);
    return json === -1 ? null : this.#readInput(json);
  }

  #jsonBehind(after: number): Input | null {
    const json = this.#match(NEXT_JSON, after);
    return json === -1 ? null : this.#readInput(json);
  }

  /** Read the input whose label is the next thing behind `from`. */
  #inputBehind(from: number): (Input & { readonly isSure: boolean }) | null {
    const next = this.#labelBehind(from);
    if (!isInput(next) || !this.#isBlank(from, next.start)) return null;
    return { ...this.#readInput(next.end), isSure: next.kind === "action-input" };
  }

  /** Read an input: an object as far as its brackets go, or what stands on its line. */
  #readInput(from: number): Input {
    const next = this.#labelBehind(from)?.start ?? this.#text.length;
    const blank = this.#skip(BLANK, from);
    const fence = blank < next ? this.#skip(FENCE_OPENING, blank) : blank;
    // Where the text ends behind a label or a fence, the arguments may be what it ended before.
    if (fence >= this.#text.length)
      return { args: { ...repairArguments(""), closed: true }, start: from, end: this.#text.length };
    if (blank >= next) return { args: repairArguments(""), start: from, end: from };
    const isFenced = fence > blank;
    const start = /^['`]\s?[{[]/.test(this.#text.slice(fence, fence + 3)) ? fence + 1 : fence;
    return /[{[]/.test(this.#text.charAt(start))
      ? this.#readObject(start, isFenced)
      : this.#readPlain(start, Math.min(next, endOfLine(this.#text, start)));
  }

  #readObject(start: number, isFenced: boolean): Input {
    const bound = this.#boundBehind(start);
    const span = findJsonSpan(this.#text, start, bound);
    const behind = this.#skip(/[\s,;]*/y, span.end);
    // A second object is told to the model as one too many: nothing of what it wrote is left out without a word.
    const hasSecond = behind < bound && this.#text.charAt(behind) === "{";
    const isWhole = span.missing === "" && !hasSecond;
    const end = isWhole ? span.end : bound;
    // The said text ends without the blanks of its last string, so the call is read without them too.
    const text = this.#text.slice(start, end).trimEnd();
    const args = repairArguments(blankTrailingCommas(text));
    // The text that follows may be part of its last string: an action that is quoted there must not run.
    if (span.missing !== "" && !args.args.ok) this.#stop = bound;
    return { args, start, end: isWhole ? this.#skip(isFenced ? FENCE_CLOSING : QUOTED, end) : end };
  }

  #readPlain(start: number, end: number): Input {
    const text = this.#text.slice(start, end).trim();
    if (NO_INPUT.test(text)) return { args: repairArguments(""), start, end };
    // An object that was written out as a string.
    const inner = text.startsWith('"') ? attemptNow((): unknown => JSON.parse(text)) : null;
    const isObject =
      inner?.ok === true && typeof inner.value === "string" && inner.value.trim().startsWith("{");
    const sent = isObject ? inner.value : text;
    return { args: repairArguments(blankTrailingCommas(sent)), start, end };
  }

  #skip(pattern: RegExp, from: number): number {
    return Math.max(this.#match(pattern, from), from);
  }

  /** Where a sticky pattern ends that matches at `from`; -1 where it does not. */
  #match(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.test(this.#text) ? pattern.lastIndex : -1;
  }

  #isBlank(from: number, to: number): boolean {
    return /^[\s`*"'.:]*$/.test(this.#text.slice(from, to));
  }

  /** Where the first thing begins, at `from` or behind it, that no JSON holds. */
  #boundBehind(from: number): number {
    return this.#bounds[this.#indexBehind(from)]?.start ?? this.#text.length;
  }

  /** The first label at `from` or behind it; a fence labels nothing. */
  #labelBehind(from: number, isMeant: (kind: LabelKind) => boolean = isNoFence): ReactLabel | undefined {
    let index = this.#indexBehind(from);
    while (index < this.#bounds.length && !isMeant(this.#bounds[index]!.kind)) index += 1;
    return this.#bounds[index];
  }

  #indexBehind(from: number): number {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#bounds[middle]!.start < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const ACTIONS: ReadonlySet<LabelKind> = new Set(["action", "actions", "inline-action"]);

const isNoFence = (kind: LabelKind): boolean => kind !== "fence";
const ANSWER_STOPS = (kind: LabelKind): boolean =>
  kind === "thought" || kind === "observation" || kind === "final";
const TURN_STOPS = (kind: LabelKind): boolean => ANSWER_STOPS(kind) || kind === "action";

/** An action that is none, and nothing else but what it is given. */
const NO_ACTION =
  /^["'`[(<*]{0,3}(?:none(?: (?:is )?(?:needed|required|necessary))?|n\/a|na|nothing|not applicable|no (?:action|tool)(?: (?:is )?(?:needed|required))?|final[ _-]?answer|finish(?:ed)?)["'`>*]{0,3}[)\]]?\.?(?=[ \t]*(?:$|[[(:,.–—-]|(?:with )?(?:action[ _-]?)?input\b))/i;

function isInput(label: ReactLabel | undefined): label is ReactLabel {
  return label?.kind === "action-input" || label?.kind === "input";
}

/** The text on the own line of an action that is none: `finish[the answer]`. A remark behind it is none. */
function insideBrackets(rest: string): string {
  if (!/^(?:[[(]|[ \t]{0,9}:)/.test(rest)) return "";
  const said = rest.trim();
  return said.slice(1, /[)\]]$/.test(said) ? -1 : undefined).trim();
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** A model that says which tool in a sentence quotes its name, or writes it as no word is written. */
function guessName(line: string): string {
  const quoted = /[`"'](?<name>[A-Za-z][\w-]{0,63})[`"']/.exec(line)?.groups!["name"];
  return quoted ?? /\b[A-Za-z]\w{0,40}_\w{1,40}\b/.exec(line)?.[0] ?? line.slice(0, 100).trim();
}

/** The answer in a text without calls: without the format's words. */
function toAnswer(text: string): string {
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

const THOUGHT = /^\s*[>#*_]{0,6}[ \t]{0,3}thoughts?(?:[ \t]{0,3}\d{1,3})?[*_]{0,4}[ \t]{0,3}[:：]\*{0,4}/i;

/** An answer given as an input: text, JSON text, or an object with that text alone. */
function unwrapAnswer(sent: unknown): string {
  if (typeof sent !== "string") {
    const values = Object.values(sent ?? {}) as unknown[];
    return values.length === 1 && typeof values[0] === "string" ? values[0].trim() : JSON.stringify(sent);
  }
  const inner = /^\s*["{]/.test(sent) ? attemptNow((): unknown => JSON.parse(sent)) : null;
  if (inner?.ok !== true) return sent.trim();
  return typeof inner.value === "string" ? inner.value.trim() : unwrapAnswer(inner.value);
}
