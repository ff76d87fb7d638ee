import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { COMMANDS } from "../../scripts/command/commands.ts";
import { trial } from "../support/trial.ts";

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

trial("Every `volley` command that pages, hints and templates name is one of the command's", async () => {
  const known = ["help", ...COMMANDS.map(({ words }) => words)];
  const texts = (await readdir("src", { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const said = await Promise.all(
    texts.map(async (name) => ({ file: `src/${name}`, text: await readFile(`src/${name}`, "utf8") })),
  );
  const asked = [...pages, ...said].flatMap(({ file, text }) =>
    [...text.matchAll(/(?:\bnpx |`|'|"|\$ )volley ([a-z]+(?: [a-z]+)?)/g)].map(([, words]) => ({
      file,
      words: words!,
    })),
  );
  expect(asked.length).toBeGreaterThan(80);
  const isKnown = (words: string): boolean =>
    known.some((one) => one === words || one === words.split(" ")[0] || one.startsWith(`${words} `));
  expect(asked.filter(({ words }) => !isKnown(words))).toEqual([]);
});
