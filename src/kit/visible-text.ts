/**
 * Controls, bidirectional overrides, lone surrogates and whatever Unicode says to draw as nothing (zero-width
 * characters, fillers, variation selectors): invisible, or worse.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Show caller-supplied text safely inside a message or a log line: at most `maxLength` characters, with everything
 * invisible written as an escape, so it can neither break a line nor reorder what stands around it.
 */
export function visibleText(text: string, maxLength = 64): string {
  // Most are names of tools and ids, and this is a sixth of the price.
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const shown = text
    .slice(0, maxLength)
    .replaceAll(UNSEEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
  return text.length > maxLength ? `${shown}…` : shown;
}
