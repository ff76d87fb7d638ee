import { expect, test } from "vitest";

import { createCatalog } from "../../../support/create-catalog.ts";
import { openApiTools } from "../../../../src/features/imports/openapi/open-api-tools.ts";
import { FakeToolContext } from "../../../support/fake-tool-context.ts";
import { documentOf } from "../../../support/openapi-document.ts";

const PETS = documentOf({
  "/pets/{petId}": {
    get: { operationId: "getPet", summary: "Get a pet" },
    delete: { operationId: "deletePet" },
    head: { operationId: "headPet" },
  },
});

test("openApiTools() makes tools like any other", async () => {
  const tools = openApiTools(PETS, { prefix: "pets", auth: { secret: "PETS_TOKEN" } });

  expect(createCatalog(tools).get("pets_deletePet")).toMatchObject({ confirm: true, isWrite: true });
  const [getPet] = tools;
  const ctx = new FakeToolContext(getPet!, {
    answer: () => Response.json({ name: "Rex" }),
    secrets: { PETS_TOKEN: "s3cr3t" },
  });
  expect(await getPet!.run({ petId: 7 }, ctx)).toEqual({ name: "Rex" });
  expect(ctx.requests[0]!.url.href).toBe("https://api.example.com/v1/pets/7");
  expect(ctx.requests[0]!.headers.get("authorization")).toBe("Bearer s3cr3t");
});

test("openApiTools() throws all that is wrong at start-up", () => {
  expect(() => openApiTools({ swagger: "2.0" }, { prefix: "pets" })).toThrow(/Swagger 2\.0 is not read/);
  expect(() => openApiTools(PETS, { prefix: "pets", include: ["getPets"] })).toThrow(
    /did you mean 'getPet'\?/,
  );
});

test("openApiTools() throws where no tool can be made of an operation that was asked for by name", () => {
  expect(() => openApiTools(PETS, { prefix: "pets", include: ["getPet", "headPet"] })).toThrow(
    "Cannot make tools of the OpenAPI document:\n  - 'headPet': Left out because its method is HEAD",
  );
});
