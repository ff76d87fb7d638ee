import { findReactLabels, type LabelKind, type ReactLabel } from "./react-labels.ts";

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
