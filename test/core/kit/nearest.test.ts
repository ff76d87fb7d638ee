import fc from "fast-check";
import { expect, test } from "vitest";

import { nearest } from "../../../src/core/kit/nearest.ts";
import { trial } from "../../support/trial.ts";

const NAMES = ["google-maps-search", "web-search", "send_email", "get_weather"];

test.each([
  ["send_emial", "send_email", "two letters swapped"],
  ["sendEmail", "send_email", "another case"],
  ["SEND EMAIL", "send_email", "other punctuation"],
  ["email", "send_email", "a part of it"],
  ["get_weather_now", "get_weather", "more than it"],
  ["websearch", "web-search", "a missing hyphen"],
])("nearest() takes '%s' for '%s': %s", (name, meant) => {
  expect(nearest(name, NAMES)[0]).toBe(meant);
});

test.each(["", "___", "zzzzzzzz", "se", "日本"])("nearest() has nothing to offer for '%s'", (name) => {
  expect(nearest(name, NAMES)).toEqual([]);
});

test("nearest() takes no letter for another one", () => {
  expect(nearest("m", ["n", "d"])).toEqual([]);
  expect(nearest("N", ["n", "d"])).toEqual(["n"]);
});

test("nearest() puts the nearest first and breaks ties by name", () => {
  expect(nearest("a1", ["a3", "a2", "a1"])).toEqual(["a1", "a2", "a3"]);
});

test("nearest() gives three names unless told otherwise", () => {
  const names = ["a1", "a2", "a3", "a4", "a5"];
  expect(nearest("a0", names)).toHaveLength(3);
  expect(nearest("a0", names, 1)).toEqual(["a1"]);
});

test("nearest() looks at the first 64 characters of a hostile name", () => {
  expect(nearest("x".repeat(100_000), NAMES)).toEqual([]);
});

test("nearest() never returns a name that is not a candidate, nor more than it may", () => {
  const name = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(name, fc.uniqueArray(name), fc.integer({ min: 0, max: 5 }), (wanted, candidates, limit) => {
      const found = nearest(wanted, candidates, limit);
      expect(candidates).toEqual(expect.arrayContaining(found));
      expect(new Set(found).size).toBe(found.length);
      expect(found.length).toBeLessThanOrEqual(limit);
    }),
  );
});

trial("nearest() finds every name that has a letter or a digit, given the name itself", () => {
  const name = fc.stringMatching(/^[a-z0-9_-]*[a-z0-9][a-z0-9_-]*$/, { maxLength: 64 });
  fc.assert(
    fc.property(name, (wanted) => {
      expect(nearest(wanted, [wanted])).toEqual([wanted]);
    }),
  );
});

test("T28 nearest() looks at the first 64 characters of a hostile candidate", () => {
  expect(nearest("send_emial", ["x".repeat(1_000_000), "send_email"])).toEqual(["send_email"]);
});

test("T28 nearest() looks at 200 candidates and takes no more of them", () => {
  let taken = 0;
  const endless = (function* () {
    for (;;) {
      taken += 1;
      yield taken === 200 ? "send_email" : `x${taken}`;
    }
  })();
  expect(nearest("send_emial", endless)).toEqual(["send_email"]);
  expect(taken).toBeLessThanOrEqual(201);
});
