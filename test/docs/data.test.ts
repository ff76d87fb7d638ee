import { readFile } from "node:fs/promises";

import { parse } from "smol-toml";
import { expect, test } from "vitest";

import { OPT_IN_TOOLS } from "../../src/tools/opt-in-tools.ts";

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const [page, config, worker] = await Promise.all(
  ["docs/data.md", "wrangler.toml", "src/worker.ts"].map(read),
);

test("docs/data.md binds what the comments of wrangler.toml bind", () => {
  const [, documented] = /^```toml\n(.*?)^```$/ms.exec(page!)!;
  const commented = config!.match(/^# \[\[d1_databases\]\]\n(?:#.*\n)+/m)![0].replaceAll(/^# ?/gm, "");
  expect(parse(commented)).toEqual(parse(documented!));
});

test("the comments of src/worker.ts switch on every group of tools", () => {
  for (const group of Object.keys(OPT_IN_TOOLS))
    expect(worker).toMatch(new RegExp(`^// .*\\.\\.\\.OPT_IN_TOOLS\\.${group}\\b`, "m"));
});

test("docs/data.md names every tool that needs a database or a bucket, with its bindings", () => {
  for (const { name, bindings } of Object.values(OPT_IN_TOOLS).flat()) {
    const row = page!.split("\n").find((line) => line.startsWith("| `") && line.includes(`\`${name}\``));
    for (const binding of bindings) expect(row).toContain(`\`${binding}\``);
  }
});
