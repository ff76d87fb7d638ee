import { fileURLToPath } from "node:url";

import { build, type OutputFile, type Plugin } from "esbuild";

const path = (place: string): string => fileURLToPath(new URL(`../../${place}`, import.meta.url));

/** Bundle the scripts of the pages, and the styles that they import. */
export async function bundleConsole(plugins: Plugin[] = []): Promise<readonly OutputFile[]> {
  const { outputFiles } = await build({
    entryPoints: { console: path("src/console/main.tsx") },
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
    plugins,
  });
  return outputFiles;
}
