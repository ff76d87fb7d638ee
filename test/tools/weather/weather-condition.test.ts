import { expect, test } from "vitest";

import { weatherCondition } from "../../../src/tools/weather/weather-condition.ts";

test("weatherCondition() says a code in words", () => {
  expect(weatherCondition(61)).toBe("slight rain");
});

test.each([null, undefined, 42])("weatherCondition() does not guess what %s means", (code) => {
  expect(weatherCondition(code)).toBe("unknown");
});
