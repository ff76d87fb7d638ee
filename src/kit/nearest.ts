/**
 * The names a misspelt one may have meant, nearest first, at most `limit`.
 *
 * Near means: at most a third of the name's letters changed, or one contains the other. Names that differ only in
 * case and punctuation (`sendEmail`, `send_email`) are the same name to a model, so they are compared without either.
 */
export function nearest(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = fold(name).slice(0, 64);
  if (wanted === "") return [];
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const folded = fold(candidate);
    const distance = editDistance(wanted, folded);
    const close = distance <= Math.max(1, Math.floor(Math.max(wanted.length, folded.length) / 3));
    const contained =
      wanted.length >= 3 && folded.length >= 3 && (folded.includes(wanted) || wanted.includes(folded));
    if (close || contained) scored.push({ candidate, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swapped neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
