import { readdir } from "node:fs/promises";

import { expect, test } from "vitest";

test("Each feature has the name of its folder, under which the folder exports it", async () => {
  for (const folder of await readdir("src/features")) {
    const exported = folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const module = (await import(`../../src/features/${folder}/index.ts`)) as Readonly<
      Record<string, () => { readonly name: string }>
    >;
    expect(module[exported]!().name).toBe(folder);
  }
});
