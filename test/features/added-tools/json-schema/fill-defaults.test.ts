import { describe, expect, test } from "vitest";

import { fillDefaults } from "../../../../src/features/added-tools/json-schema/fill-defaults.ts";

const amount = { type: "integer", default: 500 };
const money = { type: "object", properties: { amount, unit: { type: "string", default: "EUR" } } };

describe("T57 defaults are filled in", () => {
  test.each<[what: string, schema: Readonly<Record<string, unknown>>, sent: unknown, filled: unknown]>([
    ["where a field is missing", money, {}, { amount: 500, unit: "EUR" }],
    ["not where it is there", money, { amount: 1, unit: null }, { amount: 1, unit: null }],
    [
      "in an object that is there, and in none that is not",
      { properties: { pay: money, other: money } },
      { pay: {} },
      { pay: { amount: 500, unit: "EUR" } },
    ],
    [
      "in an object that a default brings",
      { properties: { pay: { ...money, default: {} } } },
      {},
      { pay: { amount: 500, unit: "EUR" } },
    ],
    [
      "in the elements of lists",
      { properties: { all: { prefixItems: [{ properties: { first: { default: 1 } } }], items: money } } },
      { all: [{}, {}] },
      { all: [{ first: 1 }, { amount: 500, unit: "EUR" }] },
    ],
    [
      "in fields of any name",
      { patternProperties: { "^x": money }, additionalProperties: { properties: { y: { default: 0 } } } },
      { x1: {}, z: {} },
      { x1: { amount: 500, unit: "EUR" }, z: { y: 0 } },
    ],
    [
      "by references, and by all that is said of a value",
      {
        $defs: { money, amount },
        allOf: [{ $ref: "#/$defs/money" }, { properties: { b: { $ref: "#/$defs/amount" } } }],
      },
      {},
      { amount: 500, unit: "EUR", b: 500 },
    ],
    [
      "by the form that is named",
      {
        oneOf: [
          { required: ["kind"], properties: { kind: { const: "a" }, n: { default: 1 } } },
          { required: ["kind"], properties: { kind: { enum: ["b", "c"] }, n: { default: 2 } } },
        ],
      },
      { kind: "c" },
      { kind: "c", n: 2 },
    ],
    [
      "by the form whose fields are there",
      {
        anyOf: [
          { properties: { card: {}, fee: { default: 1 } }, additionalProperties: false },
          { required: ["bank"], properties: { fee: { default: 2 } } },
          { properties: { fee: { default: 3 } } },
        ],
      },
      { bank: "x" },
      { bank: "x", fee: 2 },
    ],
    ["but not with null", { properties: { a: { default: null } } }, {}, {}],
    [
      "as often as a value may nest",
      { $defs: { n: { properties: { n: { $ref: "#/$defs/n", default: {} } } } }, $ref: "#/$defs/n" },
      {},
      JSON.parse(`${'{"n":'.repeat(33)}{}${"}".repeat(33)}`),
    ],
  ])("%s", (_, schema, sent, filled) => {
    const before = JSON.stringify(sent);
    expect(fillDefaults(schema, sent)).toEqual({ value: filled, isTooMuch: false });
    expect(JSON.stringify(sent)).toBe(before);
  });

  test("and what has them all is the same value", () => {
    const sent = { amount: 1, unit: "EUR" };
    expect(fillDefaults(money, sent).value).toBe(sent);
  });

  test("up to the size that arguments may have", () => {
    const schema = {
      properties: { all: { items: { properties: { text: { default: "x".repeat(1_000) } } } } },
    };
    expect(fillDefaults(schema, { all: Array.from({ length: 60 }, () => ({})) }).isTooMuch).toBe(false);
    expect(fillDefaults(schema, { all: Array.from({ length: 70 }, () => ({})) }).isTooMuch).toBe(true);
  });
});
