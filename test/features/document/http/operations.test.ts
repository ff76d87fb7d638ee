import { expect } from "vitest";

import { createTestVolley } from "../../../../src/package/testing.ts";
import { bodySchema, type DocumentedOperation, fits, readOperations } from "../../../support/api-document.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { trial } from "../../../support/trial.ts";

async function describeAll(): Promise<readonly DocumentedOperation[]> {
  const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
  return readOperations(await (await volley.fetch("/openapi.json")).text());
}

trial(
  "Each operation says in words what it is for, what it answers, and which headers come along",
  async () => {
    for (const { operationId, summary, tags, responses } of await describeAll()) {
      expect([operationId, summary, tags]).toEqual([
        expect.stringMatching(/^[a-z]\w+$/),
        expect.stringMatching(/\w \w/),
        [expect.stringMatching(/^[A-Z]/)],
      ]);
      for (const [status, { description, headers }] of Object.entries(responses))
        expect([operationId, status, description, headers]).toEqual([
          operationId,
          status,
          expect.stringMatching(/\w/),
          expect.objectContaining({ "x-request-id": expect.anything() as unknown }),
        ]);
    }
  },
);

trial("Each body has an example, which fits its schema", async () => {
  for (const operation of await describeAll()) {
    const schema = bodySchema(operation);
    if (schema === undefined) continue;
    const { example } = operation.requestBody!.content!["application/json"]!;
    expect([operation.operationId, fits(example, schema)]).toEqual([operation.operationId, true]);
  }
});
