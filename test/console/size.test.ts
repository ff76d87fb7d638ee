import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

test("All files of the pages take at most 100 KB gzipped and 600 KB as they are", async () => {
  await promisify(execFile)(process.execPath, ["scripts/build-console.ts"]);
  const names = await readdir("dist/console");
  const files = await Promise.all(names.map((name) => readFile(`dist/console/${name}`)));
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  expect(sum(files.map((file) => gzipSync(file).length))).toBeLessThanOrEqual(100_000);
  expect(sum(files.map((file) => file.length))).toBeLessThanOrEqual(600_000);
});

test("T40 no source of the pages makes markup of text", async () => {
  const sources = (await readdir("src", { recursive: true })).filter((name) =>
    /^(?:console|features\/[^/]+\/console)\/.*\.tsx?$/.test(name),
  );
  expect(sources.length).toBeGreaterThan(80);
  for (const name of sources)
    expect(await readFile(`src/${name}`, "utf8"), name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
    );
});
