import * as fc from "fast-check";
import { expect, test } from "vitest";

import { parseDuration } from "../../../src/tools/kit/parse-duration.ts";
import { trial } from "../../support/trial.ts";

test.each([
  ["2 hours", 120],
  ["90 minutes", 90],
  ["30 min", 30],
  ["1h30m", 90],
  ["1h 30m", 90],
  ["1 hour 30 minutes", 90],
  ["1 hour and 30 minutes", 90],
  ["1 hour, 30 minutes", 90],
  ["An Hour", 60],
  ["half an hour", 30],
  ["an hour and a half", 90],
  ["1 and a half hours", 90],
  ["two hours", 120],
  ["1.5 hours", 90],
  ["1:30", 90],
  ["PT45M", 45],
  ["PT1H30M", 90],
  ["P1DT2H", 26 * 60],
  ["P2W", 14 * 24 * 60],
  ["2 days", 48 * 60],
  ["1 week", 7 * 24 * 60],
])("parseDuration() reads %j as %d minutes", (text, minutes) => {
  expect(parseDuration(text)).toBe(minutes * 60_000);
});

test.each(
  [
    [
      "",
      "30",
      "hour",
      "forever",
      "0 minutes",
      "-2 hours",
      "30 seconds",
      "PT90S",
      "P",
      "PT",
      "1 month",
      "2 hours long",
    ],
    [
      "1e3 hours",
      "1 an d",
      "1 and hours",
      "400 days",
      "999999 hours",
      "PT1H tomorrow",
      "1:60",
      "2 h h",
      "و ساعة",
    ],
  ].flat(),
)("parseDuration() takes %j for none", (text) => {
  expect(parseDuration(text)).toBeNull();
});

trial("parseDuration() gives whole minutes or null, whatever comes", () => {
  const piece = fc.constantFrom(
    "1",
    "2.5",
    "an",
    "half",
    "and",
    "a",
    "hour",
    "hours",
    "m",
    "h",
    "d",
    " ",
    ",",
    "PT",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const length = parseDuration(pieces.join(""));
      expect(length === null || (length >= 60_000 && length % 60_000 === 0)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
