import * as z from "zod/mini";
import { readdir, readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { OPT_IN_TOOLS } from "../../../src/tools/opt-in-tools.ts";
import { attempt } from "../../../src/core/kit/result.ts";
import { FakeToolContext } from "../../support/fake-tool-context.ts";

const ARGS: Readonly<Record<string, object>> = {
  search_documents: { query: "tea" },
  fetch_document: { document_id: "a" },
  create_contacts: { contacts: [{ email: "a@example.com", name: "A" }] },
  delete_contacts: { contact_ids: ["c1"] },
  query_orders: {},
  revenue_summary: { group_by: "customer" },
  csv_report: { source: "contacts" },
};

interface Sent {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Every statement that a tool sends, to a database that refuses the first one as a taken row is refused. */
async function statementsOf(tool: Tool): Promise<Sent[]> {
  const sent: Sent[] = [];
  const prepare = (sql: string) => ({
    bind: (...values: unknown[]) => ({
      all: () => {
        sent.push({ sql, values });
        const refuses = sql.includes("INSERT");
        return refuses ? Promise.reject(new Error("SQLITE_CONSTRAINT")) : Promise.resolve({ results: [] });
      },
    }),
  });
  const bindings = { DATA: { prepare }, OBJECTS: { put: () => Promise.resolve() } };
  const answer = (): never => expect.fail("no request is sent");
  const context = new FakeToolContext(tool, { answer, bindings, caller: { tenant: "acme", key: "k" } });
  await attempt(() => tool.run(z.parse(tool.input, ARGS[tool.name]), context));
  return sent;
}

describe("a tool over the database", () => {
  test.each(OPT_IN_TOOLS.data)("$name binds every statement to its caller's tenant", async (tool) => {
    const sent = await statementsOf(tool);
    expect(sent.length).toBeGreaterThan(0);
    for (const { sql, values } of sent) {
      expect(values[0]).toBe("acme");
      expect(sql).toMatch(/\btenant = \?1\b|INSERT INTO contacts \(tenant,[^)]*\)\s+SELECT \?1,/);
      expect(sql).not.toContain("acme");
    }
  });

  test("has no table without a tenant", async () => {
    const folder = new URL("../../../migrations/", import.meta.url);
    const texts = await Promise.all(
      (await readdir(folder)).map((name) => readFile(new URL(name, folder), "utf8")),
    );
    const tables = texts.join("\n").matchAll(/^CREATE TABLE (\w+) \(\n(.*?)^\)/gms);
    const columns = Array.from(tables, ([, name, body]) => [
      name,
      /^ {2}tenant TEXT NOT NULL\b/m.test(body!),
    ]);
    expect(columns).toEqual([
      ["documents", true],
      ["contacts", true],
      ["orders", true],
    ]);
  });
});
