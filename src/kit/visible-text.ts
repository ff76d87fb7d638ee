/** Controls, bidirectional overrides, zero-width characters and lone surrogates: invisible, or worse. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * Show caller-supplied text safely inside a message or a log line: at most `maxLength` characters, with everything
 * invisible written as an escape, so it can neither break a line nor reorder what stands around it.
 */
export function visibleText(text: string, maxLength = 64): string {
  const shown = text
    .slice(0, maxLength)
    .replaceAll(UNSEEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
  return text.length > maxLength ? `${shown}…` : shown;
}
