import { expect, test } from "vitest";

import { findOpen, Pending } from "../../../src/core/contract/pending.ts";

test("a pending value has no keys and advises nothing, because it may be of any type", () => {
  expect(Object.keys(Pending.value)).toEqual([]);
  expect(Pending.value.isText).toBe(false);
  expect(Pending.value.advice).toBe("");
});

test("a pending text says that a template makes text, and which reference stands for the value itself", () => {
  expect(Object.keys(Pending.text(null))).toEqual([]);
  expect(Pending.text(null).isText).toBe(true);
  expect(Pending.text(null).advice).toBe("A $template always makes text.");
  expect(Pending.text("a#/n").advice).toBe(
    'A $template always makes text; {"$ref":"a#/n"} stands for the value itself.',
  );
});

test("findOpen() finds every object and array that something is pending in, and no other", () => {
  const inner = { n: Pending.value, text: "x", nothing: null };
  const list = [1, inner];
  const closed = { n: 1, list: [null] };
  const twice = { one: inner, other: inner };
  const value = { list, closed, twice };
  expect(findOpen(value)).toEqual(new Set([inner, list, twice, value]));
  for (const one of [null, 7, "text", closed]) expect(findOpen(one)).toEqual(new Set());
});
