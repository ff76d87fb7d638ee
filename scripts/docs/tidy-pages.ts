import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A script that stands in the page. */
const INLINE = /<script(?![^>]*\bsrc=)((?: id="[^"]*")?)>(.*?)<\/script>/gs;

/** A style that the theme's own code sets again when it runs. */
const STYLE = / style="(?:position:relative;|--vp-vh:0px;)"/g;

/**
 * Move the scripts that the generator writes into its pages to files of their own, and take away the styles, so that the pages' policy need
 * allow neither in the markup. Throws where a style is left that it does not know.
 */
export async function tidyPages(folder: string): Promise<void> {
  const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".html"));
  const scripts = new Map<string, string>();
  for (const page of pages) {
    const path = join(folder, page);
    const html = await readFile(path, "utf8");
    const moved = html.replaceAll(STYLE, "").replaceAll(INLINE, (_, id: string, code: string) => {
      const name = `inline-${createHash("sha256").update(code).digest("hex").slice(0, 12)}.js`;
      scripts.set(name, code);
      return `<script${id} src="/docs/assets/${name}"></script>`;
    });
    const [left] = / style="[^"]*"/.exec(moved) ?? [];
    if (left !== undefined) throw new Error(`Cannot tidy ${page}: its policy does not allow ${left.trim()}`);
    if (moved !== html) await writeFile(path, moved);
  }
  for (const [name, code] of scripts) await writeFile(join(folder, "assets", name), code);
}
