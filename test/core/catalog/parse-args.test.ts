import * as z from "zod";
import { expect, test } from "vitest";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { parseArgs } from "../../../src/core/catalog/parse-args.ts";
import { declareTool, getOrder, searchOrders } from "../../support/sample-tools.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

test("parseArgs() gives what the schema makes of the arguments, defaults filled in", () => {
  expect(valueOf(parseArgs(searchOrders, { query: "boots" }))).toEqual({ query: "boots", limit: 10 });
});

test("parseArgs() leaves the arguments as they were", () => {
  const args = Object.freeze({ query: "boots" });
  parseArgs(searchOrders, args);
  expect(args).toEqual({ query: "boots" });
});

test("parseArgs() says for each argument what was expected and what came", () => {
  expect(errorOf(parseArgs(searchOrders, { query: "", limit: "5" }))).toEqual({
    code: "INVALID_ARGS",
    retryable: false,
    issues: [
      { path: "/args/query", expected: "at least 1 character long", received: 'the string ""' },
      { path: "/args/limit", expected: "a number", received: 'the string "5"' },
    ],
    hint:
      '/args/query must be at least 1 character long, received the string ""; ' +
      '/args/limit must be a number, received the string "5".',
  });
});

test("parseArgs() suggests the argument that a misspelt one may have meant", () => {
  expect(errorOf(parseArgs(getOrder, { orderId: "o1" })).hint).toContain(
    "Did you mean 'order_id' instead of 'orderId'?",
  );
});

test("parseArgs() says which marker a misspelt one was meant for only where the object does not fit", () => {
  const tool = defineTool({
    ...declareTool(),
    input: z.strictObject({ id: z.string(), any: z.unknown().optional() }),
  });
  const slip = { $rf: "found#/id" };
  expect(errorOf(parseArgs(tool, { id: slip })).hint).toBe(
    "/args/id must be a string, received an object. Did you mean '$ref' instead of '$rf'?",
  );
  expect(errorOf(parseArgs(getOrder, slip)).hint).toContain("Did you mean '$ref' instead of '$rf'?");
  expect(valueOf(parseArgs(tool, { id: "1", any: slip }))).toEqual({ id: "1", any: slip });
});

test("parseArgs() suggests no argument for a field further in", () => {
  const input = z.strictObject({ id: z.string(), filter: z.strictObject({}) });
  const tool = defineTool({ ...declareTool(), input });
  expect(errorOf(parseArgs(tool, { id: "1", filter: { idd: 1 } })).hint).toBe(
    "There is no field /args/filter/idd.",
  );
});

test("parseArgs() suggests nothing for a tool whose input is not one object", () => {
  const input = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]);
  const tool = defineTool({ ...declareTool(), input });
  expect(errorOf(parseArgs(tool, { c: 1 })).code).toBe("INVALID_ARGS");
});

trial("parseArgs() tells ten of the things that are wrong, and counts all of them", () => {
  const tool = defineTool({
    ...declareTool(),
    input: z.strictObject({ ids: z.array(z.union([z.string(), z.boolean()])) }),
  });
  const room = { issues: 100_000, suggests: () => true };
  const failure = errorOf(parseArgs(tool, { ids: Array.from({ length: 30_000 }, () => 0) }, { room }));
  expect(failure.issues).toHaveLength(10);
  expect(failure.issues![9]).toEqual({
    path: "/args/ids/9",
    expected: "a string or a boolean",
    received: "the number 0",
  });
  expect(room.issues).toBe(100_000 - 3 * 30_000);
});

test("parseArgs() takes a null that the schema does not admit as if the argument were not there, however deep", () => {
  const inner = z.strictObject({ a: z.string().optional(), b: z.string().nullable() });
  const input = z.strictObject({ n: z.int().default(3), inner: inner.optional(), any: z.unknown() });
  const tool = defineTool({ ...declareTool(), input });
  expect(valueOf(parseArgs(tool, { n: null, inner: { a: null, b: null }, any: null }))).toEqual({
    n: 3,
    inner: { b: null },
    any: null,
  });
  expect(valueOf(parseArgs(tool, { inner: null, any: 1 }))).toEqual({ n: 3, any: 1 });
});

test("parseArgs() says of a required argument that is null what came", () => {
  expect(errorOf(parseArgs(getOrder, { order_id: null })).hint).toBe(
    "/args/order_id must be a string, received null.",
  );
});

test("parseArgs() looks for similar names only where there is room for it", () => {
  const hintWith = (suggests: boolean) =>
    errorOf(parseArgs(getOrder, { orderId: "o1" }, { room: { issues: 9, suggests: () => suggests } })).hint;
  expect(hintWith(true)).toContain("Did you mean 'order_id'");
  expect(hintWith(false)).not.toContain("Did you mean");
});

test("parseArgs() suggests no argument for an input whose fields are not known", () => {
  const input = z.union([z.strictObject({ stryker: z.string() }), z.strictObject({ b: z.string() })]);
  const tool = defineTool({ ...declareTool(), input });
  expect(errorOf(parseArgs(tool, { striker: 1 })).hint).not.toContain("Did you mean");
});
