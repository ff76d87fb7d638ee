import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Find the links of a built site that lead to no page, no file and no heading of it. @param base the path under which it is served */
export async function findDeadLinks(folder: string, base: string): Promise<readonly string[]> {
  const files = new Set(await readdir(folder, { recursive: true }));
  const pages = [...files].filter((name) => name.endsWith(".html") && name !== "404.html");
  const htmlOf = new Map(
    await Promise.all(pages.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
  const idsOf = new Map(
    [...htmlOf].map(([name, html]) => [
      name,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
    ]),
  );
  return pages.flatMap((page) => {
    const links = [...htmlOf.get(page)!.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!);
    return [...new Set(links)].filter((href) => isDead(href)).map((href) => `${page}: ${href}`);

    function isDead(href: string): boolean {
      if (!href.startsWith(base) && !href.startsWith("#")) return false;
      const [path = "", hash = ""] = href.slice(href.startsWith("#") ? 0 : base.length).split("#");
      const found = href.startsWith("#")
        ? page
        : [path, `${path}.html`, `${path}index.html`].find((name) => files.has(name));
      if (found === undefined) return true;
      return hash !== "" && idsOf.get(found)?.has(decodeURIComponent(hash)) === false;
    }
  });
}
