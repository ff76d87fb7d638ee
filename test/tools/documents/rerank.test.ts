import * as z from "zod/mini";
import { expect, test } from "vitest";

import { rerank } from "../../../src/tools/documents/rerank.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const DOCUMENTS = ["salt", { document_id: "t", title: "Green tea", snippet: "of the hills" }, "black tea"];
const ASK = { query: "green tea", documents: DOCUMENTS };

test("rerank asks Cohere as documented, with the text of each document", async () => {
  const { output, requests } = runTool(rerank, ASK);
  await output;
  expect(requests).toHaveLength(1);
  const [{ method, url, headers, body }] = requests as [(typeof requests)[number]];
  expect(`${method} ${url.href}`).toBe("POST https://api.cohere.com/v2/rerank");
  expect(headers.get("Authorization")).toBe("Bearer cohere-key");
  expect(JSON.parse(body)).toEqual({
    model: "rerank-v4.0-pro",
    query: "green tea",
    documents: ["salt", "Green tea\nof the hills", "black tea"],
  });
});

test("rerank gives each document's place, its id and its score, the best first, in about 20 tokens each", async () => {
  const output = await runTool(rerank, ASK).output;
  expect(output).toEqual({
    results: [
      { index: 1, document_id: "t", score: 0.999 },
      { index: 2, score: 0.5 },
      { index: 0, score: 0.001 },
    ],
  });
  expect(countTokens(output) / 3).toBeLessThan(20);
});

test("rerank sends nothing about no documents", async () => {
  const { output, requests } = runTool(rerank, { query: "x", documents: [] });
  expect(await output).toEqual({ results: [] });
  expect(requests).toEqual([]);
});

const told = (...results: readonly object[]) => ({ answer: () => Response.json({ results }) });

test.each([
  ["leaves one out", told({ index: 0, relevance_score: 1 })],
  ["names one twice", told({ index: 0, relevance_score: 1 }, { index: 0, relevance_score: 0.5 })],
  ["names one that was not sent", told({ index: 0, relevance_score: 1 }, { index: 2, relevance_score: 0 })],
  ["gives no score", told({ index: 0 }, { index: 1 })],
  ["is no list", { answer: () => Response.json({}) }],
])("rerank takes an answer that %s for unreadable", async (_, options) => {
  const { output } = runTool(rerank, { query: "x", documents: ["a", "b"] }, options);
  await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
});

test("rerank puts an answer in order that is not", async () => {
  const options = told({ index: 0, relevance_score: 0.1 }, { index: 1, relevance_score: 0.123456 });
  expect(await runTool(rerank, { query: "x", documents: ["a", "b"] }, options).output).toEqual({
    results: [
      { index: 1, score: 0.1235 },
      { index: 0, score: 0.1 },
    ],
  });
});

test("rerank reports a refused key as Cohere's 401", async () => {
  const { output } = runTool(rerank, ASK, { secrets: { COHERE_API_KEY: "invalid" } });
  await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", upstreamStatus: 401 } });
});

test.each([
  { query: "", documents: ["a"] },
  { query: "x" },
  { query: "x", documents: "a" },
  { query: "x", documents: [""] },
  { query: "x", documents: [{}] },
  { query: "x", documents: [{ document_id: "a" }] },
  { query: "x", documents: [{ text: "a", score: 1 }] },
  { query: "x", documents: Array.from({ length: 101 }, () => "a") },
])("rerank does not accept %j", (args) => {
  expect(z.safeParse(rerank.input, args).success).toBe(false);
});

test("rerank is the only call of itself under way", () => {
  expect(rerank).toMatchObject({ concurrency: 1, orchestration: { mode: "sequential-only" } });
});
