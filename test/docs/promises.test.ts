import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);

const page = await readFile(new URL("docs/reliability.md", ROOT), "utf8");
const rows = [...page.matchAll(/^\| (P\d) \| .+ \| (.+) \|$/gm)].map(([, promise, files]) => ({
  promise: promise!,
  files: [...files!.matchAll(/`(.+?)`/g)].map(([, file]) => file!),
}));

test("docs/reliability.md lists the promises that are kept", () => {
  expect(rows.map(({ promise }) => promise)).toEqual(["P1", "P2", "P3", "P4", "P6", "P7", "P8"]);
});

test.each(rows)(
  "$promise has a test named after it in every file that is listed",
  async ({ promise, files }) => {
    expect(files).not.toEqual([]);
    // The name of a test or of a group of them, so that `-t 'P1:'` finds it.
    const named = new RegExp(String.raw`\b(?:test|it|describe)\b[^"\x60]*["\x60]${promise}: `);
    const without = await Promise.all(
      files.map(async (file) => (named.test(await readFile(new URL(file, ROOT), "utf8")) ? [] : [file])),
    );
    expect(without.flat()).toEqual([]);
  },
);
