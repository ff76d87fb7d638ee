/**
 * Build the pages for people: `src/console` becomes `dist/console`, which the platform serves beside the Worker.
 *
 *   node scripts/build-console.ts
 *
 * Nothing of it is in the Worker's bundle. A file that would not change stays as it is: development servers watch the folder.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "src/console");
const to = join(root, "dist/console");

const { outputFiles } = await build({
  entryPoints: {
    console: join(from, "main.tsx"),
    front: join(from, "front.ts"),
    "console-style": join(from, "style/console.css"),
  },
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  // Its `jsx-runtime` is that of `hono/jsx/dom`, with all text made visible.
  jsxImportSource: join(from, "kit"),
  outdir: to,
  logLevel: "error",
});
await mkdir(to, { recursive: true });
const pages = await readdir(join(from, "pages"));
await Promise.all([
  ...outputFiles.map(({ path, contents }) =>
    write(path.replace("console-style.css", "console.css"), contents),
  ),
  ...pages.map(async (name) => write(join(to, name), await readFile(join(from, "pages", name)))),
]);

async function write(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => null);
  if (before === null || !before.equals(contents)) await writeFile(path, contents);
}
