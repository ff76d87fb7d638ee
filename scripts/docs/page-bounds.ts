import { findOverlaps, type MeasuredPage } from "./measure-pages.ts";

/** Bounds of the documentation: words by hand in all pages, words of a page by a command, percent that two pages share. */
export const BOUNDS = { byHand: 75_000, byCommandOfPage: 12_000, overlapPercent: 2 } as const;

/** Name every bound that the pages pass. */
export function findExcess(pages: readonly MeasuredPage[]): readonly string[] {
  const byHand = pages.reduce((sum, page) => sum + page.byHand, 0);
  return [
    ...(byHand > BOUNDS.byHand ? [`docs has ${byHand} words by hand, more than ${BOUNDS.byHand}`] : []),
    ...pages
      .filter(({ byCommand }) => byCommand > BOUNDS.byCommandOfPage)
      .map(({ file, byCommand }) => `${file} has ${byCommand} words, more than ${BOUNDS.byCommandOfPage}`),
    ...findOverlaps(pages)
      .filter(({ percent }) => percent >= BOUNDS.overlapPercent)
      .map(({ files, percent }) => `${files.join(" and ")} share ${percent.toFixed(1)} %`),
  ];
}
