import * as z from "zod/mini";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { searchDocuments } from "../../../src/tools/documents/search-documents.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { trial } from "../../support/trial.ts";

interface Found {
  readonly documents: readonly {
    readonly document_id: string;
    readonly title: string;
    readonly snippet: string;
  }[];
}

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));

async function search(args: object, tenant = "sandbox"): Promise<Found> {
  return (await runTool(searchDocuments, args, { bindings: data.bindings, tenant }).output) as Found;
}

async function idsOf(query: string, tenant?: string): Promise<string[]> {
  return (await search({ query, limit: 25 }, tenant)).documents.map(({ document_id }) => document_id);
}

async function keep(tenant: string, document_id: string, title: string, text: string): Promise<void> {
  const sql = "INSERT INTO documents (tenant, document_id, title, text) VALUES (?, ?, ?, ?)";
  await data.database.prepare(sql).bind(tenant, document_id, title, text).all();
}

test("search_documents gives ids, titles and a plain passage, the best first, in about 60 tokens each", async () => {
  const answer = await search({ query: "brew tea" });
  expect(answer.documents[0]).toEqual({
    document_id: "tea-brewing",
    title: "How to brew tea",
    snippet: expect.stringContaining("Green tea is brewed"),
  });
  expect(answer.documents.map(({ document_id }) => document_id).sort()).toEqual([
    "tea-brewing",
    "tea-ceremony",
    "tea-storage",
  ]);
  expect(countTokens(answer) / answer.documents.length).toBeLessThan(80);
});

trial("search_documents gives five unless asked for more, and never more than asked for", async () => {
  const words = "tea salt rice security returns shipping";
  expect((await search({ query: words })).documents).toHaveLength(5);
  expect((await search({ query: words, limit: 2 })).documents).toHaveLength(2);
  expect((await search({ query: words, limit: 25 })).documents.length).toBeGreaterThan(7);
});

trial.each([
  ["TEA STORAGE", "tea-storage"],
  ["refunding", "returns-policy"],
  ["creme brulee", "cafe-menu"],
  ["Crème Brûlée", "cafe-menu"],
  ["how long does delivery take?", "shipping-policy"],
])("search_documents finds %j whatever its case, form and accents", async (query, id) => {
  expect((await idsOf(query))[0]).toBe(id);
});

describe("search_documents finds only what is its tenant's", () => {
  trial("for each tenant and each query", async () => {
    expect(await idsOf("confidential merger")).toEqual([]);
    expect((await idsOf("tea", "other")).sort()).toEqual(["tea-brewing"]);
    expect(await idsOf("tea", "nobody")).toEqual([]);
  });

  trial.each(["a.b", "a-b", "a_b", "---", "..", "A.B"])("tenant %j", async (tenant) => {
    await keep(tenant, "own", `Of ${tenant}`, "zebra");
    const { documents } = await search({ query: "zebra" }, tenant);
    expect(documents.map(({ title }) => title)).toEqual([`Of ${tenant}`]);
  });

  trial("and the name of a tenant is no word of its documents", async () => {
    expect(await idsOf("sandbox")).toEqual([]);
    expect(await idsOf("t73616E64626F78")).toEqual([]);
  });
});

describe("search_documents takes no query for more than words", () => {
  trial.each([
    ['tea" OR owner : "t6F74686572', ["tea-brewing"]],
    ["tea AND", ["tea-brewing"]],
    ["OR NOT NEAR", ["tea-brewing"]],
    ["NEAR(tea salt)", ["tea-brewing"]],
    ["title:tea", ["tea-brewing"]],
    ["tea*", ["tea-brewing"]],
    ["-tea ^tea +tea", ["tea-brewing"]],
    ["tea' ; DROP TABLE documents; --", ["tea-brewing"]],
    ["{title} : tea", ["tea-brewing"]],
  ])("%j", async (query, ids) => {
    const found = await idsOf(query);
    expect(found).toEqual(expect.arrayContaining(ids));
    expect(found).not.toContain("merger-plan");
  });

  test.each(['"', "*", "()", "🙂", "\u0000", "…", "a".repeat(500), "ß ǅ ﬁ 𝒳 ᬅ ߐ"])(
    "%j finds nothing and breaks nothing",
    async (query) => {
      expect(await idsOf(query)).toEqual([]);
    },
  );

  trial("a query of hundreds of words is as good as its first thirty-two", async () => {
    const words = Array.from({ length: 249 }, (_, n) => String.fromCharCode(0x4e00 + n));
    expect(await idsOf(["tea", ...words.slice(0, 248)].join(" "))).toContain("tea-brewing");
    expect(await idsOf([...words.slice(0, 32), "tea"].join(" "))).toEqual([]);
  });

  trial("any text is answered", async () => {
    const query = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 60 })
      .filter((text) => text.trim() !== "");
    await fc.assert(
      fc.asyncProperty(query, async (query) => {
        const { documents } = await search({ query });
        expect(documents.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 50 },
    );
  });
});

trial("search_documents follows what becomes of a document", async () => {
  await keep("acme", "d", "Old title", "quokka");
  expect(await idsOf("quokka", "acme")).toEqual(["d"]);
  await data.database.prepare("UPDATE documents SET text = 'numbat' WHERE tenant = 'acme'").all();
  expect(await idsOf("quokka", "acme")).toEqual([]);
  expect(await idsOf("numbat", "acme")).toEqual(["d"]);
  await data.database.prepare("DELETE FROM documents WHERE tenant = 'acme'").all();
  expect(await idsOf("numbat", "acme")).toEqual([]);
});

trial("search_documents shows a passage on one line, however long a document's words are", async () => {
  await keep("acme", "long", "T".repeat(500), `okapi\n\n<b>bold</b> ${"x".repeat(100_000)}`);
  const { documents } = await search({ query: "okapi" }, "acme");
  expect(documents[0]!.title.length).toBeLessThanOrEqual(200);
  expect(documents[0]!.snippet.length).toBeLessThanOrEqual(300);
  expect(documents[0]!.snippet).toMatch(/^okapi <b>bold<\/b> /);
});

test.each([
  {},
  { query: "" },
  { query: "  " },
  { query: "a", limit: 0 },
  { query: "a", limit: 26 },
  { query: 1 },
])("search_documents does not accept %j", (args) => {
  expect(z.safeParse(searchDocuments.input, args).success).toBe(false);
});
