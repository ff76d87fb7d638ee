/**
 * Characters that a terminal acts on, and characters that look like, or may be converted to, something a shell acts
 * on: controls, invisible and bidirectional marks, odd spaces, dashes and quotes, private and unassigned code points.
 */
const SUSPECT = /[\p{C}\p{Z}\p{Pd}\p{Pi}\p{Pf}]/u;
const HARMLESS = new Set("\n\t -");
const ASCII = /\p{ASCII}/u;

/**
 * Find a character that makes shell text impossible to trust by reading it, or null.
 *
 * Tab and newline are the only controls a command needs. A full-width `；` is not an operator to a shell, but it becomes
 * one where text is converted on its way (compatibility normalisation, Windows' best fit), so whatever normalises to
 * ASCII is suspect; letters of any script are not.
 */
export function findSuspectCharacter(text: string): string | null {
  for (const char of text) {
    if (HARMLESS.has(char)) continue;
    if (SUSPECT.test(char)) return char;
    if (!ASCII.test(char) && ASCII.test(char.normalize("NFKC"))) return char;
  }
  return null;
}
