import { expect, test } from "vitest";

import { plainText } from "../../../src/tools/kit/html-entities.ts";

test("plainText() reads the example of its documentation", () => {
  expect(plainText("Toyota&#x27;s <strong>Camry</strong>")).toBe("Toyota's Camry");
});

test("plainText() keeps text that only looks like a mark", () => {
  expect(plainText("if a <b && c> d")).toBe("if a <b && c> d");
});

test("plainText() decodes a reference once", () => {
  expect(plainText("&amp;lt; &#38;amp; &quot;&apos;&nbsp;")).toBe(`&lt; &amp; "' `);
});

test("plainText() leaves a reference to no character as it is", () => {
  expect(plainText("&#x110000; &nosuch; &#9999999;")).toBe("&#x110000; &nosuch; &#9999999;");
});
