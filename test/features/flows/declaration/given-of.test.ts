import { expect, test } from "vitest";

import { givenOf } from "../../../../src/features/flows/declaration/flow-schema.ts";

const DATA = { input: { a: 1 }, hook: { event: "e", id: "1", sender: "github" } };

test("a run can refer to its input and to the delivery that began it", () => {
  expect(Object.fromEntries(givenOf([{ id: "a" }], DATA))).toEqual(DATA);
});

test("an action of an older flow that is called 'hook' goes on being meant by that name", () => {
  expect(Object.fromEntries(givenOf([{ id: "hook" }], DATA))).toEqual({ input: { a: 1 } });
});
