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

/**
 * Bundle the scripts of pages, and the styles that they import. All that a page imports later becomes one script, and the modules that both
 * need become another: with a script for each view there would be thirty, which wait for each other.
 *
 * @param pages all of them unless said
 */
export async function bundleConsole(
  plugins: Plugin[] = [],
  pages: readonly (keyof typeof PAGES)[] = ["console", "portal"],
): Promise<readonly OutputFile[]> {
  const bundled = pages.map(async (page) => {
    const { metafile, outputFiles } = await bundle(page, plugins);
    const later = Object.values(metafile.inputs)
      .flatMap(({ imports }) => imports)
      .filter(({ kind }) => kind === "dynamic-import");
    if (later.length === 0) return outputFiles;
    const paths = later.map((imported) => imported.path);
    return (await bundle(page, [asOne(paths), ...plugins])).outputFiles;
  });
  return (await Promise.all(bundled)).flat();
}

/** Bundle what is imported later as one module. */
function asOne(paths: readonly string[]): Plugin {
  return {
    name: "as-one",
    setup(building) {
      building.onResolve({ filter: /./ }, ({ kind }) =>
        kind === "dynamic-import" ? { path: "later", namespace: "later" } : null,
      );
      building.onLoad({ filter: /./, namespace: "later" }, () => ({
        contents: [...new Set(paths)].map((file) => `export * from "./${file}";`).join("\n"),
        resolveDir: process.cwd(),
      }));
    },
  };
}

function bundle(page: keyof typeof PAGES, plugins: Plugin[]) {
  return build({
    entryPoints: { [page]: path(PAGES[page]) },
    bundle: true,
    splitting: true,
    chunkNames: `${page}-[hash]`,
    metafile: true,
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
}
