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

/**
 * Quote text that is not ours inside a sentence that is: at most `maxLength` characters of it as a JSON string, with everything
 * invisible written as an escape. Whatever it says, it ends where its quote ends.
 */
export function quotedText(text: string, maxLength = 40): string {
  if (text.length <= maxLength && PLAIN.test(text)) return JSON.stringify(text);
  // Not between the halves of a pair: what is left of one would be an escape that nobody wrote.
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1)) && text.length > maxLength;
  const shown = text.slice(0, isSplit ? maxLength - 1 : maxLength);
  const json = JSON.stringify(text.length > maxLength ? `${shown}…` : shown);
  return json.replaceAll(UNSEEN, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
