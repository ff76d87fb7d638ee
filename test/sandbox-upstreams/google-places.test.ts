import { expect, test } from "vitest";

import { callStandIn } from "./call-stand-in.ts";

const URL = "https://places.googleapis.com/v1/places:searchText";
const HEADERS = {
  "X-Goog-Api-Key": "key",
  "X-Goog-FieldMask": "places.id,places.currentOpeningHours.openNow",
};

function search(body: unknown, headers: Record<string, string> = HEADERS) {
  return callStandIn(URL, { method: "POST", headers, body: JSON.stringify(body) });
}

test("Google's stand-in gives only the masked fields", async () => {
  const { status, body } = await search({ textQuery: "oil change near Phoenix, AZ", pageSize: 2 });
  expect(status).toBe(200);
  const place = { id: expect.any(String), currentOpeningHours: { openNow: expect.any(Boolean) } };
  expect(body).toEqual({ places: [place, place] });
});

test("Google's stand-in gives the same query the same places, and another query others", async () => {
  const first = await search({ textQuery: "coffee in Oslo" });
  expect(await search({ textQuery: "coffee in Oslo" })).toEqual(first);
  expect(await search({ textQuery: "coffee in Rome" })).not.toEqual(first);
});

test("Google's stand-in gives at most 20 places", async () => {
  expect(await search({ textQuery: "coffee", pageSize: 100 })).toMatchObject({
    body: { places: { length: 20 } },
  });
});

test("Google's stand-in gives everything for the mask *", async () => {
  const { body } = await search(
    { textQuery: "coffee", pageSize: 1 },
    { ...HEADERS, "X-Goog-FieldMask": "*" },
  );
  expect(body).toMatchObject({ places: [{ displayName: { languageCode: "en" }, location: {} }] });
});

test.each([
  ["without a key", { "X-Goog-FieldMask": "*" }, 403, "PERMISSION_DENIED"],
  ["with a wrong key", { ...HEADERS, "X-Goog-Api-Key": "invalid" }, 400, "INVALID_ARGUMENT"],
  ["without a field mask", { "X-Goog-Api-Key": "key" }, 400, "INVALID_ARGUMENT"],
  ["with an unknown field", { ...HEADERS, "X-Goog-FieldMask": "places.name2" }, 400, "INVALID_ARGUMENT"],
  ["with a mask that lacks 'places'", { ...HEADERS, "X-Goog-FieldMask": "id" }, 400, "INVALID_ARGUMENT"],
])("Google's stand-in refuses a search %s", async (_, headers, code, status) => {
  expect(await search({ textQuery: "coffee" }, headers)).toMatchObject({
    status: code,
    body: { error: { code, status, message: expect.any(String) } },
  });
});

test.each([{}, { textQuery: " " }, { textQuery: "coffee", pageSize: -1 }, "text"])(
  "Google's stand-in refuses the body %j",
  async (body) => {
    expect(await search(body)).toMatchObject({
      status: 400,
      body: { error: { status: "INVALID_ARGUMENT" } },
    });
  },
);

test("Google's stand-in knows no other method or path", async () => {
  expect((await callStandIn(URL, { headers: HEADERS })).status).toBe(404);
  expect((await callStandIn("https://places.googleapis.com/v1/places", { method: "POST" })).status).toBe(404);
});
