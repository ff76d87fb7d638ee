/** Text as it stands in a drawing's elements and attributes, which are in double quotes. */
export function escapeSvg(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
