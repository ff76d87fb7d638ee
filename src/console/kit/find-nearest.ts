/** Names are short; a longer text was not meant to be one. */
const MOST_CHARACTERS = 64;

/** Find the name that was probably meant: at most a third of it is written differently. */
export function findNearest(name: string, names: readonly string[]): string | null {
  if (name.length > MOST_CHARACTERS) return null;
  const written = name.toLowerCase();
  let best: string | null = null;
  let least = Math.floor(name.length / 3) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least || candidate.length > MOST_CHARACTERS) continue;
    const distance = countEdits(written, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
