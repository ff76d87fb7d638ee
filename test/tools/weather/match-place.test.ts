import { expect, test } from "vitest";

import { matchPlace } from "../../../src/tools/weather/get-weather.ts";

const MAINE = { country: "United States", country_code: "US", admin1: "Maine", admin2: "Cumberland" };

test("matchPlace() accepts the example of its documentation", () => {
  expect(matchPlace({ country_code: "US", admin1: "Maine" }, ["ME", "USA"])).toBe(true);
});

test.each([
  [[], true],
  [["maine"], true],
  [["Cumberland", "Maine", "US"], true],
  [["United States"], true],
  [["OR"], false],
  [["Maine", "France"], false],
])("matchPlace() of Portland in Maine with %j is %s", (qualifiers, fits) => {
  expect(matchPlace(MAINE, qualifiers)).toBe(fits);
});

test("matchPlace() reads a state's postal code only within the United States", () => {
  expect(matchPlace({ country: "France", country_code: "FR", admin1: "Maine" }, ["ME"])).toBe(false);
});

test("matchPlace() ignores accents", () => {
  expect(matchPlace({ country_code: "CA", admin1: "Québec" }, ["quebec"])).toBe(true);
});

test("matchPlace() takes a place without any names for none with qualifiers", () => {
  expect(matchPlace({ country: null }, ["US"])).toBe(false);
});
