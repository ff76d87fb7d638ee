import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A script that stands in the page. One with data alone, such as JSON, is not run. */
const INLINE = /<script(?![^>]*\bsrc=)((?: id="[^"]*")?)>(.*?)<\/script>/gs;

/** Move the scripts that the generator writes into its pages to files of their own, so that the pages' policy need allow no inline script. */
export async function moveScripts(folder: string): Promise<void> {
  const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".html"));
  const scripts = new Map<string, string>();
  for (const page of pages) {
    const path = join(folder, page);
    const html = await readFile(path, "utf8");
    const moved = html.replaceAll(INLINE, (_, id: string, code: string) => {
      const name = `inline-${createHash("sha256").update(code).digest("hex").slice(0, 12)}.js`;
      scripts.set(name, code);
      return `<script${id} src="/docs/assets/${name}"></script>`;
    });
    if (moved !== html) await writeFile(path, moved);
  }
  for (const [name, code] of scripts) await writeFile(join(folder, "assets", name), code);
}
