/**
 * Build the pages for people: `src/console`, with the sections that features bring, becomes `dist/console`, which the platform serves
 * beside the Worker.
 *
 *   node scripts/build-console.ts
 *
 * Nothing of it is in the Worker's bundle. A file that would not change stays as it is: development servers watch the folder.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { bundleConsole } from "./console/bundle-console.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "src/console");
const to = join(root, "dist/console");

const [bundled, pages] = [await bundleConsole(), await readdir(join(from, "pages"))];
await mkdir(to, { recursive: true });
await Promise.all([
  ...bundled.map(({ path, contents }) => write(path, contents)),
  ...pages.map(async (name) => write(join(to, name), await readFile(join(from, "pages", name)))),
]);

async function write(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => null);
  if (before === null || !before.equals(contents)) await writeFile(path, contents);
}
