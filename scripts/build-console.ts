/**
 * Build the pages for people: `src/console`, with the sections that features bring, becomes `dist/console`, which the platform serves
 * beside the Worker.
 *
 *   node scripts/build-console.ts
 *
 * Nothing of it is in the Worker's bundle. A file that would not change stays as it is: development servers watch the folder.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { readScript } from "./command/read-script.ts";
import { bundleConsole } from "./console/bundle-console.ts";

readScript({
  call: "node scripts/build-console.ts",
  summary: "Build the console into dist/console",
  options: {},
});

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "src/console");
const to = join(root, "dist/console");

const [bundled, pages] = [await bundleConsole(), await readdir(join(from, "pages"))];
await mkdir(to, { recursive: true });
await Promise.all([
  ...bundled.map(({ path, contents }) => write(path, contents)),
  ...pages.map(async (name) => write(join(to, name), await readFile(join(from, "pages", name)))),
]);

// The platform would serve pages that an earlier build left there. The documentation has files of its own beside them.
const built = new Set([...bundled.map(({ path }) => basename(path)), ...pages]);
const left = (await readdir(to, { withFileTypes: true })).filter(
  (file) => file.isFile() && /\.(?:html|js|css)$/.test(file.name) && !built.has(file.name),
);
await Promise.all(left.map(({ name }) => rm(join(to, name))));

async function write(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => null);
  if (before === null || !before.equals(contents)) await writeFile(path, contents);
}
