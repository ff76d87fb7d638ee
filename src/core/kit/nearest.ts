/** Candidates that are looked at: a model's slip is near one of few names, and a hostile object has a million. */
const MOST_NAMES = 200;

/** Letters of a name that are looked at: as many as the longest name of a tool has. */
const MOST_LETTERS = 64;

/**
 * The names a misspelt one may have meant, nearest first, at most `limit`.
 *
 * Near means: at most a third of the name's letters changed and never all of them, or one contains the other. Names that differ only in
 * case and punctuation (`sendEmail`, `send_email`) are the same name to a model, so they are compared without either.
 *
 * Only the first 200 candidates are looked at, and 64 characters of each: comparing costs their product.
 */
export function nearest(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = fold(name);
  if (wanted === "") return [];
  const scored: { candidate: string; distance: number }[] = [];
  let looked = 0;
  for (const candidate of candidates) {
    if (looked === MOST_NAMES) break;
    looked += 1;
    const folded = fold(candidate);
    const most = Math.max(1, Math.floor(Math.max(wanted.length, folded.length) / 3));
    const contained =
      wanted.length >= 3 && folded.length >= 3 && (folded.includes(wanted) || wanted.includes(folded));
    const distance = editDistance(wanted, folded, contained ? MOST_LETTERS : most);
    // A name of one letter keeps nothing when that letter is changed.
    const isNear = distance <= most && distance < Math.max(wanted.length, folded.length);
    if (contained || isNear) scored.push({ candidate, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function fold(name: string): string {
  return name
    .slice(0, MOST_LETTERS)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swapped neighbours.
 *
 * Exact up to `most`; anything larger is `most + 1`. Looks only at the cells of the table that are no further than `most`
 * from its diagonal: every other one is larger.
 */
export function editDistance(a: string, b: string, most = Math.max(a.length, b.length)): number {
  const far = most + 1;
  if (Math.abs(a.length - b.length) > most) return far;
  const width = b.length + 1;
  let beforeLast = new Uint16Array(width);
  let last = new Uint16Array(width);
  let row = new Uint16Array(width);
  for (let j = 0; j < width; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    const letter = a.charCodeAt(i - 1);
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row[from - 1] = from === 1 ? i : far;
    let least = row[from - 1]!;
    for (let j = from; j <= to; j += 1) {
      const other = b.charCodeAt(j - 1);
      let best = last[j - 1]! + (letter === other ? 0 : 1);
      if (row[j - 1]! + 1 < best) best = row[j - 1]! + 1;
      if (last[j]! + 1 < best) best = last[j]! + 1;
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other)
        best = Math.min(best, beforeLast[j - 2]! + 1);
      row[j] = best;
      if (best < least) least = best;
    }
    if (to < b.length) row[to + 1] = far;
    if (least > most) return far;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length]!, far);
}
