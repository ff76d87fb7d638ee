/** How the site's search weighs a section: its heading, its text, the headings above it. A typed word may be begun or misspelt. */
export const SEARCH_OPTIONS = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } } as const;

/** Weigh a section: one of a page whose tables commands write stands behind all others. It is copied into the page's script, so it uses nothing from outside. */
export function boostDocument(id: string, references: readonly string[]): number {
  return references.some((address) => id.split("#", 1)[0]!.endsWith(`/${address}`)) ? 0.05 : 1;
}
