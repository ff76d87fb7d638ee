import * as z from "zod";
import { expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import type { Step } from "../../../src/core/plan/step.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const dependsOn = (tool: string, fields: string[], from?: Record<string, string>) => ({
  tool,
  required_fields: fields,
  ...(from !== undefined && { from }),
});
const dependent = (name: string, ...depends_on: ReturnType<typeof dependsOn>[]) =>
  contractOf(name, {
    input: z.looseObject({}),
    orchestration: { mode: "dependent", depends_on },
  });

const CATALOG = createCatalog([
  contractOf("search"),
  contractOf("locate"),
  contractOf("later", { isWrite: true, actions: ["create"], execution: "fire-and-forget" }),
  dependent("item", dependsOn("search", ["id"], { id: "/items/0/id" })),
  dependent("page", dependsOn("search", ["document_id", "page"], { page: "/first~1page" })),
  dependent("route", dependsOn("locate", ["from"]), dependsOn("search", ["to"])),
  dependent("odd", dependsOn("search", ["a/b"])),
  dependent("follow-up", dependsOn("later", ["job"])),
]);

const stepsOf = (...actions: object[]): readonly Step[] =>
  valueOf(makePlan(valueOf(parseBatch({ actions }, 0)), CATALOG)).steps;
const last = (steps: readonly Step[]): Step => steps.at(-1)!;

test("a field that is missing comes from the pointer that the contract gives", () => {
  const item = last(stepsOf({ id: "s", tool: "search" }, { tool: "item" }));
  expect(valueOf(item.task).input).toEqual({ id: { $ref: "s#/items/0/id" } });
  expect(item.edges).toEqual([{ from: 0, reason: "contract" }]);
});

test("without a pointer a field comes from the top-level field of its name", () => {
  const page = last(stepsOf({ id: "s", tool: "search" }, { tool: "page" }));
  expect(valueOf(page.task).input).toEqual({
    document_id: { $ref: "s#/document_id" },
    page: { $ref: "s#/first~1page" },
  });
});

test("a field with a slash in its name is found all the same", () => {
  const odd = last(stepsOf({ id: "s", tool: "search" }, { tool: "odd" }));
  expect(valueOf(odd.task).input).toEqual({ "a/b": { $ref: "s#/a~1b" } });
});

test("only the fields that are missing are filled in, beside what was sent", () => {
  const page = last(stepsOf({ id: "s", tool: "search" }, { tool: "page", args: { page: 3, more: true } }));
  expect(valueOf(page.task).input).toEqual({ page: 3, more: true, document_id: { $ref: "s#/document_id" } });
});

test("an action that has its fields waits for no other", () => {
  const item = last(stepsOf({ tool: "search" }, { tool: "search" }, { tool: "item", args: { id: null } }));
  expect(item.needs).toEqual([]);
  expect(valueOf(item.task).call).not.toBeNull();
});

test("an action waits for exactly the one it is filled from", () => {
  const item = last(stepsOf({ tool: "locate" }, { tool: "search" }, { tool: "locate" }, { tool: "item" }));
  expect(item.needs).toEqual([1]);
});

test("several dependencies are each filled from their own tool, and each for the contract's reason", () => {
  const route = last(stepsOf({ id: "s", tool: "search" }, { id: "l", tool: "locate" }, { tool: "route" }));
  expect(valueOf(route.task).input).toEqual({ from: { $ref: "l#/from" }, to: { $ref: "s#/to" } });
  expect(route.edges).toEqual([
    { from: 1, reason: "contract" },
    { from: 0, reason: "contract" },
  ]);
});

test("with no earlier action of the tool nothing is guessed", () => {
  expect(errorOf(last(stepsOf({ tool: "locate" }, { tool: "item" })).task)).toEqual({
    code: "BAD_REFERENCE",
    retryable: false,
    hint: "'id' is missing and no earlier action of 'search' is there to take it from; add one before this action, or send it in args.",
    issues: [{ path: "/args/id", expected: "a reference to what is there", received: "nothing" }],
  });
});

test("with several earlier actions of the tool nothing is guessed and their ids are named", () => {
  const steps = stepsOf({ id: "s1", tool: "search" }, { id: "s2", tool: "search" }, { tool: "page" });
  expect(errorOf(last(steps).task)).toEqual({
    code: "BAD_REFERENCE",
    retryable: false,
    hint: `'document_id', 'page' is missing and could come from 's1' or 's2'; say which with a {"$ref": "id#pointer"}.`,
    issues: [{ path: "/args/document_id", expected: "a reference to what is there", received: "nothing" }],
  });
  expect(steps.slice(0, 2).every(({ task }) => task.ok)).toBe(true);
});

test("only earlier actions count, so one that comes later makes nothing ambiguous and fills nothing", () => {
  const [item] = stepsOf({ tool: "item" }, { tool: "search" });
  expect(errorOf(item!.task).code).toBe("BAD_REFERENCE");
  const filled = stepsOf({ id: "s", tool: "search" }, { tool: "item" }, { tool: "search" })[1]!;
  expect(filled.needs).toEqual([0]);
});

test("depends_on does not choose between several: a reference does", () => {
  const searches = [
    { id: "s1", tool: "search" },
    { id: "s2", tool: "search" },
  ];
  const chosen = last(stepsOf(...searches, { tool: "item", args: { id: { $ref: "s2#/items/4/id" } } }));
  expect(chosen.edges).toEqual([{ from: 1, reason: "reference" }]);
});

test("a field that is filled in inside a loop is the same for every element", () => {
  const page = last(
    stepsOf(
      { id: "s", tool: "search" },
      { tool: "page", args: { page: { $ref: "item#" } }, for_each: [1, 2] },
    ),
  );
  expect(valueOf(page.task).input).toEqual({
    page: { $ref: "item#" },
    document_id: { $ref: "s#/document_id" },
  });
  expect(page.edges).toEqual([{ from: 0, reason: "contract" }]);
});

test("arguments that are one reference as a whole are left as they are", () => {
  const item = last(stepsOf({ id: "s", tool: "search" }, { tool: "item", args: { $ref: "s#/args" } }));
  expect(valueOf(item.task).input).toEqual({ $ref: "s#/args" });
  expect(item.edges).toEqual([{ from: 0, reason: "reference" }]);
});

test("what happens in the background has no data to fill a field from", () => {
  expect(errorOf(last(stepsOf({ tool: "later" }, { tool: "follow-up" })).task)).toMatchObject({
    code: "BAD_REFERENCE",
    hint: expect.stringContaining("fire-and-forget"),
  });
});

test("what the caller may not call fills nothing in, and the failure does not name it", () => {
  const batch = valueOf(parseBatch({ actions: [{ id: "s", tool: "search" }, { tool: "needy" }] }, 0));
  const needy = contractOf("needy", {
    input: z.strictObject({ id: z.string() }),
    orchestration: { mode: "dependent", depends_on: [dependsOn("search", ["id"])] },
  });
  const catalog = createCatalog([contractOf("search"), needy]).restrictTo(["needy"]);
  const failure = errorOf(last(valueOf(makePlan(batch, catalog)).steps).task);
  expect(failure).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/args/id" }] });
  expect(JSON.stringify(failure)).not.toContain("search");
});
