import { expect, test } from "vitest";

import { writeDocumentsSql } from "../../scripts/data/documents-sql.ts";
import { searchDocuments } from "../../src/tools/documents/search-documents.ts";
import { startDataBindings } from "../support/data-bindings.ts";
import { runTool } from "../support/run-tool.ts";
import { trial } from "../support/trial.ts";

trial(
  "documents are loaded, found, and replaced by those of the same id, however long they are",
  async () => {
    const data = await startDataBindings();
    const load = async (text: string): Promise<void> => {
      const sql = writeDocumentsSql("acme", [{ document_id: "guide/o'hara.md", text }]);
      const statements = sql.split(/;\n(?=INSERT|UPDATE|$)/).filter((statement) => statement !== "");
      expect(Math.max(...statements.map((statement) => Buffer.byteLength(statement)))).toBeLessThan(100_000);
      await data.database.batch(statements.map((statement) => data.database.prepare(statement)));
    };
    const search = (query: string): Promise<unknown> =>
      runTool(searchDocuments, { query }, { bindings: data.bindings, tenant: "acme" }).output;

    await load("# It's a guide\n\nold");
    const long = `# It's new\n\n${"'🙂;\n".repeat(15_000)} walrus\0`;
    await load(long);
    expect(await search("old")).toEqual({ documents: [] });
    expect(await search("walrus")).toMatchObject({
      documents: [{ document_id: "guide/o'hara.md", title: "It's new" }],
    });
    const kept = await data.database.prepare("SELECT text FROM documents WHERE tenant = 'acme'").all();
    expect(kept.results).toEqual([{ text: long.replace("\0", "") }]);
  },
);

test("a document without a heading is called by its id, and a tenant has a tenant's name", () => {
  expect(writeDocumentsSql("acme", [{ document_id: "a.txt", text: "" }])).toContain("'a.txt', 'a.txt', ''");
  expect(() => writeDocumentsSql("a'b", [])).toThrow("is no tenant's name");
});
