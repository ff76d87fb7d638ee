import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { build, type OutputFile, type Plugin } from "esbuild";

import { codeOfPage } from "./code-of-page.ts";

const path = (place: string): string => fileURLToPath(new URL(`../../${place}`, import.meta.url));

/** The pages, each a script of its own with the styles that it imports. */
const PAGES = {
  console: "src/console/main.tsx",
  portal: "src/features/endpoints/console/portal.tsx",
};

/** A bundle has the code of a page of the documentation, and nothing else of it. */
const codeOfPages: Plugin = {
  name: "code-of-pages",
  setup(building) {
    building.onLoad({ filter: /\.md$/ }, async ({ path: page }) => ({
      contents: JSON.stringify(codeOfPage(await readFile(page, "utf8"))),
      loader: "json",
    }));
  },
};

/** Bundle the scripts of pages, and the styles that they import. @param pages all of them unless said */
export async function bundleConsole(
  plugins: Plugin[] = [],
  pages: readonly (keyof typeof PAGES)[] = ["console", "portal"],
): Promise<readonly OutputFile[]> {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(pages.map((page) => [page, path(PAGES[page])])),
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    // Its `jsx-runtime` is that of `hono/jsx/dom`, with all text made visible.
    jsxImportSource: path("src/console/kit"),
    outdir: path("dist/console"),
    logLevel: "error",
    plugins: [...plugins, codeOfPages],
  });
  return outputFiles;
}
