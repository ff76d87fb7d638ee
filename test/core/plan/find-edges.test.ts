import { expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const CATALOG = createCatalog([
  contractOf("read"),
  contractOf("mail", { isWrite: true, actions: ["create"], execution: "fire-and-forget" }),
]);

const plan = (...actions: object[]) =>
  makePlan(
    valueOf(parseBatch({ actions: actions.map((action) => ({ tool: "read", ...action })) }, 0)),
    CATALOG,
  );
const planned = (...actions: object[]): Plan => valueOf(plan(...actions));
const edgesOf = (...actions: object[]) => planned(...actions).steps.map(({ edges }) => edges);
const hintOf = (action: object, ...others: object[]): string => {
  const { code, hint } = errorOf(planned(action, ...others).steps[0]!.task);
  expect(code).toBe("BAD_REFERENCE");
  return hint!;
};

const HANDLE = "r-123e4567-e89b-12d3-a456-426614174000";

test("a reference makes an edge, and so does one in a template", () => {
  const actions = [{ args: { x: { $ref: "b#/id" } } }, { id: "b" }, { args: { t: { $template: "{{b#}}" } } }];
  expect(edgesOf(...actions)).toEqual([
    [{ from: 1, reason: "reference" }],
    [],
    [{ from: 1, reason: "reference" }],
  ]);
});

test("an action may refer to one that comes after it", () => {
  expect(edgesOf({ args: { x: { $ref: "a1#" } } }, {})[0]).toEqual([{ from: 1, reason: "reference" }]);
});

test("references at every depth make edges, each to another action one", () => {
  const args = {
    a: [{ b: { $ref: "a1#" } }, { c: { $template: "{{a2#}}{{a1#/x}}" } }],
    d: { $ref: "a2#/y" },
  };
  expect(edgesOf({ args }, {}, {})[0]).toEqual([
    { from: 1, reason: "reference" },
    { from: 2, reason: "reference" },
  ]);
});

test("the array a loop runs over makes an edge, and so do references written out in one", () => {
  const [whole, parts] = edgesOf(
    { for_each: { $ref: "x#/items" } },
    { for_each: [{ $ref: "x#/id" }, 2, { deep: { $ref: "y#" } }] },
    { id: "x" },
    { id: "y" },
  );
  expect(whole).toEqual([{ from: 2, reason: "reference" }]);
  expect(parts).toEqual([
    { from: 2, reason: "reference" },
    { from: 3, reason: "reference" },
  ]);
});

test("the element of a loop makes no edge", () => {
  expect(edgesOf({ for_each: [1], args: { x: { $ref: "item#" }, y: { $template: "{{item#/a}}" } } })).toEqual(
    [[]],
  );
});

test("depends_on beside a reference to the same action makes one edge", () => {
  expect(edgesOf({ depends_on: ["b"], args: { x: { $ref: "b#" } } }, { id: "b" })[0]).toEqual([
    { from: 1, reason: "depends_on" },
  ]);
});

test("literals and objects with more keys than $ref make no edge", () => {
  const args = { a: { $literal: { $ref: "b#" } }, b: { $ref: "b#", title: "x" } };
  expect(edgesOf({ args }, { id: "b" })[0]).toEqual([]);
});

test("depends_on on what happens in the background is an edge like any other", () => {
  expect(edgesOf({ depends_on: ["m"] }, { id: "m", tool: "mail" })[0]).toEqual([
    { from: 1, reason: "depends_on" },
  ]);
});

test.each([
  ["a reference", { args: { x: { $ref: "m#/id" } } }],
  ["a template", { args: { x: { $template: "{{m#/id}}" } } }],
  ["a loop", { for_each: { $ref: "m#/id" } }],
])("%s into what happens in the background is refused, with what to do instead", (_, action) => {
  expect(hintOf(action, { id: "m", tool: "mail" })).toBe(
    "'m#/id' refers to a fire-and-forget action, which has no data in this batch; use depends_on to wait until it is recorded.",
  );
});

test.each([
  [{ args: { a: [1, { "b/c": { $ref: "nope#/x" } }] } }, "/args/a/1/b~1c/$ref", "nope#/x"],
  [
    { args: { a: { $literal: { $ref: "nope#" } }, t: { $template: "{{nope#}}" } } },
    "/args/t/$template",
    "nope#",
  ],
  [{ args: { a: { $ref: "b#/x" }, c: { $ref: "item#" } } }, "/args/c/$ref", "item#"],
  [{ args: { a: { $ref: "item#" } }, for_each: [1, { $ref: "nope#" }] }, "/for_each/1/$ref", "nope#"],
  [{ args: { a: { $ref: "sent#/id" } } }, "/args/a/$ref", "sent#/id"],
  [{ depends_on: ["b", "nope"] }, "/depends_on/1", "nope"],
])("a reference of %j that leads nowhere is refused where it stands", (action, path, received) => {
  const failure = errorOf(planned(action, { id: "b" }, { id: "sent", tool: "mail" }).steps[0]!.task);
  expect(failure.code).toBe("BAD_REFERENCE");
  expect(failure.issues).toMatchObject([{ path, received: `the string "${received}"` }]);
});

test("a reference to an id that is not there names the nearest ones", () => {
  expect(hintOf({ args: { x: { $ref: "shop#/a" } } }, { id: "shops" }, { id: "recalls" })).toBe(
    "'shop#/a' refers to 'shop', which no action of this batch has as its id; there is 'shops'.",
  );
});

test("a reference to an id that is not there shows little of a long pointer, invisible characters escaped", () => {
  const hint = hintOf({ args: { x: { $ref: `shop#/\u202E${"p".repeat(5_000)}` } } });
  expect(hint).toContain("\\u{202e}");
  expect(hint.length).toBeLessThan(300);
});

test.each(["constructor", "__proto__", "toString"])("a reference finds no id '%s' on a prototype", (id) => {
  expect(hintOf({ args: { x: { $ref: `${id}#` } } })).toContain("no action of this batch");
});

test.each([
  ["args", { args: { x: { $ref: "item#/id" } } }],
  ["a template", { args: { x: { $template: "{{item#}}" } } }],
])("item# in %s outside a loop is refused", (_, action) => {
  expect(hintOf(action)).toBe("'item#' stands for the element of a for_each, and this action has none.");
});

test("item# in the array that a loop runs over stands for nothing", () => {
  expect(hintOf({ for_each: { $ref: "item#" } })).toContain("'item#' refers to 'item'");
});

test("a malformed reference in args or in the array of a loop is refused with its path", () => {
  expect(hintOf({ args: { a: [{ $ref: 1 }] } })).toContain("/args/a/0/$ref must be");
  expect(hintOf({ for_each: [0, { $template: "{{}}" }] })).toContain("/for_each/1/$template must be");
});

test("a malformed reference costs that action only", () => {
  expect(planned({ args: { a: { $ref: 1 } } }, {}).steps[1]!.task.ok).toBe(true);
});

test.each([
  ["to itself", [{ id: "a", args: { x: { $ref: "a#" } } }], "a → a"],
  ["to itself in its loop", [{ id: "a", for_each: { $ref: "a#" } }], "a → a"],
  ["to itself, in the background", [{ id: "a", tool: "mail", args: { x: { $ref: "a#" } } }], "a → a"],
  [
    "to one that depends on it",
    [
      { id: "a", args: { x: { $ref: "b#" } } },
      { id: "b", depends_on: ["a"] },
    ],
    "a → b → a",
  ],
  [
    "through a template and a loop",
    [
      { id: "a", args: { x: { $template: "{{b#}}" } } },
      { id: "b", for_each: { $ref: "c#" } },
      { id: "c", args: { x: { $ref: "a#" } } },
    ],
    "a → b → c → a",
  ],
])("a reference %s is a cycle, and the batch is refused whole", (_, actions, cycle) => {
  expect(errorOf(plan(...actions))).toMatchObject({
    code: "INVALID_BATCH",
    hint: expect.stringContaining(`wait for each other: ${cycle}.`),
  });
});

test("a reference to the handle of an earlier result makes no edge; the plan names each handle once", () => {
  const refs = { a: { $ref: `${HANDLE}#/x` }, b: { $template: `{{${HANDLE}#}}` } };
  const { steps, handles } = planned({ args: refs }, { for_each: { $ref: `${HANDLE}#/list` } });
  expect(steps.map(({ edges }) => edges)).toEqual([[], []]);
  expect(handles).toEqual([HANDLE]);
});

test("an action named like a handle is that action", () => {
  expect(edgesOf({ args: { x: { $ref: `${HANDLE}#` } } }, { id: HANDLE })[0]).toEqual([
    { from: 1, reason: "reference" },
  ]);
});

test("an edge to an action that is wrong itself stays, so that what refers to it is skipped", () => {
  expect(edgesOf({ args: { x: { $ref: "b#" } } }, { id: "b", tool: "nope" })[0]).toEqual([
    { from: 1, reason: "reference" },
  ]);
});
