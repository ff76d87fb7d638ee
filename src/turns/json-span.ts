/** How far JSON reaches that begins with a bracket, told by its brackets and strings alone. */
export interface JsonSpan {
  /** Behind the last character that belongs to it. */
  readonly end: number;
  /** The brackets that would close it, innermost first; empty when it is complete. */
  readonly missing: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BACKTICK = 0x60;

/**
 * Find where the JSON ends whose first bracket stands at `start`.
 *
 * It says nothing of whether that is JSON: a parser decides. It ends with its last bracket, before a backtick outside strings,
 * which no JSON has and every fence begins with, or at `limit`. One pass, and nothing is looked at twice.
 */
export function findJsonSpan(text: string, start: number, limit: number = text.length): JsonSpan {
  const open: string[] = [];
  let inString = false;
  let at = start;
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === BACKTICK) break;
    else if (code === 0x7b) open.push("}");
    else if (code === 0x5b) open.push("]");
    else if (code === 0x7d || code === 0x5d) {
      open.pop();
      if (open.length === 0) return { end: at + 1, missing: "" };
    }
  }
  return { end: Math.min(at, limit), missing: open.reverse().join("") };
}

/**
 * Write a space for every comma that stands before a closing bracket outside strings.
 *
 * A space, because line and column of what else is wrong then stay those of what the model wrote.
 */
export function blankTrailingCommas(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  let comma = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    if (code === 0x2c) {
      comma = at;
      continue;
    }
    if (comma !== -1 && (code === 0x7d || code === 0x5d)) {
      parts.push(text.slice(kept, comma), " ");
      kept = comma + 1;
    }
    comma = -1;
    if (code === QUOTE) at = endOfString(text, at);
  }
  return kept === 0 ? text : parts.join("") + text.slice(kept);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
