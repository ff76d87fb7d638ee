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
