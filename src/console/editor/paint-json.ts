import type { Mark } from "./mark.ts";
import type { ReadJson, Slip } from "./read-json.ts";

/** A stretch of the text that looks the same all along. */
export interface Stroke {
  readonly text: string;
  readonly look: string;
}

/** A longer text stands in one colour: thousands of stretches drawn again at every key are felt. */
const MOST_PAINTED = 40_000;

/** Cut a text where its colour changes. The strokes put together are the text. */
export function paintJson(
  text: string,
  { tokens, slips }: Pick<ReadJson, "tokens" | "slips">,
  marks: readonly Mark[],
): readonly Stroke[] {
  if (text.length > MOST_PAINTED) return [{ text, look: "" }];
  const wavy = [...slips.map(toMark), ...marks].toSorted((a, b) => a.start - b.start);
  const strokes: Stroke[] = [];
  let at = 0;
  const add = (end: number, look: string): void => {
    for (const { start, end: last, severity } of wavy) {
      if (last <= at || start >= end) continue;
      push(Math.max(at, start), look);
      push(Math.min(end, last), `${look} wavy-${severity}`);
    }
    push(end, look);
  };
  const push = (end: number, look: string): void => {
    if (end <= at) return;
    strokes.push({ text: text.slice(at, end), look });
    at = end;
  };
  for (const [index, { kind, start, end }] of tokens.entries()) {
    add(start, "");
    add(end, kind === "string" && tokens[index + 1]?.kind === "colon" ? "key" : kind);
  }
  add(text.length, "");
  return strokes;
}

/** A slip of the text as a mark; one at its end is drawn under its last character. */
export function toMark({ start, end, message }: Slip): Mark {
  const from = end > start ? start : Math.max(0, start - 1);
  return { start: from, end: Math.max(end, start), severity: "error", message };
}

/** Say where a place of a text is, counted from 1. */
export function sayPlace(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `Line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
}
