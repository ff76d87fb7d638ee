import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseInstant } from "../../../src/core/kit/rfc3339.ts";

describe("parseInstant()", () => {
  test("reads every point in time that Date writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
        expect(parseInstant(new Date(ms).toISOString())).toBe(ms);
      }),
    );
  });

  test.each([
    ["2026-12-01T08:00:00+01:00", 1_796_108_400_000],
    ["2026-12-01t07:00:00z", 1_796_108_400_000],
    ["2026-12-01T07:00:00.25-00:00", 1_796_108_400_250],
    ["2028-02-29T00:00:00Z", 1_835_395_200_000],
  ])("reads %s", (text, ms) => {
    expect(parseInstant(text)).toBe(ms);
  });

  test.each([
    "",
    "tomorrow",
    "2026-12-01",
    "2026-12-01T08:00:00",
    "2026-12-01T08:00Z",
    "2026-12-01 08:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-12-00T00:00:00Z",
    "2026-12-01T24:00:00Z",
    "2026-12-01T08:60:00Z",
    "2026-12-01T08:00:60Z",
    "2026-12-01T08:00:00+24:00",
    "1796108400000",
  ])("takes '%s' for no point in time", (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});
