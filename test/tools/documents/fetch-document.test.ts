import { beforeAll, expect, test } from "vitest";

import * as LIMITS from "../../../src/tools/kit/limits.ts";
import { fetchDocument } from "../../../src/tools/documents/fetch-document.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));

const read = (args: object, tenant = "sandbox"): Promise<unknown> =>
  runTool(fetchDocument, args, { bindings: data.bindings, tenant }).output;

test("fetch_document gives a document's text", async () => {
  expect(await read({ document_id: "runbook" }, "sandbox-admin")).toEqual({
    document_id: "runbook",
    title: "Runbook",
    text: "Restart the worker, then look at the jobs.",
  });
});

trial("fetch_document reads its own tenant's, where another has one of the same id", async () => {
  expect(await read({ document_id: "tea-brewing" }, "other")).toMatchObject({
    title: "Tea at the other company",
  });
  expect(await read({ document_id: "tea-brewing" })).toMatchObject({ title: "How to brew tea" });
});

trial.each([
  ["merger-plan", "sandbox"],
  ["tea-brewing", "nobody"],
  ["TEA-BREWING", "sandbox"],
  ["' OR 1=1 --", "sandbox"],
  ["%", "sandbox"],
])("fetch_document has no %j for %j", async (document_id, tenant) => {
  await expect(read({ document_id }, tenant)).rejects.toMatchObject({
    failure: { code: "NOT_FOUND", hint: expect.stringContaining("a search") },
  });
});

trial(
  "fetch_document gives a long text in parts that make the whole, no character of it halved",
  async () => {
    const whole = "🙂é\n".repeat(15_000);
    const sql = "INSERT INTO documents (tenant, document_id, title, text) VALUES ('acme', 'long', 'Long', ?)";
    await data.database.prepare(sql).bind(whole).all();
    const parts: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const part = (await read({ document_id: "long", offset }, "acme")) as {
        text: string;
        next_offset?: number;
      };
      expect(Array.from(part.text).length).toBeLessThanOrEqual(LIMITS.documentCharacters);
      parts.push(part.text);
      offset = part.next_offset;
    }
    expect(parts).toHaveLength(3);
    expect(parts.join("")).toBe(whole);
    expect(await read({ document_id: "long", offset: 1_000_000 }, "acme")).toMatchObject({ text: "" });
  },
);

test("fetch_document gets its id from the search before it, five at a time", () => {
  expect(fetchDocument).toMatchObject({ concurrency: 5, orchestration: { mode: "dependent" } });
});
