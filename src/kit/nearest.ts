import { editDistance } from "./edit-distance.ts";

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
