import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { TEMPLATES } from "../../scripts/templates/template-list.ts";
import { writeWranglerFile } from "../../scripts/templates/write-wrangler-file.ts";
import { TEMPLATES as OFFERED } from "../../templates/create-volley/src/read-flags.ts";

test("the starter's wrangler.toml is the generated one; node scripts/build-create.ts --write brings it up to date", async () => {
  const written = await readFile("templates/starter/wrangler.toml", "utf8");
  expect(written === writeWranglerFile(TEMPLATES[0]!), "run: node scripts/build-create.ts --write").toBe(
    true,
  );
});

test("npm create volley offers every template", () => {
  expect(Object.keys(OFFERED)).toEqual(TEMPLATES.map(({ name }) => name));
});

test.each(TEMPLATES)(
  "the README of $name says that the port may be another one than in its commands",
  async ({ name }) => {
    const readme = await readFile(`templates/${name}/README.md`, "utf8");
    expect(readme.slice(0, readme.indexOf("curl"))).toContain("names another port than 8787");
  },
);

test("the starter keeps the runs whose traces the documents show, and these say how many features it lists", async () => {
  const read = (path: string) => readFile(path, "utf8");
  const listed = /features: \[(.*)\]/.exec(await read("templates/starter/src/worker.ts"))![1]!.split(", ");
  expect(listed).toContain("runs()");
  expect(await read("templates/starter/README.md")).toContain("Runs has a trace of each");
  const words = ["six", "seven", "eight"];
  expect(await read("docs/features.md")).toContain(`the starter lists ${words[listed.length - 6]}.`);
});

test("one version stands in both packages and in the starter's dependency", async () => {
  const read = async (path: string) =>
    JSON.parse(await readFile(path, "utf8")) as { version: string; dependencies: Record<string, string> };
  const { version } = await read("package.json");
  expect((await read("templates/create-volley/package.json")).version).toBe(version);
  expect((await read("templates/starter/package.json")).dependencies["volley"]).toBe(version);
});
