import * as z from "zod/mini";
import { expect, test } from "vitest";

import { googleMapsSearch } from "../../../src/tools/maps/google-maps-search.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const QUERY = { query: "oil change near Phoenix, AZ" };

test("google-maps-search asks Google as documented", async () => {
  const { output, requests } = runTool(googleMapsSearch, { ...QUERY, max_results: 3 });
  await output;
  expect(requests).toHaveLength(1);
  const [{ method, url, headers, body }] = requests as [(typeof requests)[number]];
  expect(method).toBe("POST");
  expect(url.href).toBe("https://places.googleapis.com/v1/places:searchText");
  expect(headers.get("X-Goog-Api-Key")).toBe("maps-key");
  expect(headers.get("X-Goog-FieldMask")).toMatch(/^places\.id,(places\.[A-Za-z.]+,?)+$/);
  expect(JSON.parse(body)).toEqual({ textQuery: QUERY.query, pageSize: 3, languageCode: "en" });
});

test("google-maps-search gives each place with the fields a model needs", async () => {
  const { output } = runTool(googleMapsSearch, { ...QUERY, max_results: 1 });
  expect(await output).toEqual({
    places: [
      {
        id: expect.stringMatching(/^ChIJ/),
        name: expect.stringContaining("Oil Change"),
        address: expect.stringContaining("Phoenix, AZ"),
        rating: expect.any(Number),
        rating_count: expect.any(Number),
        phone: expect.stringMatching(/^\(602\) 555-/),
        website: expect.stringMatching(/^https:/),
        open_now: expect.any(Boolean),
        location: { lat: expect.closeTo(33.4, 0), lng: expect.closeTo(-112, 0) },
      },
    ],
  });
});

test("google-maps-search gives five places unless asked for another number", async () => {
  const { output } = runTool(googleMapsSearch, QUERY);
  expect(await output).toMatchObject({ places: { length: 5 } });
});

test("google-maps-search gives no places when Google finds none", async () => {
  const { output } = runTool(googleMapsSearch, { query: "oil change in nowhere" });
  expect(await output).toEqual({ places: [] });
});

test("google-maps-search leaves out what Google does not know", async () => {
  const { output } = runTool(googleMapsSearch, QUERY, {
    answer: () => Response.json({ places: [{ id: "p1", displayName: { text: "Shop" } }] }),
  });
  expect(await output).toEqual({ places: [{ id: "p1", name: "Shop", address: "" }] });
});

test("google-maps-search reports a refused key as Google's status", async () => {
  const { output } = runTool(googleMapsSearch, QUERY, { secrets: { GOOGLE_MAPS_API_KEY: "invalid" } });
  await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", upstreamStatus: 400 } });
});

test("google-maps-search names the secret that is not set, and sends nothing", async () => {
  const { output, requests } = runTool(googleMapsSearch, QUERY, { secrets: {} });
  await expect(output).rejects.toMatchObject({
    failure: { code: "MISCONFIGURED", hint: expect.stringContaining("GOOGLE_MAPS_API_KEY") },
  });
  expect(requests).toEqual([]);
});

test("google-maps-search takes an answer of another shape for unreadable", async () => {
  const { output } = runTool(googleMapsSearch, QUERY, { answer: () => Response.json({ places: [{}] }) });
  await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
});

test("google-maps-search stays under 200 tokens per place and 10 places, whatever Google sends", async () => {
  const long = "word ".repeat(1_000);
  const place = {
    id: "x".repeat(120),
    displayName: { text: long },
    formattedAddress: long,
    rating: 4.123456,
    userRatingCount: 1_234_567,
    nationalPhoneNumber: long,
    websiteUri: `https://example.com/${"x".repeat(180)}`,
    currentOpeningHours: { openNow: false },
    location: { latitude: -33.12345678901234, longitude: -112.1234567890123 },
  };
  const { output } = runTool(
    googleMapsSearch,
    { ...QUERY, max_results: 10 },
    { answer: () => Response.json({ places: Array.from({ length: 30 }, () => place) }) },
  );
  expect(countTokens(await output)).toBeLessThan(10 * 200);
});

test("google-maps-search omits a link too long to keep rather than cut it", async () => {
  const place = { id: "p1", websiteUri: `https://example.com/${"x".repeat(300)}` };
  const { output } = runTool(googleMapsSearch, QUERY, { answer: () => Response.json({ places: [place] }) });
  expect(await output).toEqual({ places: [{ id: "p1", name: "", address: "" }] });
});

test.each([{}, { query: " " }, { ...QUERY, max_results: 11 }, { ...QUERY, radius: 5 }])(
  "google-maps-search does not accept %j",
  (args) => {
    expect(z.safeParse(googleMapsSearch.input, args).success).toBe(false);
  },
);
