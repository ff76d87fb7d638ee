import * as LIMITS from "./limits.ts";
import { blankTrailingCommas, findJsonSpan } from "../../turns/json-span.ts";
import {
  BLANK,
  endOfLine,
  FENCE_CLOSING,
  FENCE_OPENING,
  type LabelKind,
  LabelledText,
  type ReactLabel,
} from "./react-labels.ts";
import {
  findInput,
  type Input,
  isNoInput,
  readInputBehind,
  readInputBeside,
  toAnswer,
  unwrapAnswer,
} from "./react-input.ts";
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

const NAME = /["'`\u201c<[*]{0,4}(?<name>[A-Za-z][\w.-]{0,127})(?:["'`\u201d>*]|\](?!\()){0,4}/y;
const NAME_ENDS = /^[\s.:;*`\])>"'-]*$/;

class Reader {
  readonly #turn: LabelledText;
  readonly #text: string;
  readonly #first: number;
  readonly #calls: Call[] = [];
  #inTurn = false;
  /** Where reading has to end: what follows cannot be told from a broken call. */
  #stop = -1;
  /** The text of an action that cannot be read. */
  #answer: string | null = null;
  /** Where the first unreadable action stands. */
  #quiet = -1;
  /** Unreadable actions and JSON that was no call: a sound turn has few, and each costs as much as a call. */
  #misses = 0;

  constructor(text: string) {
    this.#turn = new LabelledText(text);
    this.#text = text;
    this.#first = text.search(/\S/);
  }

  read(): Read {
    const hasFinal = this.#turn.labels.some(({ kind }) => kind === "final");
    let cursor = this.#readWhole();
    for (const label of this.#turn.labels) {
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
    const later = this.#turn.bounds.filter((label) => label.start >= start);
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
      const bound = this.#turn.boundBehind(at);
      const { end, missing } = findJsonSpan(this.#text, at, bound);
      const read = readWrittenCalls(this.#text.slice(at, end), false) ?? [];
      if (read.length === 0) return 0;
      calls.push(...read);
      const next = this.#turn.skip(/[\s;,]*/y, end);
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
    const start = this.#turn.skip(BLANK, from);
    if (!/[{[]/.test(this.#text.charAt(start))) return from;
    const { end } = findJsonSpan(this.#text, start, this.#turn.boundBehind(from));
    const calls = readWrittenCalls(this.#text.slice(start, end), false) ?? [];
    if (calls.length === 0) this.#misses += 1;
    this.#push(calls);
    return calls.length > 0 && kind === "fence" ? this.#turn.skip(FENCE_CLOSING, end) : end;
  }

  /** Read what an action's label stands before; where it is no action, nothing of it is read. */
  #readAction(label: ReactLabel): number {
    const next = this.#turn.labelBehind(label.end);
    let start = this.#turn.skip(BLANK, label.end);
    if (start >= (next?.start ?? this.#text.length)) return label.end;
    const fence = this.#turn.skip(FENCE_OPENING, start);
    const isFenced = fence > start;
    start = fence;
    if (/\{|\[\s*\{/y.test(this.#text.slice(start, start + 200))) return this.#readJson(label, start);
    return label.kind === "actions" ? label.end : this.#readNamed(label, start, isFenced);
  }

  #readJson(label: ReactLabel, start: number): number {
    const bound = this.#turn.boundBehind(start);
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
      const input = readInputBehind(this.#turn, end);
      if (input !== null) {
        return this.#add(only!.name, input);
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
      const input = readInputBeside(this.#turn, after);
      if (input !== null) return this.#add(name, input);
    }
    const input = readInputBehind(this.#turn, lineEnd);
    const isName = name !== undefined && NAME_ENDS.test(this.#text.slice(after, lineEnd));
    if (input !== null && (input.isSure || this.#text.charAt(input.start) === "{"))
      return this.#add(isName ? name : guessName(line), input);
    if (!isName || !this.#isMeant(label, found![0], input?.end ?? lineEnd, isFenced))
      return this.#miss(label, input);
    return this.#add(name, input ?? { args: repairArguments(""), start, end: lineEnd });
  }

  /** Leave what is no action, with what its input would have stopped. */
  #miss({ end }: ReactLabel, input: Input | null): number {
    if (input !== null) this.#misses += 1;
    return end;
  }

  #add(name: string, { args, end, stop }: Input): number {
    this.#calls.push({ name, args });
    if (stop !== undefined) this.#stop = stop;
    return end;
  }

  /** Whether a name that stands alone is called: where a turn is under way, or it can be nothing but a tool's. */
  #isMeant({ isPlain, start }: ReactLabel, written: string, end: number, isFenced: boolean): boolean {
    const next = this.#turn.labelBehind(end);
    const rest = this.#text.slice(end, next?.start ?? this.#text.length);
    const isLast = /^[\s`*]*$/.test(rest);
    const isToolLike = /_|[a-z][A-Z]/.test(written) || /^["'`]/.test(written);
    if (this.#inTurn || this.#calls.length > 0) return isPlain || isFenced || isLast;
    return isLast ? isToolLike || (isPlain && start <= this.#first) : isToolLike && isPlain;
  }

  /** Read an action that says that there is none: what it has for an input, or what follows, is the answer. */
  #readNone(label: ReactLabel, from: number, lineEnd: number): number {
    this.#misses += 1;
    const input = findInput(this.#turn, from);
    // An input of none, and then another action: that one is meant.
    const [brief] =
      input === -1
        ? [insideBrackets(this.#text.slice(from, lineEnd))]
        : this.#turn.textUntil(input, TURN_STOPS);
    if (!isNoInput(brief)) {
      const [said, end] = input === -1 ? [brief, lineEnd] : this.#turn.textUntil(input, ANSWER_STOPS);
      this.#answer = unwrapAnswer(said);
      return end;
    }
    if (this.#quiet === -1) this.#quiet = label.start;
    if (input !== -1) return lineEnd;
    const [behind, stop] = this.#turn.textUntil(lineEnd, TURN_STOPS);
    const follower = this.#turn.labelBehind(stop)?.kind;
    if (behind !== "" && (follower === undefined || follower === "observation")) this.#answer = behind;
    return lineEnd;
  }
}

const ACTIONS: ReadonlySet<LabelKind> = new Set(["action", "actions", "inline-action"]);

const ANSWER_STOPS = (kind: LabelKind): boolean =>
  kind === "thought" || kind === "observation" || kind === "final";
const TURN_STOPS = (kind: LabelKind): boolean => ANSWER_STOPS(kind) || kind === "action";

/** An unreadable action, and nothing else but its input. */
const NO_ACTION =
  /^["'`[(<*]{0,3}(?:none(?: (?:is )?(?:needed|required|necessary))?|n\/a|na|nothing|not applicable|no (?:action|tool)(?: (?:is )?(?:needed|required))?|final[ _-]?answer|finish(?:ed)?)["'`>*]{0,3}[)\]]?\.?(?=[ \t]*(?:$|[[(:,.\u2013\u2014-]|(?:with )?(?:action[ _-]?)?input\b))/i;

/** The text on the own line of an unreadable action: `finish[the answer]`. A remark behind it does not count. */
function insideBrackets(rest: string): string {
  if (!/^(?:[[(]|[ \t]{0,9}:)/.test(rest)) return "";
  const said = rest.trim();
  return said.slice(1, /[)\]]$/.test(said) ? -1 : undefined).trim();
}

/** A model that says which tool in a sentence quotes its name, or writes it as no word is written. */
function guessName(line: string): string {
  const quoted = /[`"'](?<name>[A-Za-z][\w-]{0,63})[`"']/.exec(line)?.groups!["name"];
  return quoted ?? /\b[A-Za-z]\w{0,40}_\w{1,40}\b/.exec(line)?.[0] ?? line.slice(0, 100).trim();
}
