import { reachTokens, type TokenCounter, tokenCounter, weighTokens } from "./estimate-tokens.ts";

/**
 * The least weight of a cut string (thousandths of a token). Worked out when the first one is cut, because the tables that it
 * takes are not there before, and no start should make them.
 */
export function shortest(): number {
  return endWeights().shortest;
}

let weights: { readonly by: TokenCounter; readonly shortest: number; readonly tail: number } | undefined;

function endWeights(): NonNullable<typeof weights> {
  const by = tokenCounter();
  if (weights?.by === by) return weights;
  const whole = weighTokens(':"…"', 1);
  return (weights = { by, shortest: whole, tail: whole - weighTokens(':"', 1) });
}

/** A name, an id or a date: half of one is wrong, none is merely missing. */
const WHOLE_CHARACTERS = 80;
/** Longer links exist, but half of a link cannot be followed. */
const WHOLE_LINK_CHARACTERS = 2_048;
/** Text without any blank (base64, minified code) is cut after a multiple of this. */
const STRIDE = 64;

/** Tell whether the string from `start` (its quote) to `end` may be cut, and is not only kept or dropped. */
export function isCuttable(json: string, start: number, end: number): boolean {
  const length = end - start - 2;
  if (length <= WHOLE_CHARACTERS) return false;
  return length > WHOLE_LINK_CHARACTERS || !/^https?:/.test(json.slice(start + 1, start + 7));
}

/**
 * Cut a JSON string after a whole word, mark it with `…`, so that it weighs at most `room` (at least `shortest()`).
 *
 * Where a string may be cut depends on the string alone: with more room it is cut at the same place or later. A cut is
 * never inside an escape or between the halves of a surrogate pair.
 */
export function cutJsonString(
  json: string,
  { start, end, room }: { readonly start: number; readonly end: number; readonly room: number },
): { readonly json: string; readonly dropped: number } {
  const { tail } = endWeights();
  const reach = reachTokens(json, { from: start, to: end - 1, limit: room - tail });
  const cut = lastBreak(json, start + 1, Math.max(start + 1, reach));
  const rest = JSON.parse(`"${json.slice(cut, end - 1)}"`) as string;
  return { json: `${json.slice(start, cut)}…"`, dropped: rest.length };
}

function lastBreak(json: string, from: number, reach: number): number {
  let at = reach;
  while (at > from && !isBreak(json, at)) at -= 1;
  if (at === from) return safeBreak(json, from, from + Math.floor((reach - from) / STRIDE) * STRIDE);
  // The quote before the first character ends it.
  while (json[at - 1] === " ") at -= 1;
  return at;
}

/** A blank begins here, or a character ended here that is a word or half of one. */
function isBreak(json: string, at: number): boolean {
  const code = json.charCodeAt(at);
  if (code === 32) return true;
  if (code === 92 && /[nrt]/.test(json[at + 1] ?? "")) return !isEscaped(json, at);
  const before = json.charCodeAt(at - 1);
  return before >= 0x2e80 && before < 0xd7b0;
}

function safeBreak(json: string, from: number, at: number): number {
  if (at <= from) return from;
  // Inside `\u001b` or the like, whose backslash is at most five characters back.
  for (let back = 1; back <= 5; back += 1) {
    const escape = at - back;
    if (json[escape] !== "\\" || isEscaped(json, escape)) continue;
    if (back < (json[escape + 1] === "u" ? 6 : 2)) return escape;
  }
  const before = json.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 ? at - 1 : at;
}

/** Whether an odd number of backslashes stands before the character. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
