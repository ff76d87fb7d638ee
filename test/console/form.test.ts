import { describe, expect, test } from "vitest";

import { readJsonText, readNumber, setAt } from "../../src/console/form/form-value.ts";
import {
  kindOf,
  listFields,
  MOST_DEPTH,
  resolveSchema,
  sayAbout,
  sayType,
} from "../../src/console/form/read-schema.ts";
import type { JsonSchema } from "../../src/console/kit/wire.ts";

describe("setAt()", () => {
  test("sets what is deep inside and leaves what it was given as it is", () => {
    const before = { slides: [{ title: "a" }, { title: "b" }] };
    expect(setAt(before, ["slides", 1, "title"], "c")).toEqual({ slides: [{ title: "a" }, { title: "c" }] });
    expect(before.slides[1]!.title).toBe("b");
  });

  test("makes what is not there, keeps the order of fields, and takes out what has no value", () => {
    expect(setAt({}, ["to", 0], "x")).toEqual({ to: ["x"] });
    expect(Object.keys(setAt({ a: 1, b: 2 }, ["a"], 3) as object)).toEqual(["a", "b"]);
    expect(setAt({ a: 1, b: 2 }, ["a"], undefined)).toEqual({ b: 2 });
  });

  test("makes a field of a name such as __proto__, and changes no prototype", () => {
    const value = setAt({}, ["__proto__"], { bad: 1 }) as object;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(({} as { bad?: number }).bad).toBeUndefined();
  });
});

test("readNumber() reads numbers, and leaves what is none to the API", () => {
  expect(["7", " 1e3 ", "", "x1", "1e999"].map(readNumber)).toEqual([7, 1000, undefined, "x1", "1e999"]);
});

test("readJsonText() says whether it is JSON", () => {
  expect(readJsonText('{"a":1}')).toEqual({ value: { a: 1 }, isJson: true });
  expect(readJsonText("{a").isJson).toBe(false);
  expect(readJsonText(" ")).toEqual({ value: undefined, isJson: true });
});

describe("resolveSchema()", () => {
  const root: JsonSchema = {
    $defs: { city: { type: "string", description: "A city" }, around: { $ref: "#/$defs/around" } },
  };

  test("follows a reference inside the document and keeps what stands beside it", () => {
    expect(resolveSchema({ $ref: "#/$defs/city", description: "Where from" }, root)).toEqual({
      type: "string",
      description: "Where from",
    });
  });

  test("makes any JSON of a reference that leads around, nowhere or out", () => {
    for (const $ref of ["#/$defs/around", "#/$defs/none", "https://example.com/schema"])
      expect(resolveSchema({ $ref }, root)).toEqual({});
  });
});

describe("kindOf()", () => {
  test.each([
    [{ type: "string" }, "text"],
    [{ type: "string", maxLength: 5_000 }, "long"],
    [{ type: "string", format: "date" }, "date"],
    [{ type: "string", format: "date-time" }, "datetime"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ enum: ["a", 1] }, "choice"],
    [{ const: "a" }, "choice"],
    [{ type: "array", items: { type: "string" } }, "list"],
    [{ type: "object", properties: {} }, "object"],
    [{ type: "object" }, "json"],
    [{ type: ["string", "null"] }, "either"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "either"],
    [{}, "json"],
  ] as const)("asks for %j as %s", (schema, kind) => {
    expect(kindOf(schema, 0)).toBe(kind);
  });

  test("asks for JSON where a schema contains itself for too long", () => {
    expect(kindOf({ type: "object", properties: {} }, MOST_DEPTH)).toBe("json");
  });
});

test("a schema is said in words", () => {
  const root: JsonSchema = {};
  expect(sayType({ anyOf: [{ type: "string" }, { type: "integer" }] }, root)).toBe("text or whole number");
  expect(sayType({ type: "array", items: { type: "object" } }, root)).toBe("list of object");
  expect(sayAbout({ minimum: 1, maximum: 10, default: 3 })).toBe("1 to 10; default 3.");
  expect(sayAbout({ description: "Which.", enum: ["a", "b"] })).toBe('Which. "a", "b".');
});

test("listFields() lists what is inside lists and objects, and ends where a schema contains itself", () => {
  const root: JsonSchema = {
    type: "object",
    required: ["slides"],
    properties: { slides: { type: "array", items: { $ref: "#/$defs/slide" } } },
    $defs: {
      slide: { type: "object", properties: { title: { type: "string" }, inner: { $ref: "#/$defs/slide" } } },
    },
  };
  const rows = listFields(root);
  expect(rows[0]).toMatchObject({ path: "/slides", isRequired: true, type: "list of object" });
  expect(rows[1]).toMatchObject({ path: "/slides/title", depth: 1, isRequired: false });
  expect(Math.max(...rows.map(({ depth }) => depth))).toBe(3);
});
