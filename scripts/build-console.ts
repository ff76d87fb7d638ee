/**
 * Build the pages for people: `src/console`, with the sections that features bring, becomes `dist/console`, which the platform serves
 * beside the Worker.
 *
 *   node scripts/build-console.ts
 *
 * Nothing of it is in the Worker's bundle. A file that would not change stays as it is: development servers watch the folder. Until `npm run docs` has
 * built the documentation, its pages stand beside the console as text.
 */
import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { readScript } from "./command/read-script.ts";
import { bundleConsole } from "./console/bundle-console.ts";
import { BUILT_MARK, makePlainPages } from "./docs/plain-pages.ts";
import { pagesOf, readIndex } from "./docs/read-index.ts";

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
  ...pages.map(async (name) => {
    const page = await readFile(join(from, "pages", name));
    await write(join(to, name), name === "console.html" ? withPreload(page) : page);
  }),
]);

// The platform would serve pages that an earlier build left there. The documentation has files of its own beside them.
const built = new Set([...bundled.map(({ path }) => basename(path)), ...pages]);
const left = (await readdir(to, { withFileTypes: true })).filter(
  (file) => file.isFile() && /\.(?:html|js|css)$/.test(file.name) && !built.has(file.name),
);
await Promise.all(left.map(({ name }) => rm(join(to, name))));

if (!(await isThere(join(to, BUILT_MARK)))) {
  const index = await readPage("docs/index.md");
  const parts = readIndex(index[1]);
  const texts = await Promise.all(pagesOf(parts).map(({ file }) => readPage(file)));
  const plain = [...makePlainPages(parts, new Map([index, ...texts]))];
  await Promise.all(plain.map(([path, text]) => write(join(to, path), Buffer.from(text))));
}

/** The page asks for what its script imports at once, and not after it has read the script. */
function withPreload(page: Buffer): Buffer {
  const script = bundled.find(({ path }) => basename(path) === "console.js")!.text;
  const links = Array.from(
    script.matchAll(/\bfrom"\.(\/console-\w+\.js)"/g),
    ([, href]) => `<link rel="modulepreload" href="${href}" />\n    `,
  );
  return Buffer.from(page.toString().replace("<script", `${links.join("")}<script`));
}

async function readPage(file: string): Promise<[file: string, text: string]> {
  return [file, await readFile(join(root, file), "utf8")];
}

async function write(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => null);
  if (before?.equals(contents) === true) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
