import * as z from "zod/mini";
import { expect, test } from "vitest";

import { duckduckgoSearch } from "../../../src/tools/web/duckduckgo-search.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const QUERY = { query: "Phoenix, Arizona" };
const answering = (body: object | string) => ({
  answer: () =>
    new Response(
      typeof body === "string" ? body : JSON.stringify({ AbstractText: "", RelatedTopics: [], ...body }),
    ),
});
const page = (n: number) => ({ FirstURL: `https://a.example/${n}`, Text: `Page ${n}` });

test("duckduckgo-search asks as documented, without a key", async () => {
  const { output, requests } = runTool(duckduckgoSearch, QUERY);
  await output;
  expect(requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    "GET https://api.duckduckgo.com/?q=Phoenix%2C+Arizona&format=json&no_html=1&no_redirect=1&skip_disambig=1",
  ]);
});

test("duckduckgo-search gives the answer, its source, and what is near it, groups included", async () => {
  const { answer, results } = (await runTool(duckduckgoSearch, QUERY).output) as {
    answer: string;
    results: readonly object[];
  };
  expect(answer).toMatch(/^Phoenix, Arizona is what \d+ of our readers looked up\.$/);
  expect(results).toEqual([
    { title: "Phoenix, Arizona", url: "https://encyclopedia.example/wiki/Phoenix_Arizona", snippet: answer },
    { title: "Official site", url: "https://www.reviews.example/Phoenix_Arizona", snippet: "Official site" },
    {
      title: "Phoenix, Arizona (history)",
      url: "https://duckduckgo.com/Phoenix_Arizona_history",
      snippet: "What is near it & known.",
    },
    expect.objectContaining({ title: "Phoenix, Arizona (people)" }),
    expect.objectContaining({ title: "Everything else", url: "https://duckduckgo.com/c%2FEverything" }),
    expect.objectContaining({ title: "List of lists" }),
  ]);
});

test.each([
  ["a sum", "12 + 30", { answer: "42", results: [] }],
  ["what is not known", "way to nowhere", { results: [] }],
  ["what only its page calculates", "timer 5 minutes", { results: [] }],
  ["a bang, which leads elsewhere", "!w tea", { results: [] }],
])("duckduckgo-search of %s", async (_, query, answer) => {
  expect(await runTool(duckduckgoSearch, { query }).output).toEqual(answer);
});

test("duckduckgo-search takes its 202 for what it is: too many requests", async () => {
  await expect(runTool(duckduckgoSearch, { query: "throttled" }).output).rejects.toMatchObject({
    failure: { code: "RATE_LIMITED", retryable: true, hint: expect.stringContaining("wait") },
  });
});

test("duckduckgo-search gives a definition where there is no abstract", async () => {
  const body = {
    Heading: "tea",
    Definition: "A drink.",
    DefinitionURL: "https://a.example/tea",
  };
  expect(await runTool(duckduckgoSearch, QUERY, answering(body)).output).toEqual({
    answer: "A drink.",
    results: [{ title: "tea", url: "https://a.example/tea", snippet: "A drink." }],
  });
});

test("duckduckgo-search leaves out what is no page, too long a link, and a page that was there", async () => {
  const topics = [
    page(1),
    page(1),
    { FirstURL: "/relative", Text: "x" },
    { FirstURL: "javascript:alert(1)", Text: "x" },
    { FirstURL: `https://a.example/${"x".repeat(400)}`, Text: "x" },
    page(2),
  ];
  const { results } = (await runTool(duckduckgoSearch, QUERY, answering({ RelatedTopics: topics }))
    .output) as { results: { url: string }[] };
  expect(results.map(({ url }) => url)).toEqual(["https://a.example/1", "https://a.example/2"]);
});

test("duckduckgo-search stays within what it promises, whatever comes", async () => {
  const long = "<b>word</b> &amp; ".repeat(5_000);
  const topic = (n: number) => ({
    FirstURL: `https://a.example/${n}${"x".repeat(380)}`,
    Text: long,
    Result: long,
  });
  const body = {
    AbstractText: long,
    Heading: long,
    RelatedTopics: Array.from({ length: 20 }, (_, n) => topic(n)),
  };
  const output = await runTool(duckduckgoSearch, QUERY, answering(body)).output;
  expect(output).toMatchObject({ results: { length: 8 } });
  expect(countTokens(output)).toBeLessThan(8 * 200 + 160);
});

test.each([
  "text",
  "[]",
  "{}",
  '{"AbstractText":"","RelatedTopics":[{}]}',
  '{"AbstractText":5,"RelatedTopics":[]}',
  "<!DOCTYPE html>",
])("duckduckgo-search takes %s for unreadable", async (body) => {
  await expect(runTool(duckduckgoSearch, QUERY, answering(body)).output).rejects.toMatchObject({
    failure: { code: "BAD_UPSTREAM_RESPONSE" },
  });
});

test.each([{ query: " " }, { query: "x".repeat(401) }, {}])(
  "duckduckgo-search does not accept %j",
  (args) => {
    expect(z.safeParse(duckduckgoSearch.input, args).success).toBe(false);
  },
);
