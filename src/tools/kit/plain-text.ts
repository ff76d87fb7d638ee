import { decodeEntities } from "./html-entities.ts";

const MARKS = /<\/?(?:strong|b|em|i|mark)>/gi;

/**
 * Turn a search engine's highlighted snippet into plain text: its emphasis marks go, its character references are
 * decoded once. This is for a model to read, not a sanitiser: never put the result into a page as HTML.
 *
 * @example
 * plainText("Toyota&#x27;s <strong>Camry</strong>"); // "Toyota's Camry"
 */
export function plainText(snippet: string): string {
  return decodeEntities(snippet.replaceAll(MARKS, ""));
}
