import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);

const page = await readFile(new URL("docs/reliability.md", ROOT), "utf8");
const rows = [...page.matchAll(/^\| (P\d) \| .+ \| (.+) \|$/gm)].map(([, promise, files]) => ({
  promise: promise!,
  files: [...files!.matchAll(/`(.+?)`/g)].map(([, file]) => file!),
}));

test("docs/reliability.md lists every promise that tests are named after", async () => {
  const files = await readdir(new URL("test/", ROOT), { recursive: true });
  const texts = files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFile(new URL(`test/${file}`, ROOT), "utf8"));
  const named = (await Promise.all(texts)).flatMap((text) =>
    Array.from(text.matchAll(nameOf(String.raw`P\d`)), ([, promise]) => promise!),
  );
  expect(rows.map(({ promise }) => promise)).toEqual([...new Set(named)].sort());
});

test.each(rows)(
  "$promise has a test named after it in every file that is listed",
  async ({ promise, files }) => {
    expect(files).not.toEqual([]);
    const without = await Promise.all(
      files.map(async (file) =>
        nameOf(promise).test(await readFile(new URL(file, ROOT), "utf8")) ? [] : [file],
      ),
    );
    expect(without.flat()).toEqual([]);
  },
);

/** The name of a test or of a group of them, so that `-t 'P1:'` finds it. */
function nameOf(promise: string): RegExp {
  return new RegExp(String.raw`\b(?:test|it|describe)\b[^"\x60]*["\x60](${promise}): `, "g");
}
