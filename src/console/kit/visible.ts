import { escapeUnseen, toJsonEscape } from "../../core/kit/visible-text.ts";

/** Line breaks and tabs are seen where they stand; a carriage return is not. */
const SEEN = new Set(["\n", "\t"]);

/** Show text from anybody: every control, bidirectional and zero-width character as `\u{202e}`. */
export function visible(text: string): string {
  return escapeUnseen(text, { seen: SEEN });
}

/**
 * Write the invisible characters of JSON as JSON's own escapes, such as `\u202e`: inside a string they mean the same, and
 * everybody sees them.
 */
export function visibleJson(json: string): string {
  return escapeUnseen(json, { seen: SEEN, escape: toJsonEscape });
}
