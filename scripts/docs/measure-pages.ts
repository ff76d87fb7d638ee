import { globSync, readFileSync } from "node:fs";

/** The measures of a page: its words by hand and by a command, and its sequences of eight words. */
export interface MeasuredPage {
  readonly file: string;
  readonly byHand: number;
  readonly byCommand: number;
  readonly sequences: ReadonlySet<string>;
}

/** Two pages and the share, in percent, of the shorter one's sequences that stand in the other too. */
export interface Overlap {
  readonly files: readonly [string, string];
  readonly percent: number;
}

/** Pages that a command writes as a whole. */
const WRITTEN = /^docs\/(?:limits|pairs|tools|(?:senders|connectors)\/.*)\.md$/;
/** The part that a command writes: between its two marks, or from its only mark on. */
const PART =
  /<!-- npm run [^>]*: begin -->.*?<!-- npm run [^>]*: end -->|<!-- npm run [^>:]*(?: -- --write)? -->.*/gs;
/** A block of code. Readers copy it whole, so pages may share a call's headers; sequences are of sentences and tables. */
const BLOCK = /^```.*?^```$/gms;
const LENGTH = 8;

/** Measure every page of `docs`. */
export function measurePages(root: string): readonly MeasuredPage[] {
  return globSync("docs/**/*.md", { cwd: root })
    .toSorted()
    .map((file) => measurePage(file, readFileSync(`${root}/${file}`, "utf8")));
}

/** Measure one page. A word is a run of characters without a space, code included. */
export function measurePage(file: string, text: string): MeasuredPage {
  const written = WRITTEN.test(file) ? text : (text.match(PART) ?? []).join("\n");
  const own = WRITTEN.test(file) ? "" : text.replaceAll(PART, "");
  return { file, byHand: countWords(own), byCommand: countWords(written), sequences: sequencesOf(own) };
}

/** Find the pairs of pages that share a sequence, the largest share first. */
export function findOverlaps(pages: readonly MeasuredPage[]): readonly Overlap[] {
  const found = pages.flatMap((one, at) =>
    pages.slice(at + 1).map(({ file, sequences }): Overlap => {
      const shared = [...one.sequences].filter((sequence) => sequences.has(sequence)).length;
      const percent = (100 * shared) / Math.max(1, Math.min(one.sequences.size, sequences.size));
      return { files: [one.file, file], percent };
    }),
  );
  return found.filter(({ percent }) => percent > 0).toSorted((a, b) => b.percent - a.percent);
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

function sequencesOf(text: string): ReadonlySet<string> {
  const sequences = text.split(BLOCK).flatMap((said) => {
    const words = said.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return words.slice(LENGTH - 1).map((_, at) => words.slice(at, at + LENGTH).join(" "));
  });
  return new Set(sequences);
}
