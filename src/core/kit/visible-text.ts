/**
 * Controls, bidirectional overrides, lone surrogates and whatever Unicode says to draw as nothing (zero-width
 * characters, fillers, variation selectors): invisible, or worse.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

const PLAIN = /^[\x20-\x7e]*$/;

const NONE: ReadonlySet<string> = new Set();

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Write a character as the escape, or both halves of a pair as the escapes, that JSON has for it. */
export function toJsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * Show caller-supplied text safely inside a message or a log line: at most `maxLength` characters, with everything
 * invisible written as an escape, so it can neither break a line nor reorder what stands around it.
 */
export function visibleText(text: string, maxLength = 64): string {
  return escapeUnseen(cut(text, maxLength));
}

/**
 * Write everything invisible of a text as an escape.
 *
 * @param options `seen` are characters that stay as they are, such as line breaks where the text is shown in lines; `escape`
 *   writes one, as `\u{202e}` unless it is given
 */
export function escapeUnseen(
  text: string,
  {
    seen = NONE,
    escape = toEscape,
  }: { readonly seen?: ReadonlySet<string>; readonly escape?: (character: string) => string } = {},
): string {
  // Most are names of tools and ids, and this is a sixth of the price.
  if (PLAIN.test(text)) return text;
  return text.replaceAll(UNSEEN, (character) => (seen.has(character) ? character : escape(character)));
}

/**
 * Quote text that is not ours inside a sentence that is: at most `maxLength` characters of it as a JSON string, with everything
 * invisible written as an escape. It ends where its quote ends.
 */
export function quotedText(text: string, maxLength = 40): string {
  return escapeUnseen(JSON.stringify(cut(text, maxLength)), { escape: toJsonEscape });
}

/** Cut a text, not between the halves of a pair: half of one would be an escape that the author did not write. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`;
}
