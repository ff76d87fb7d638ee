import { expect } from "vitest";

import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { document } from "../../../../src/features/document/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { readOperations } from "../../../support/api-document.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { trial } from "../../../support/trial.ts";

/** The document's words of a batch, from a Worker with some features. */
async function describedBy(features: readonly Feature[]) {
  const volley = await createTestVolley({ tools: [], features });
  const operations = readOperations(await (await volley.fetch("/openapi.json")).text());
  const { parameters, requestBody, responses } = operations.find(
    ({ operationId }) => operationId === "executeActions",
  )!;
  const { properties } = requestBody!.content!["application/json"]!.schema as { properties: object };
  return {
    headers: parameters!.map(({ name }) => name),
    fields: Object.keys(properties),
    statuses: Object.keys(responses),
  };
}

trial(
  "The document tells of batches in the background where the Worker has them, and nowhere else",
  async () => {
    const all = await describedBy(ALL_FEATURES);
    expect(all.headers).toContain("Prefer");
    expect(all.fields).toContain("background");
    expect(all.statuses).toContain("202");
    const few = await describedBy([document()]);
    expect(few.headers).toEqual(["Idempotency-Key"]);
    expect(few.fields).toContain("deadline_ms");
    expect(few.fields).not.toContain("background");
    expect(few.statuses).not.toContain("202");
  },
);
