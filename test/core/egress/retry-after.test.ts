import { describe, expect, it } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { parseRetryAfter } from "../../../src/core/egress/retry-after.ts";

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

describe("parseRetryAfter()", () => {
  it.each([
    ["0", 0],
    ["1", 1_000],
    ["120", 120_000],
    [" 5 ", 5_000],
    ["0.25", 250],
    ["3600", LIMITS.retryAfterMs],
    ["3601", LIMITS.retryAfterMs],
    ["99999999999999999999", LIMITS.retryAfterMs],
    ["9".repeat(400), LIMITS.retryAfterMs],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
    ["Thursday, 01-Jan-26 12:00:30 GMT", 30_000],
    ["Thu Jan  1 12:00:30 2026", 30_000],
    ["Thu, 01 Jan 2026 11:59:00 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", LIMITS.retryAfterMs],
  ])("F04 reads %j as %d ms", (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  it.each([
    "",
    "-5",
    "+5",
    "soon",
    "1e9",
    "0x10",
    "Infinity",
    "NaN",
    "2026-01-01T12:00:30Z",
    "Mon",
    "5 s",
    "1,2",
  ])("F04 ignores %j", (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });

  it("takes the form without a zone for GMT, wherever the machine stands", () => {
    const { TZ } = process.env;
    process.env["TZ"] = "Asia/Tokyo";
    try {
      for (const value of ["Thu Jan  1 12:00:30 2026", "Thu, 01 Jan 2026 12:00:30 GMT"])
        expect(parseRetryAfter(value, NOW)).toBe(30_000);
    } finally {
      if (TZ === undefined) delete process.env["TZ"];
      else process.env["TZ"] = TZ;
    }
  });

  it("ignores a header that is not there", () => {
    expect(parseRetryAfter(null, NOW)).toBeUndefined();
  });
});
