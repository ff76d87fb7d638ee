import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { PROMISES } from "../promises/rows.ts";
import { trial } from "../support/trial.ts";

const ROOT = new URL("../../", import.meta.url);

trial("docs/reliability.md lists every promise that tests are named after", async () => {
  const files = await readdir(new URL("test/", ROOT), { recursive: true });
  const texts = files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFile(new URL(`test/${file}`, ROOT), "utf8"));
  const named = (await Promise.all(texts)).flatMap((text) =>
    Array.from(text.matchAll(nameOf(String.raw`P\d`)), ([, promise]) => promise!),
  );
  expect(PROMISES.map(({ mark }) => mark)).toEqual([...new Set(named)].sort());
});

test.each(PROMISES)(
  "$mark has a test named after it in every file that is listed",
  async ({ mark, files }) => {
    expect(files).not.toEqual([]);
    const without = await Promise.all(
      files.map(async (file) =>
        nameOf(mark).test(await readFile(new URL(file, ROOT), "utf8")) ? [] : [file],
      ),
    );
    expect(without.flat()).toEqual([]);
  },
);

/** The name of a test or of a group of them, so that `-t 'P1:'` finds it. */
function nameOf(promise: string): RegExp {
  return new RegExp(String.raw`\b(?:test|it|trials?|describe)\b[^"\x60]*["\x60](${promise}): `, "g");
}
