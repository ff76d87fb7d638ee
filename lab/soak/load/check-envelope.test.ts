import { expect, test } from "vitest";
import { checkEnvelope } from "./check-envelope.ts";

const asked = [
  { id: "a", tool: "t" },
  { id: "b", tool: "u" },
];
const [a, b] = [
  { index: 0, id: "a", tool: "t", status: "success" },
  { index: 1, id: "b", tool: "u", status: "error", error: { code: "TIMEOUT" } },
];

test("checkEnvelope() finds nothing wrong with one result each, in order", () => {
  expect(checkEnvelope(asked, [a, b])).toEqual([]);
});

test.each([
  ["a result that is missing", [a], "2 actions and 1 results"],
  ["a result that is there twice", [a, b, b], "2 actions and 3 results"],
  ["results in another order", [b, a], "result 0 is that of 'b', not of 'a'"],
  ["a result of another tool", [{ ...a, tool: "u" }, b], "result 'a' says tool 'u'"],
  ["a status that there is not", [{ ...a, status: "fine" }, b], "result 'a' has status 'fine'"],
  ["a failure that does not say which", [a, { ...b, error: undefined }], "says no error"],
])("checkEnvelope() names %s", (_, results, text) => {
  expect(checkEnvelope(asked, results as (typeof a)[]).join()).toContain(text);
});
