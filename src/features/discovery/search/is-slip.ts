/** Whether one word is the other with a letter left out, put in, or struck instead of another. No word is its own slip. */
export function isSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  if (a.length > b.length) return a.slice(at + 1) === b.slice(at);
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  return at < a.length && a.slice(at + 1) === b.slice(at + 1);
}

/** A word with each two of its neighbouring letters swapped. */
export function toSwaps(word: string): string[] {
  return Array.from(
    { length: word.length - 1 },
    (_, at) => word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
  );
}
