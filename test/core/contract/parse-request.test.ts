import { describe, expect, test } from "vitest";
import * as z from "zod";

import { parseRequest } from "../../../src/core/contract/parse-request.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const schema = z.strictObject({ name: z.string(), limit: z.int().default(3) });

describe("parseRequest()", () => {
  test("gives what was sent with its defaults", () => {
    const sent = { name: "a" };
    expect(valueOf(parseRequest(schema, sent))).toEqual({ parsed: { name: "a", limit: 3 }, value: sent });
  });

  test("takes null for a field that is not there, unless it may be null", () => {
    const within = z.strictObject({ a: z.int().optional(), b: z.int().nullable() });
    const wide = z.strictObject({ ...schema.shape, within: within.optional(), free: z.unknown() });
    const sent = { name: "a", limit: null, within: { a: null, b: null }, free: { x: null } };
    const left = { name: "a", within: { b: null }, free: { x: null } };
    expect(valueOf(parseRequest(wide, sent))).toEqual({ parsed: { ...left, limit: 3 }, value: left });
  });

  test.each([
    ["a missing field", {}, "/name", "a string", "nothing"],
    ["a wrong type", { name: "a", limit: "3" }, "/limit", "a number", 'the string "3"'],
    ["null in a field that must be there", { name: null }, "/name", "a string", "nothing"],
    ["null in an unknown field", { name: "a", limmit: null }, "/limmit", "no such field", "null"],
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
