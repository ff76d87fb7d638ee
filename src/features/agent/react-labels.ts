/** A turn that was written as text, with its labels: what stands where, found in logarithmic time. */
export class LabelledText {
  readonly text: string;
  readonly labels: readonly ReactLabel[];
  /** The bounds of a piece of JSON: none of them can stand inside one, for it begins a line that is no JSON. */
  readonly bounds: readonly ReactLabel[];

  constructor(text: string) {
    this.text = text;
    this.labels = findReactLabels(text);
    this.bounds = this.labels.filter(({ kind }) => kind !== "inline-action");
  }

  /** The text at `from`, and where it ends: before a label that stops it. */
  textUntil(from: number, isStop: (kind: LabelKind) => boolean): readonly [said: string, end: number] {
    const end = this.labelBehind(from, isStop)?.start ?? this.text.length;
    return [this.text.slice(from, end).trim(), end];
  }

  /** Where a sticky pattern ends that matches at `from`; `from` where it does not. */
  skip(pattern: RegExp, from: number): number {
    return Math.max(this.match(pattern, from), from);
  }

  /** Where a sticky pattern ends that matches at `from`; -1 where it does not. */
  match(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.test(this.text) ? pattern.lastIndex : -1;
  }

  isBlank(from: number, to: number): boolean {
    return /^[\s`*"'.:]*$/.test(this.text.slice(from, to));
  }

  /** Where the first thing begins, at `from` or behind it, that no JSON holds. */
  boundBehind(from: number): number {
    return this.bounds[this.#indexBehind(from)]?.start ?? this.text.length;
  }

  /** The first label at `from` or behind it; a fence labels nothing. */
  labelBehind(from: number, isMeant: (kind: LabelKind) => boolean = isNoFence): ReactLabel | undefined {
    let index = this.#indexBehind(from);
    while (index < this.bounds.length && !isMeant(this.bounds[index]!.kind)) index += 1;
    return this.bounds[index];
  }

  #indexBehind(from: number): number {
    let low = 0;
    let high = this.bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.bounds[middle]!.start < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const isNoFence = (kind: LabelKind): boolean => kind !== "fence";

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

export const BLANK = /[\s*]*/y;
/** Behind a fence's backticks stands its language, or what it holds. */
export const FENCE_OPENING =
  /`{3,}[ \t]*(?:(?:json[c5]?|action|tool_code|tool_call|python|te?xt|plaintext|markdown)(?=[\s{[]|$))?\s*/iy;
export const FENCE_CLOSING = /['"`)\]]?(?:\s*`{3,})?/y;

/** The beginning of a line, where a model writes its turn as text. */
export interface ReactLabel {
  readonly kind: LabelKind;
  /** Where its line begins. */
  readonly start: number;
  /** Where begins what it labels. */
  readonly end: number;
  /** Whether it stands as the format says: without Markdown around it and in no fence. */
  readonly isPlain: boolean;
}

export type LabelKind =
  | "thought"
  | "action"
  /** `Actions:`, before JSON only. */
  | "actions"
  /** `Action Input:`, which nothing but a call has. */
  | "action-input"
  /** `Input:` and its like, which means something only behind an action. */
  | "input"
  | "observation"
  | "final"
  /** An `Action:` inside a line of prose, with its `Action Input:` behind it. */
  | "inline-action"
  | "fence"
  /** Models that were taught native calls write these before them. */
  | "tag";

/** No quantifier meets another that takes the same characters without a bound, so each line is read in linear time. */
const MARK = String.raw`(?<mark>[ \t>#*_~\u2022+-]{0,40}(?:\d{1,2}[.)][ \t*_]{0,4})?)`;
const WORD = String.raw`(?<word>final[ _-]?answer|(?:action|tool)(?:[ _]#?\d{1,3})?[ _-]?(?:input|args|arguments|params|parameters)|(?:with )?(?:input|args|arguments|parameters|params)|actions?|thoughts?|observations?)`;
const NUMBER = String.raw`(?:[ \t_]{0,3}#?\d{1,3})?(?:[ \t]{0,3}\([^()\n]{1,100}\))?`;
const COLON = "[*_~`]{0,4}[ \\t]{0,4}(?:(?<colon>[:：])\\*{0,4}|$)";
const FENCE = "[ \\t>]{0,20}`{3,}(?<info>[\\w+-]{0,32})";
const TAG = String.raw`(?<tag>[ \t]{0,20}(?:<tool_call>|<\|tool_call\|>|<\|python_tag\|>|\[TOOL_CALLS\]|functools(?=\[)))`;
const LINE = new RegExp(`^(?:${MARK}${WORD}${NUMBER}${COLON}|${FENCE}|${TAG})`, "gimu");

const INLINE =
  /(?<=[ \t.!?])\*{0,3}Action:\*{0,3}(?=[ \t]{0,9}[^\s]{1,80}\s{1,9}\*{0,3}Action Input:\*{0,3}\s{0,9}[`{])/g;

/** A fence opened on a label's own line. */
const OPENED = /[ \t]{0,9}`{3,}(?<info>[\w+-]{0,32})[^`\n]*$/my;

/** Fences of these may hold a turn; those of any other language hold code. */
const HOLD_TURNS = /^(?:|json[c5]?|te?xt|plain(?:text)?|markdown|md|react|action|tool_?(?:code|calls?)?)$/i;

/** Find the labels of a turn, in their order. Code is not looked into. */
function findReactLabels(text: string): readonly ReactLabel[] {
  const labels: ReactLabel[] = [];
  /** The language of the fence that is open. */
  let code: string | null = null;
  for (const match of text.matchAll(LINE)) {
    const { mark = "", word, colon, info, tag } = match.groups!;
    const start = match.index;
    const end = start + match[0].length;
    if (info !== undefined) {
      code = info === "" && code !== null ? null : info;
      labels.push({ kind: "fence", start, end, isPlain: false });
      continue;
    }
    if (code !== null && !HOLD_TURNS.test(code)) continue;
    if (tag !== undefined) labels.push({ kind: "tag", start, end, isPlain: true });
    if (word === undefined) continue;
    const kind = toKind(word.toLowerCase());
    if (colon === undefined && !(STAND_ALONE.has(kind) && /[#*]/.test(mark))) continue;
    labels.push({ kind, start, end, isPlain: mark.trim() === "" && code === null });
    OPENED.lastIndex = end;
    code = OPENED.exec(text)?.groups!["info"] ?? code;
  }
  for (const { 0: found, index: start } of text.matchAll(INLINE))
    labels.push({ kind: "inline-action", start, end: start + found.length, isPlain: true });
  return labels.sort((one, other) => one.start - other.start);
}

/** As a heading these need no colon. */
const STAND_ALONE: ReadonlySet<LabelKind> = new Set(["action", "action-input", "final"]);

function toKind(word: string): LabelKind {
  if (word.startsWith("final")) return "final";
  if (word.startsWith("thought")) return "thought";
  if (word.startsWith("observation")) return "observation";
  if (word === "action" || word === "actions") return word;
  return /^(?:action|tool)/.test(word) ? "action-input" : "input";
}
