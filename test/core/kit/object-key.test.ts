import { expect, test } from "vitest";

import { objectKey } from "../../../src/core/kit/object-key.ts";

test("objectKey() puts an object under its owner", () => {
  expect(objectKey("acme", "9f1c.png")).toBe("acme/9f1c.png");
});

test.each([
  "../other/9f1c.png",
  "..",
  ".",
  ".hidden",
  "",
  "a/b",
  "a\\b",
  "a%2Fb",
  "a b",
  "ä",
  "a\n",
  "a".repeat(201),
])("objectKey() knows no object named %j", (name) => {
  expect(objectKey("acme", name)).toBeNull();
});

test("no owner's name makes another owner's key", () => {
  expect(objectKey("a", "b.png")).not.toBe(objectKey("a.b", "png"));
  expect(objectKey("..", "b.png")).toBe("../b.png");
});
