import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { openApiTools } from "../../src/features/imports/openapi/open-api-tools.ts";
import { readDocument } from "../../src/features/imports/openapi/read-document.ts";
import { valueOf } from "../support/unwrap.ts";

const page = await readFile("docs/openapi-import.md", "utf8");
const petstore = valueOf(await readDocument(await readFile("test/fixtures/openapi/petstore.yaml", "utf8")));

test("docs/openapi-import.md: the example makes the tools of the tag", () => {
  const [, example] = /```js\nimport .*?\n\n(.*?)```/s.exec(page)!;
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function("openApiTools", "petstore", `${example!}; return petTools;`) as (
    make: typeof openApiTools,
    document: unknown,
  ) => Tool[];
  const tools = run(openApiTools, petstore);

  expect(tools.map(({ name }) => name)).toEqual([
    "pets_updatePet",
    "pets_addPet",
    "pets_findPetsByStatus",
    "pets_findPetsByTags",
    "pets_getPetById",
    "pets_updatePetWithForm",
    "pets_deletePet",
  ]);
  expect(tools.find(({ name }) => name === "pets_findPetsByStatus")!.summary).toBe("Find pets by status");
  expect(tools.filter(({ confirm }) => confirm).map(({ name }) => name)).toEqual(["pets_deletePet"]);
  expect(tools.flatMap(({ secrets }) => secrets)).toEqual(tools.map(() => "PETS_TOKEN"));
});
