import * as z from "zod/mini";
import { expect, test } from "vitest";

import { nhtsaRecallSearch } from "../../../src/tools/vehicles/nhtsa-recall-search.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const CAMRY = { year: 2020, make: "Toyota", model: "Camry" };

test("nhtsa-recall-search asks NHTSA as documented, without a key", async () => {
  const { output, requests } = runTool(nhtsaRecallSearch, { ...CAMRY, model: "Camry & Co" });
  await output;
  expect(requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    "GET https://api.nhtsa.gov/recalls/recallsByVehicle?make=Toyota&model=Camry+%26+Co&modelYear=2020",
  ]);
});

test("nhtsa-recall-search gives recalls newest first, with ISO dates", async () => {
  const { output } = runTool(nhtsaRecallSearch, CAMRY);
  const { count, recalls } = (await output) as { count: number; recalls: { date: string }[] };
  expect(count).toBe(recalls.length);
  expect(count).toBeGreaterThan(0);
  const dates = recalls.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted().toReversed());
  for (const recall of recalls)
    expect(recall).toMatchObject({
      campaign: expect.stringMatching(/^\d\dV\d{6}$/),
      component: expect.stringMatching(/./),
      date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      summary: expect.stringContaining("Toyota Camry"),
      consequence: expect.stringMatching(/./),
      remedy: expect.stringContaining("free of charge"),
    });
});

test("nhtsa-recall-search reads the 400 with an empty list as no recalls, and says what that may hide", async () => {
  const { output } = runTool(nhtsaRecallSearch, { ...CAMRY, make: "Toyotta" });
  expect(await output).toEqual({ count: 0, recalls: [], note: expect.stringContaining("misspelt") });
});

test("nhtsa-recall-search reads an empty list the same with a 200", async () => {
  const { output } = runTool(nhtsaRecallSearch, CAMRY, {
    answer: () => Response.json({ Count: 0, results: [] }),
  });
  expect(await output).toMatchObject({ count: 0, note: expect.any(String) });
});

test.each([
  [404, "NOT_FOUND"],
  [429, "RATE_LIMITED"],
  [503, "UPSTREAM_ERROR"],
])("nhtsa-recall-search does not take a %i for an empty list", async (status, code) => {
  const { output } = runTool(nhtsaRecallSearch, CAMRY, { answer: () => new Response("", { status }) });
  await expect(output).rejects.toMatchObject({ failure: { code } });
});

test.each([
  [true, true],
  ["True", true],
  ["Yes", true],
  [false, undefined],
  ["False", undefined],
  [null, undefined],
])("nhtsa-recall-search reads the warning %j as %s", async (flag, expected) => {
  const { output } = runTool(nhtsaRecallSearch, CAMRY, {
    answer: () =>
      Response.json({
        Count: 1,
        results: [{ NHTSACampaignNumber: "20V1", parkIt: flag, parkOutSide: flag }],
      }),
  });
  const { recalls } = (await output) as { recalls: [{ park_it?: true; park_outside?: true }] };
  expect(recalls[0].park_it).toBe(expected);
  expect(recalls[0].park_outside).toBe(expected);
});

test.each([{ results: "none" }, { Count: 1, results: [{}] }, [], null])(
  "nhtsa-recall-search takes %j for unreadable",
  async (body) => {
    const { output } = runTool(nhtsaRecallSearch, CAMRY, { answer: () => Response.json(body) });
    await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
  },
);

test("nhtsa-recall-search stays under 300 tokens per recall and 20 recalls, and still counts all", async () => {
  const long = "Owners may contact customer service. ".repeat(100);
  const results = Array.from({ length: 45 }, (_, index) => ({
    NHTSACampaignNumber: `20V${String(index).padStart(3, "0")}000`,
    Component: long,
    ReportReceivedDate: "01/02/2020",
    Summary: long,
    Consequence: long,
    Remedy: long,
    parkIt: true,
    parkOutSide: true,
  }));
  const { output } = runTool(nhtsaRecallSearch, CAMRY, {
    answer: () => Response.json({ Count: 45, results }),
  });
  const read = await output;
  expect(read).toMatchObject({ count: 45, recalls: { length: 20 } });
  expect(countTokens(read)).toBeLessThan(20 * 300);
});

test.each([
  { make: "Toyota", model: "Camry" },
  { ...CAMRY, year: "2020" },
  { ...CAMRY, year: 20 },
  { ...CAMRY, make: "" },
])("nhtsa-recall-search does not accept %j", (args) => {
  expect(z.safeParse(nhtsaRecallSearch.input, args).success).toBe(false);
});
