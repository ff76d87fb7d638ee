import { describe, expect, test } from "vitest";

import {
  readDeliveryFields,
  writeDeliveryTexts,
} from "../../../../src/features/endpoints/console/read-delivery-fields.ts";

const EMPTY = { filter: "", headers: "", limit: "", windowS: "" };

describe("The form of an endpoint", () => {
  test("reads filter, headers and rate, and leaves out what is empty", () => {
    expect(readDeliveryFields(EMPTY)).toEqual({});
    expect(
      readDeliveryFields({
        filter: ' {"/total": {"gte": 100}} ',
        headers: "x-env: prod\n\n authorization : Bearer a:b \n",
        limit: "50",
        windowS: "",
      }),
    ).toEqual({
      filter: { "/total": { gte: 100 } },
      headers: { "x-env": "prod", authorization: "Bearer a:b" },
      rate_limit: { limit: 50, window_s: 1 },
    });
  });

  test.each([
    ["a filter that is no JSON", { filter: "{" }, { filter: "{" }],
    ["a header without a colon", { headers: "x-env prod" }, { headers: "x-env prod" }],
    ["a rate that is no number", { limit: "many" }, { rate_limit: { limit: "many", window_s: 1 } }],
    ["a time without a rate", { windowS: "60" }, { rate_limit: { limit: undefined, window_s: 60 } }],
  ])("leaves %s as it is, for the API to refuse", (_, texts, fields) => {
    expect(readDeliveryFields({ ...EMPTY, ...texts })).toEqual(fields);
  });

  test("shows an endpoint as it reads it", () => {
    const fields = {
      filter: { "/total": { gte: 100 }, "/kind": { in: ["a", "b"] } },
      headers: { "x-env": "prod", "x-token": "a: b" },
      rate_limit: { limit: 5, window_s: 60 },
    };
    expect(readDeliveryFields(writeDeliveryTexts(fields))).toEqual(fields);
    expect(writeDeliveryTexts(null)).toEqual(EMPTY);
    expect(writeDeliveryTexts({})).toEqual(EMPTY);
  });
});
