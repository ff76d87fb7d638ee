import { describe, expect, test } from "vitest";
import * as z from "zod";

import { parseRequest } from "../../../src/core/contract/parse-request.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const schema = z.strictObject({ name: z.string(), limit: z.int().default(3) });

describe("parseRequest()", () => {
  test("gives what was sent with its defaults", () => {
    expect(valueOf(parseRequest(schema, { name: "a" }))).toEqual({ name: "a", limit: 3 });
  });

  test.each([
    ["a missing field", {}, "/name", "a string", "nothing"],
    ["a wrong type", { name: "a", limit: "3" }, "/limit", "a number", 'the string "3"'],
    ["no object", [1], "", "an object", "an array of 1"],
    ["an unknown field", { name: "a", limmit: 3 }, "/limmit", "no such field", "the number 3"],
  ])("refuses %s with its path, what was expected and what came", (_, body, path, expected, received) => {
    const refusal = errorOf(parseRequest(schema, body));
    expect(refusal.code).toBe("INVALID_REQUEST");
    expect(refusal.issue).toEqual({ path, expected, received });
  });

  test("suggests the field that was meant", () => {
    expect(errorOf(parseRequest(schema, { name: "a", limmit: 3 })).hint).toBe(
      "There is no field /limmit. Did you mean 'limit' instead of 'limmit'?",
    );
  });

  test.each(["__proto__", "constructor"])("refuses a field named %s", (key) => {
    expect(parseRequest(schema, JSON.parse(`{"name":"a","${key}":{}}`)).ok).toBe(false);
  });
});
