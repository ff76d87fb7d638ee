/** A page as the index lists it. */
export interface IndexedPage {
  readonly title: string;
  /** Its file, from the root of the repository. */
  readonly file: string;
  /** The page in a few words; empty where the index says none. */
  readonly about: string;
}

/** A part of the index, and the groups of pages in it; a group without a title is the part's own. */
export interface IndexPart {
  readonly title: string;
  readonly groups: readonly { readonly title: string; readonly pages: readonly IndexedPage[] }[];
}

/** Read `docs/index.md`, which is the one list of all pages: the site's sidebar, `/llms.txt` and the order of `/llms-full.txt` are made of it. */
export function readIndex(text: string): readonly IndexPart[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...rest] = part.split("\n");
      const [own = "", ...groups] = rest.join("\n").split(/^### /m);
      const named = groups.map((group) => {
        const [name = "", ...lines] = group.split("\n");
        return { title: name, pages: readPages(lines.join("\n")) };
      });
      return { title, groups: [{ title: "", pages: readPages(own) }, ...named].filter(hasPages) };
    });
}

/** List the pages of all parts, in their order. */
export function pagesOf(parts: readonly IndexPart[]): readonly IndexedPage[] {
  return parts.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
}

/** List the pages whose tables commands write. */
export function referencesOf(parts: readonly IndexPart[]): readonly string[] {
  return pagesOf(parts.filter(({ title }) => title === "Reference")).map(({ file }) => file);
}

/** List the pages that the site's search finds behind all others: tables, and what is for developers of Volley. */
export function behindOf(parts: readonly IndexPart[]): readonly string[] {
  const developers = parts.filter(({ title }) => title === "For developers of Volley");
  return [...referencesOf(parts), ...pagesOf(developers).map(({ file }) => file)];
}

function hasPages({ pages }: { readonly pages: readonly IndexedPage[] }): boolean {
  return pages.length > 0;
}

function readPages(text: string): readonly IndexedPage[] {
  return [...text.matchAll(/^- \[(.+?)\]\((.+?)\)(?:: (.+))?$/gm)].map(([, title, path, about = ""]) => ({
    title: title!,
    file: path!.startsWith("../") ? path!.slice(3) : `docs/${path}`,
    about,
  }));
}
