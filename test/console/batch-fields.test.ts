import type { PluginBuild } from "esbuild";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { expect, test, vi } from "vitest";

import { bundleConsole } from "../../scripts/console/bundle-console.ts";
import { checkBatch } from "../../src/console/editor/check-batch.ts";
import { complete } from "../../src/console/editor/complete.ts";
import { readJson } from "../../src/console/editor/read-json.ts";
import { ACTION_FIELDS, type BatchField } from "../../src/console/kit/batch-fields.ts";
import { toDeployment } from "../../src/console/kit/deployment.ts";
import type { Section } from "../../src/console/kit/section.ts";

type Schema = {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly string[];
};

/** The sections as the console has them: their pages are made for a browser, so they are bundled as for one. */
async function readSections(): Promise<readonly Section[]> {
  const listed = {
    name: "listed",
    setup: (building: PluginBuild) =>
      building.onLoad({ filter: /\/src\/console\/main\.tsx$/ }, () => ({
        contents: 'export { SECTIONS } from "./sections.ts";',
        resolveDir: "src/console",
      })),
  };
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("history", { state: {} });
  const folder = await mkdtemp(join(tmpdir(), "volley-console-"));
  for (const { path, contents } of await bundleConsole([listed], ["console"]))
    await writeFile(join(folder, basename(path)), contents);
  const { SECTIONS: all } = await import(join(folder, "console.js"));
  await rm(folder, { recursive: true });
  return all;
}

const SECTIONS = await readSections();
const { paths, components } = JSON.parse(await readFile("test/golden/wire/document.txt", "utf8"));
const known = { data: null, problem: {} };
const fields = toDeployment(SECTIONS, known).batchFields!;

function read(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : read(components.schemas[schema.$ref.split("/").at(-1)!]);
}

const { content } = paths["/v1/execute_actions"].post.requestBody;
const { properties: ofBatch = {} } = read(content["application/json"].schema);
const { properties: ofAction = {} } = read(read(ofBatch["actions"]!).items!);

const namesOf = (list: readonly BatchField[]): readonly string[] => list.map(({ name }) => name).toSorted();
const marksOf = (text: string, of: readonly BatchField[] | null): readonly string[] =>
  checkBatch(readJson(text), { tools: null, fields: of }).map(({ message }) => message);

test("The editor knows the fields of a batch and of an action that the API takes, and their values", () => {
  expect(namesOf(fields)).toEqual(Object.keys(ofBatch).toSorted());
  expect(namesOf(ACTION_FIELDS)).toEqual(Object.keys(ofAction).toSorted());
  for (const { name, values } of fields) {
    const { enum: taken } = read(ofBatch[name]!);
    if (taken !== undefined) expect(values, name).toEqual(taken.map((value) => JSON.stringify(value)));
  }
});

test("A field of a feature is offered and taken where the Worker lists that, and marked where it does not", () => {
  const batch = '{"actions":[{"tool":"x"}],"on_error":"undo","undo":"what-can"}';
  expect(marksOf(batch, fields)).toEqual([]);
  const data = { features: [], flags: [], key: "one", tenant: "acme" };
  const { batchFields: few } = toDeployment(SECTIONS, { data, problem: null });
  expect(marksOf(batch, few)).toEqual([
    'on_error is one of "partial-success", "fail-fast"',
    'No field of a batch is called "undo".',
  ]);
  const text = '{"on_error": }';
  const offered = complete(text, 13, { read: readJson(text), tools: [], fields })?.items;
  expect(offered?.map(({ label }) => label)).toEqual(["partial-success", "fail-fast", "undo"]);
});

test("A key without a section's flag may have its fields: the flag is for the section's page", () => {
  const data = { features: ["connections"], flags: [], key: "one", tenant: "acme" };
  const { batchFields } = toDeployment(SECTIONS, { data, problem: null });
  expect(marksOf('{"actions":[{"tool":"x"}],"subject":"user-1"}', batchFields)).toEqual([]);
});

test("Before it is known what the Worker lists, no field is called wrong", () => {
  const { batchFields } = toDeployment(SECTIONS, { data: null, problem: null });
  expect(marksOf('{"actions":[{"tool":"x"}],"subject":"user-1"}', batchFields)).toEqual([]);
});
