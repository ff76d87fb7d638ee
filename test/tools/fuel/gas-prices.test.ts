import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { findPlace, nearestStates } from "../../../src/tools/fuel/price-areas.ts";
import { gasPrices } from "../../../src/tools/fuel/gas-prices.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

interface Answer {
  readonly place: string;
  readonly note?: string;
  readonly prices: readonly { product: string; price: number; week_of: string; area: string }[];
}

const ask = async (args: object): Promise<Answer> => (await runTool(gasPrices, args).output) as Answer;

describe("gas-prices", () => {
  test("asks the EIA once for all that is needed, as documented", async () => {
    const { output, requests } = runTool(gasPrices, { state: "Ohio" });
    await output;
    expect(requests).toHaveLength(1);
    const { method, url } = requests[0]!;
    expect(`${method} ${url.origin}${url.pathname}`).toBe(
      "GET https://api.eia.gov/v2/petroleum/pri/gnd/data/",
    );
    expect([...url.searchParams]).toEqual([
      ["api_key", "eia-key"],
      ["frequency", "weekly"],
      ["data[0]", "value"],
      ["facets[process][]", "PTE"],
      ["facets[product][]", "EPMR"],
      ["facets[product][]", "EPMM"],
      ["facets[product][]", "EPMP"],
      ["facets[product][]", "EPD2D"],
      ["facets[duoarea][]", "SOH"],
      ["facets[duoarea][]", "R20"],
      ["sort[0][column]", "period"],
      ["sort[0][direction]", "desc"],
      ["offset", "0"],
      ["length", "24"],
    ]);
  });

  test("gives every product of the country without a state", async () => {
    const answer = await ask({});
    expect(answer).toMatchObject({ place: "United States", unit: "USD per gallon" });
    expect(answer).not.toHaveProperty("note");
    expect(answer.prices.map(({ product, area }) => [product, area])).toEqual([
      ["regular", "U.S. average"],
      ["midgrade", "U.S. average"],
      ["premium", "U.S. average"],
      ["diesel", "U.S. average"],
    ]);
    for (const { price, week_of } of answer.prices) {
      expect(price).toBeGreaterThan(2);
      expect(new Date(week_of).getUTCDay()).toBe(1);
    }
    expect(countTokens(answer)).toBeLessThan(4 * 45);
  });

  trial("says where a state has no price of its own", async () => {
    const arizona = await ask({ state: "AZ", product: "regular" });
    expect(arizona).toMatchObject({
      place: "Arizona",
      prices: [{ product: "regular", area: "West Coast (PADD 5) except California" }],
      note: expect.stringContaining("Arizona"),
    });
    const texas = await ask({ state: "texas", product: "premium" });
    expect(texas).toMatchObject({ place: "Texas", prices: [{ area: "Texas" }] });
    expect(texas).not.toHaveProperty("note");
    const diesel = await ask({ state: "Texas", product: "diesel" });
    expect(diesel).toMatchObject({ prices: [{ area: "Gulf Coast (PADD 3)" }], note: expect.any(String) });
    expect((await ask({ state: "California" })).prices.map(({ area }) => area)).toEqual(
      Array(4).fill("California"),
    );
  });

  test("compares with the week before, and passes over weeks without a price", async () => {
    const row = (period: string, value: string | number | null) => ({
      period,
      duoarea: "NUS",
      product: "EPMR",
      value,
    });
    const data = [
      row("2026-11-02", 3.2),
      row("2026-11-16", null),
      row("2026-11-09", "3.05"),
      row("2026-10-26", "9.9"),
    ];
    const { output } = runTool(
      gasPrices,
      { product: "regular" },
      { answer: () => Response.json({ response: { data } }) },
    );
    expect(await output).toMatchObject({
      prices: [{ price: 3.05, week_of: "2026-11-09", change_from_week_before: -0.15 }],
    });
  });

  test("says so when there are no prices", async () => {
    const { output } = runTool(gasPrices, {}, { answer: () => Response.json({ response: { data: [] } }) });
    await expect(output).rejects.toMatchObject({ failure: { code: "NOT_FOUND" } });
  });

  test.each([
    ["Ohoi", "Ohio"],
    ["Nevda", "Nevada"],
    ["north dakotah", "North Dakota"],
    ["Virgina", "Virginia"],
  ])("refuses the state '%s' and names %s, before it asks anybody", async (state, meant) => {
    const { output, requests } = runTool(gasPrices, { state });
    await expect(output).rejects.toMatchObject({
      failure: {
        code: "INVALID_ARGS",
        hint: expect.stringContaining(`'${meant}'`),
        issues: [{ path: "/args/state" }],
      },
    });
    expect(requests).toHaveLength(0);
  });

  test.each(["Ontario", "XX", "__proto__", "constructor"])("refuses the state '%s'", async (state) => {
    await expect(runTool(gasPrices, { state }).output).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS" },
    });
  });

  test("a key that the EIA refuses is the operator's to mend, and is not shown", async () => {
    const { output } = runTool(gasPrices, {}, { secrets: { EIA_API_KEY: "invalid-key" } });
    await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", upstreamStatus: 403 } });
  });

  test.each([
    { response: {} },
    { response: { data: [{ period: "soon" }] } },
    { response: { data: [{ period: "2026-11-02", duoarea: "NUS", product: "EPMR", value: "dear" }] } },
  ])("takes %j for unreadable", async (body) => {
    const { output } = runTool(gasPrices, {}, { answer: () => Response.json(body) });
    await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
  });

  test.each([{ product: "kerosene" }, { state: "A" }, { state: 5 }, { city: "Boston" }])(
    "does not accept %j",
    (args) => {
      expect(z.safeParse(gasPrices.input, args).success).toBe(false);
    },
  );
});

describe("findPlace()", () => {
  test.each([
    ["NY", "New York"],
    ["ny", "New York"],
    ["N.Y.", "New York"],
    ["new york", "New York"],
    ["NEW-YORK", "New York"],
    ["D.C.", "District of Columbia"],
    ["Washington, D.C.", "District of Columbia"],
    ["Washington", "Washington"],
    ["U.S.", "United States"],
    ["usa", "United States"],
  ])("finds %s", (state, name) => {
    expect(findPlace(state)?.name).toBe(name);
  });

  test("knows the fifty states and the capital, each by a code of its own", () => {
    const codes =
      "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC".split(
        " ",
      );
    const found = codes.map((code) => findPlace(code)?.name);
    expect(new Set(found).size).toBe(51);
    expect(found).not.toContain(undefined);
    const own = codes.filter((code) => findPlace(code)!.gasoline.code === `S${code}`);
    expect(own.toSorted()).toEqual(["CA", "CO", "FL", "MA", "MN", "NY", "OH", "TX", "WA"]);
  });

  test("has nothing near what is no state", () => {
    expect(nearestStates("Mordor")).toEqual([]);
  });
});
