import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodingsOf } from "../../test/support/secret-encodings.ts";

/** Looks for secrets in a text, in any of the ways in which one may be written; gives their numbers, not their text. */
export type CanaryFinder = (text: string) => readonly number[];

/** Make one, which works out once how each of the secrets may be written. */
export function createCanaryFinder(canaries: readonly string[]): CanaryFinder {
  const needles = canaries.map(encodingsOf);
  return (text) => needles.flatMap((some, i) => (some.some((needle) => text.includes(needle)) ? [i] : []));
}

/** Look at every file below a directory, whatever it is; which of them has which secret. */
export async function findCanariesInFiles(directory: string, find: CanaryFinder): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    // Every byte is one character, so nothing is lost of what is no text.
    const text = await readFile(join(entry.parentPath, entry.name), "latin1");
    for (const i of find(text)) found.push(`${entry.name} has secret ${i}`);
  }
  return found;
}
