import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { checkAssets } from "../../scripts/project/check-assets.ts";
import type { Finding } from "../../scripts/project/finding.ts";

/* A project with the package's folders of pages, one of which has the documentation too. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "volley-assets-"));
  for (const file of ["console/console.html", "both/console.html", "both/docs/index.html"]) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), "");
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function look(
  features: readonly string[],
  config: { readonly assets?: { readonly directory: string }; readonly build?: object },
): Promise<readonly Finding[]> {
  const project = { config, shown: "wrangler.toml", folder, environment: null, devVars: {}, path: "" };
  const worker = { features: features.map((name) => ({ name })), tools: [], exported: [] };
  return checkAssets(project, worker);
}
const NONE: readonly Finding[] = [];

describe("The files beside a Worker are", () => {
  test("asked for by no Worker that lists no pages", async () => {
    expect(await look(["keys"], {})).toEqual(NONE);
  });

  test.each([
    ["console", "console"],
    ["docs", "both"],
  ])("there for the feature %s in the folder %s", async (feature, directory) => {
    expect(await look([feature], { assets: { directory } })).toEqual(NONE);
  });

  test("made by a build command, where there is one", async () => {
    expect(await look(["docs"], { assets: { directory: "none" }, build: {} })).toEqual(NONE);
  });

  test("missing where no folder is named, and the line that names it is given", async () => {
    expect(await look(["docs", "console"], {})).toMatchObject([
      {
        level: "error",
        message: "wrangler.toml does not name the files of the documentation, which is listed.",
        add: '[assets]\ndirectory = "node_modules/volley/dist/console-and-docs"',
      },
    ]);
    expect(await look(["console"], {})).toMatchObject([
      { add: '[assets]\ndirectory = "node_modules/volley/dist/console"' },
    ]);
  });

  test("missing where the folder has the console only, and the documentation is listed", async () => {
    expect(await look(["console", "docs"], { assets: { directory: "console" } })).toMatchObject([
      {
        level: "error",
        message: "The folder console of [assets] has no files of the documentation, which is listed.",
        add: 'directory = "node_modules/volley/dist/console-and-docs"',
      },
    ]);
  });

  test("missing where the folder is not there", async () => {
    expect(await look(["console"], { assets: { directory: "none" } })).toMatchObject([
      { message: "The folder none of [assets] is not there. Install the packages: npm install." },
    ]);
  });
});
