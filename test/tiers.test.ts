import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { filesOf, LAYERS, LONG, restOf } from "./tiers.ts";

const WITHOUT = { exclude: ["**/node_modules/**"] };
const LAYERS_OF_ALL = Object.values(LAYERS);

describe("The tiers of the tests", () => {
  test("have every test file exactly once", () => {
    const layers = LAYERS_OF_ALL.flatMap((layer) => filesOf(layer, layer.include));
    const apart = globSync(["test/sdks/{core,harness}/**/*.test.ts", "test/browser/**/*.test.ts"], WITHOUT);

    expect([...layers, ...apart].toSorted()).toEqual(
      globSync(["{src,scripts,lab,test}/**/*.test.*"], WITHOUT).toSorted(),
    );
  });

  test("have in the rest what a quick run leaves out, and what it runs a part of", () => {
    const rest = LAYERS_OF_ALL.flatMap(restOf);
    expect(rest).toContain("test/harness/bundle.test.ts");
    expect(rest).toContain("test/core/plan/hazards.test.ts");
    expect(rest).toContain("test/templates/packed.test.ts");
    expect(rest).not.toContain("test/harness/whole.test.ts");
    expect(rest).not.toContain("test/tiers.test.ts");
  });

  test("name no file that is gone", () => {
    const trials = LAYERS_OF_ALL.flatMap(({ trials }) => trials);
    expect(trials.filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
    expect(LONG.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("are the same command, with a mode more where it runs more", async () => {
    const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(scripts["test:all"]).toBe(`${scripts["test"]} --mode all`);
    expect(scripts["test:rest"]).toBe(`${scripts["test"]} --mode rest`);
  });
});
