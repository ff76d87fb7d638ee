/**
 * Say some words as a list in a sentence.
 *
 * @example
 * listWords(["a", "b", "c"]); // "a, b and c"
 */
export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
