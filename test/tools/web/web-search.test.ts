import * as z from "zod/mini";
import { expect, test } from "vitest";

import { webSearch } from "../../../src/tools/web/web-search.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const QUERY = { query: "2020 Toyota Camry common issues" };

test("web-search asks Brave as documented", async () => {
  const { output, requests } = runTool(webSearch, { ...QUERY, max_results: 4 });
  await output;
  expect(requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    "GET https://api.search.brave.com/res/v1/web/search?q=2020+Toyota+Camry+common+issues&count=4&result_filter=web",
  ]);
  expect(requests[0]!.headers.get("X-Subscription-Token")).toBe("brave-key");
});

test("web-search gives plain titles and snippets", async () => {
  const { output } = runTool(webSearch, QUERY);
  const { results } = (await output) as { results: { snippet: string }[] };
  expect(results).toHaveLength(5);
  for (const result of results) {
    expect(result).toMatchObject({
      title: expect.stringContaining(QUERY.query),
      url: expect.stringMatching(/^https:/),
    });
    expect(result.snippet).toMatch(/^Here's what we found on 2020 Toyota Camry common issues: .* & our/);
  }
});

test("web-search gives no results when Brave sends no web section", async () => {
  const { output } = runTool(webSearch, { query: "way to nowhere" });
  expect(await output).toEqual({ results: [] });
});

test("web-search leaves out an age that Brave does not know", async () => {
  const { output } = runTool(webSearch, QUERY, {
    answer: () =>
      Response.json({ web: { results: [{ title: "T", url: "https://a.example/", description: null }] } }),
  });
  expect(await output).toEqual({ results: [{ title: "T", url: "https://a.example/", snippet: "" }] });
});

test("web-search reports a refused token as Brave's status, not as bad arguments", async () => {
  const { output } = runTool(webSearch, QUERY, { secrets: { BRAVE_SEARCH_API_KEY: "invalid" } });
  await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", upstreamStatus: 422 } });
});

test("web-search passes on that the plan's rate is used up", async () => {
  const { output } = runTool(webSearch, QUERY, { answer: () => new Response("{}", { status: 429 }) });
  await expect(output).rejects.toMatchObject({ failure: { code: "RATE_LIMITED", retryable: true } });
});

test.each([{ web: {} }, { web: { results: [{ title: "T" }] } }, "text"])(
  "web-search takes %j for unreadable",
  async (body) => {
    const { output } = runTool(webSearch, QUERY, { answer: () => Response.json(body) });
    await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
  },
);

test("web-search stays under 250 tokens per result and 10 results, whatever Brave sends", async () => {
  const long = "<strong>word</strong> &amp; ".repeat(500);
  const result = { title: long, url: `https://a.example/${"x".repeat(380)}`, description: long, age: long };
  const { output } = runTool(
    webSearch,
    { ...QUERY, max_results: 10 },
    { answer: () => Response.json({ web: { results: Array.from({ length: 20 }, () => result) } }) },
  );
  const read = await output;
  expect(read).toMatchObject({ results: { length: 10 } });
  expect(countTokens(read)).toBeLessThan(10 * 250);
});

test("web-search omits a result whose link is too long to keep", async () => {
  const results = [
    { title: "Long", url: `https://a.example/${"x".repeat(500)}` },
    { title: "Short", url: "https://b.example/" },
  ];
  const { output } = runTool(webSearch, QUERY, { answer: () => Response.json({ web: { results } }) });
  expect(await output).toEqual({ results: [{ title: "Short", url: "https://b.example/", snippet: "" }] });
});

test.each([
  { query: "" },
  { query: "w ".repeat(51) },
  { query: "x".repeat(401) },
  { ...QUERY, max_results: 0 },
])("web-search does not accept %j", (args) => {
  expect(z.safeParse(webSearch.input, args).success).toBe(false);
});
