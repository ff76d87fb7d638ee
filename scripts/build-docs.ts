/**
 * Build the documentation as a site: `docs`, and the pages of the root that its index lists, become `dist/console/docs`, which the platform serves beside
 * the Worker at `/docs`. `/llms.txt` and `/llms-full.txt` are made of the same pages. A link to a page or a heading that is not there ends the build.
 *
 *   npm run docs
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { readScript } from "./command/read-script.ts";
import { findDeadLinks } from "./docs/find-dead-links.ts";
import { makeLlmsFull, makeLlmsIndex } from "./docs/llms-text.ts";
import { tidyPages } from "./docs/tidy-pages.ts";
import { behindOf, pagesOf, readIndex } from "./docs/read-index.ts";
import { addressOf, toSitePage } from "./docs/site-pages.ts";

readScript({
  call: "npm run docs --",
  summary: "Build the documentation into dist/console/docs",
  options: {},
});

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");
const pages = join(site, "dist/pages");
const out = join(root, "dist/console/docs");

const index = await readFile(join(root, "docs/index.md"), "utf8");
const parts = readIndex(index);
const listed = pagesOf(parts);
const files = new Set(["README.md", "docs/index.md", ...listed.map(({ file }) => file)]);
const { repository } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  repository?: { url: string };
};
const address = repository?.url.replace(/^git\+/, "").replace(/\.git$/, "") ?? "";

await rm(pages, { recursive: true, force: true });
const texts = new Map<string, string>();
for (const file of files) {
  const text = await readFile(join(root, file), "utf8");
  texts.set(file, text);
  const path = join(pages, `${addressOf(file) || "index"}.md`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, toSitePage(text, { file, files, repository: address }));
}
await cp(join(root, "docs/images"), join(pages, "images"), { recursive: true });
await writeFile(join(pages, "parts.json"), JSON.stringify(parts.map(toSidebar)));
await writeFile(join(pages, "reference.json"), JSON.stringify(behindOf(parts).map(addressOf)));

await rm(out, { recursive: true, force: true });
const vitepress = spawn(
  process.execPath,
  [join(site, "node_modules/vitepress/bin/vitepress.js"), "build", site],
  {
    stdio: ["ignore", "inherit", "inherit"],
  },
);
const [code] = (await once(vitepress, "exit")) as [number | null];
if (code !== 0) throw new Error(`The generator ended with ${code}`);

await tidyPages(out);
const dead = await findDeadLinks(out, "/docs/");
if (dead.length > 0) throw new Error(`The site has links that lead nowhere:\n${dead.join("\n")}`);
await writeFile(join(out, "../llms.txt"), makeLlmsIndex(parts));
await writeFile(
  join(out, "../llms-full.txt"),
  makeLlmsFull(["docs/index.md", ...listed.map(({ file }) => file)], texts),
);
const built = await readdir(out, { recursive: true });
console.log(`dist/console/docs: ${built.filter((name) => name.endsWith(".html")).length} pages`);

function toSidebar({ title, groups }: (typeof parts)[number]): object {
  const links = (group: (typeof groups)[number]): object[] =>
    group.pages.map((page) => ({ text: page.title, link: `/${addressOf(page.file)}` }));
  const items = groups.flatMap((group) =>
    group.title === "" ? links(group) : [{ text: group.title, collapsed: true, items: links(group) }],
  );
  return { text: title, collapsed: false, items };
}
