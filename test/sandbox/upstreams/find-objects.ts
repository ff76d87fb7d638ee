/** Each brace may be looked at to the end of the text. */
const MOST_BRACES = 100;

/** Find the JSON objects that stand in a text, outermost ones, as the text they are. */
export function findObjects(text: string): string[] {
  const found: string[] = [];
  let from = text.indexOf("{");
  for (let looked = 0; from !== -1 && looked < MOST_BRACES; looked += 1) {
    const end = findEnd(text, from);
    const candidate = end === -1 ? "" : text.slice(from, end);
    const isOne = isJson(candidate);
    if (isOne) found.push(candidate);
    from = text.indexOf("{", isOne ? end : from + 1);
  }
  return found;
}

/** Behind the brace that closes the one at `from`, without those in strings; -1 when it is never closed. */
function findEnd(text: string, from: number): number {
  let depth = 0;
  for (const { 0: token, index } of text.slice(from).matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gs)) {
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth === 0) return from + index + 1;
  }
  return -1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
