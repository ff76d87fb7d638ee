import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

/* The commands that pages tell a reader to type. */
const names = (await readdir("docs", { recursive: true })).filter((name) => name.endsWith(".md"));
const files = ["README.md", "CONTRIBUTING.md", ...names.map((name) => `docs/${name}`)];
const pages = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "utf8") })));

const readScripts = async (path: string): Promise<readonly string[]> =>
  Object.keys((JSON.parse(await readFile(path, "utf8")) as { scripts: object }).scripts);

test("No block has a reader's own Node run TypeScript, which one of version 20 cannot", () => {
  const found = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/^```bash\n(.*?)^```$/gms)].flatMap(([, code]) =>
      /\bnode \S+\.ts\b/.test(code!) ? [`${file}: ${code}`] : [],
    ),
  );
  expect(found).toEqual([]);
});

test("Every `npm run` of the pages is a script of the repository, or of a project that is made of a template", async () => {
  const known = new Set([
    ...(await readScripts("package.json")),
    ...(await readScripts("templates/starter/package.json")),
  ]);
  const asked = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/\bnpm run ([a-z]\w*(?::\w+)*)/g)].map(([, name]) => ({ file, name: name! })),
  );
  expect(asked.length).toBeGreaterThan(50);
  expect(asked.filter(({ name }) => !known.has(name))).toEqual([]);
});
