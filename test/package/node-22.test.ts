import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

/** Syntax that Node 24 has and Node 22, on which a clone and the package run too, takes for an error. */
const NEWER = [/^\s*(?:await )?using \w+ =/m, /\(\?<(\w+)>.*\(\?<\1>/];

test.each(["src", "scripts", "templates"])("%s has no syntax that Node 22 cannot read", async (folder) => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const read = files.map(async (file) => [file, await readFile(`${folder}/${file}`, "utf8")] as const);
  const newer = (await Promise.all(read)).filter(([, text]) => NEWER.some((one) => one.test(text)));
  expect(newer.map(([file]) => file)).toEqual([]);
});
