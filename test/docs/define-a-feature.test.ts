import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

const FOLDER = "test/feature/example";

test("the code of docs/define-a-feature.md is that of the example, whose tests run it", async () => {
  const page = await readFile("docs/define-a-feature.md", "utf8");
  const files = (await readdir(FOLDER)).filter((file) => !file.endsWith(".test.ts"));
  const sources = await Promise.all(files.map((file) => readFile(`${FOLDER}/${file}`, "utf8")));
  const written = sources.join("\n").replaceAll(/"[./]+src\/feature\/index\.ts"/g, '"volley/feature"');
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  for (const code of blocks) expect(written).toContain(code);
});
