const MARKS = /<\/?(?:strong|b|em|i|mark)>/gi;
const ENTITIES = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * Turn a search engine's highlighted snippet into plain text: its emphasis marks go, its character references are
 * decoded once. This is for a model to read, not a sanitiser: never put the result into a page as HTML.
 *
 * @example
 * plainText("Toyota&#x27;s <strong>Camry</strong>"); // "Toyota's Camry"
 */
export function plainText(snippet: string): string {
  return snippet
    .replaceAll(MARKS, "")
    .replaceAll(ENTITIES, (reference, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? reference;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : reference;
    });
}
