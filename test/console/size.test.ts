import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { beforeAll, expect, test } from "vitest";

import { trial } from "../support/trial.ts";

/** The files of `dist/console` that each page loads, and how many bytes of them are sent at most, gzipped. */
const PAGES = {
  "the console": { files: /^(?:console\.(?:html|css|js)|icon\.svg)$/, most: 80_000 },
  "a portal link": { files: /^portal\.(?:css|js)$/, most: 30_000 },
} as const;

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
let files: readonly (readonly [name: string, content: Buffer])[];

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ["scripts/build-console.ts"]);
  // The site of the documentation may have been built into the same folder.
  const names = (await readdir("dist/console")).filter((name) => !/^(?:docs|llms.*)$/.test(name));
  files = await Promise.all(
    names.map(async (name) => [name, await readFile(`dist/console/${name}`)] as const),
  );
});

test.each(Object.entries(PAGES))(
  "The page of %s takes at most what is said here, gzipped",
  (_, { files: loaded, most }) => {
    const first = files.filter(([name]) => loaded.test(name));
    // A script that the first one imports is asked for by the page itself.
    const html = first.map(([, content]) => content.toString()).join("");
    const sent = files
      .filter((file) => first.includes(file) || html.includes(`modulepreload" href="/${file[0]}"`))
      .map(([, content]) => gzipSync(content).length);
    expect(sent.length).toBeGreaterThan(1);
    expect(sum(sent)).toBeLessThanOrEqual(most);
  },
);

test("All files of the pages take at most 600 KB as they are", () => {
  expect(sum(files.map(([, content]) => content.length))).toBeLessThanOrEqual(600_000);
});

trial("T40 no source of the pages makes markup of text", async () => {
  const sources = (await readdir("src", { recursive: true })).filter((name) =>
    /^(?:console|features\/[^/]+\/console)\/.*\.tsx?$/.test(name),
  );
  expect(sources.length).toBeGreaterThan(80);
  for (const name of sources)
    expect(await readFile(`src/${name}`, "utf8"), name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
    );
});
