import { expect, test } from "vitest";

import { callStandIn } from "./call-stand-in.ts";

const URL = "https://api.cohere.com/v2/rerank";
const AUTHORIZED = { Authorization: "Bearer co-key" };
const ASK = { model: "rerank-v4.0-pro", query: "green tea", documents: ["salt", "green tea", "black tea"] };

function rank(body: unknown, headers: Record<string, string> = AUTHORIZED) {
  return callStandIn(URL, { method: "POST", headers, body: JSON.stringify(body) });
}

test("Cohere's stand-in puts the documents with most of the question's words first", async () => {
  const { status, body } = await rank(ASK);
  expect(status).toBe(200);
  const { results } = body as { results: { index: number; relevance_score: number }[] };
  expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
  expect(results[0]!.relevance_score).toBeGreaterThan(results[1]!.relevance_score);
});

test("Cohere's stand-in gives no more than top_n", async () => {
  expect((await rank({ ...ASK, top_n: 1 })).body).toMatchObject({ results: [{ index: 1 }] });
});

test.each([
  ["without a key", {}, "no api key supplied"],
  ["with a wrong key", { Authorization: "Bearer invalid" }, "invalid api token"],
])("Cohere's stand-in refuses a request %s", async (_, headers, message) => {
  expect(await rank(ASK, headers)).toMatchObject({ status: 401, body: { message } });
});

test.each([
  [{ ...ASK, model: undefined }, 400],
  [{ ...ASK, model: "rerank-v9" }, 404],
  [{ ...ASK, query: " " }, 400],
  [{ ...ASK, documents: [] }, 400],
  [{ ...ASK, documents: "salt" }, 400],
  [{ ...ASK, documents: [{ text: "salt" }] }, 400],
  [{ ...ASK, documents: [""] }, 400],
  [{ ...ASK, documents: Array.from({ length: 1_001 }, () => "x") }, 400],
  [{ ...ASK, top_n: 0 }, 400],
  [{ ...ASK, return_documents: true }, 400],
  [[ASK], 400],
])("Cohere's stand-in refuses %j", async (body, status) => {
  expect(await rank(body)).toMatchObject({ status, body: { message: expect.any(String) } });
});

test("Cohere's stand-in knows no other method or path", async () => {
  expect((await callStandIn(URL, { headers: AUTHORIZED })).status).toBe(405);
  expect((await callStandIn("https://api.cohere.com/v1/rerank", { method: "POST" })).status).toBe(404);
});
