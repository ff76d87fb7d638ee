import { editDistance } from "../../core/kit/nearest.ts";

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
    const distance = editDistance(written, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}
