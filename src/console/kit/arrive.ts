/** An entry of the browser's history keeps the address that led to its page, and how that was left. */
interface Entry {
  readonly from?: string;
  /** By which link, of those to the same address the how manyth, and how far the page was scrolled. */
  readonly left?: { readonly href: string; readonly nth: number; readonly top: number };
}

const readEntry = (): Entry => (history.state ?? {}) as Entry;
const keep = (entry: Entry): void => history.replaceState(entry, "");
const linksTo = (href: string): readonly HTMLAnchorElement[] =>
  [...document.querySelectorAll("a")].filter((link) => link.getAttribute("href") === href);

/** The entry was made by what led here; the browser's ways back and forth lead to one that was there. */
let isNew = true;
let last: string | null = null;
let hasMoved = false;

if (history.state === null) keep({});
addEventListener("hashchange", ({ oldURL }) => {
  isNew = history.state === null;
  // An address that names no page is that of the one whose link is marked.
  const marked = document.querySelector('[aria-current="page"]')?.getAttribute("href");
  if (isNew) keep({ from: new URL(oldURL).hash || marked || "" });
});
const follow = (event: MouseEvent): void => {
  const link = (event.target as Element).closest("a");
  const href = link?.getAttribute("href") ?? "";
  if (!href.startsWith("#")) return;
  const { from = "" } = readEntry();
  keep({ ...readEntry(), left: { href, nth: linksTo(href).indexOf(link!), top: scrollY } });
  const isThere = from.startsWith(href) && ["", "?", "&"].includes(from.charAt(href.length));
  if (!link!.matches(".back") || !isThere || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // The page before is the list that the link leads back to: its filters and its place are found again.
  event.preventDefault();
  history.back();
};
addEventListener("click", follow, true);

/**
 * Take the focus to the heading of a page that was come to, or to the link by which the page was left once that stands there again:
 * who reads by ear or keyboard goes on where the page begins, or went on. A page that is opened takes no focus.
 */
export function arrive(heading: HTMLElement): (() => void) | undefined {
  hasMoved ||= last !== null && last !== heading.textContent;
  last = heading.textContent;
  if (!hasMoved) return undefined;
  if (isNew) scrollTo(0, 0);
  heading.focus({ preventScroll: true });
  const { left } = readEntry();
  if (left === undefined) return undefined;
  const look = (): void => {
    const link = document.activeElement === heading ? linksTo(left.href)[left.nth] : null;
    if (link === undefined) return;
    watch.disconnect();
    if (link !== null) scrollTo(0, left.top);
    link?.focus();
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true });
  look();
  return () => watch.disconnect();
}
