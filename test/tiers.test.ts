import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { LAYERS, type Layer, LONG, TRIALS } from "./tiers.ts";

const PACKAGES = "**/node_modules/**";

async function find(include: readonly string[], exclude: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for (const pattern of include)
    for await (const path of glob(pattern, { exclude: [PACKAGES, ...exclude] })) found.push(path);
  return found.sort();
}
const filesOf = ({ include, exclude }: Layer): Promise<string[]> => find(include, exclude);

describe("The tiers of the tests", () => {
  test("have every test file exactly once", async () => {
    const layers = await Promise.all(Object.values(LAYERS).map(filesOf));
    const quick = layers.flat().filter((path) => !TRIALS.includes(path));
    const apart = await find(["test/sdks/{core,harness}/**/*.test.ts", "test/browser/**/*.test.ts"]);

    expect([...quick, ...TRIALS, ...apart].sort()).toEqual(
      await find(["{src,scripts,lab,test}/**/*.test.*"]),
    );
  });

  test("name no file that is gone", () => {
    expect([...TRIALS, ...LONG].filter((path) => !existsSync(path))).toEqual([]);
  });

  test("are the same command, of which the whole one has a mode more", async () => {
    const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(scripts["test:all"]).toBe(`${scripts["test"]} --mode all`);
  });
});
