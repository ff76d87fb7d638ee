import { editDistance } from "./edit-distance.ts";

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
