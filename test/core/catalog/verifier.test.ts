import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { toolSchema } from "../../../src/core/catalog/tool-schema.ts";
import type { Orchestration } from "../../../src/core/contract/orchestration.ts";
import { declareTool } from "../../support/sample-tools.ts";

const READ = { name: "get_note", input: z.strictObject({ id: z.string(), part: z.string().optional() }) };
const SOUND = {
  tool: "get_note",
  args: { id: "/note/id" },
  found: "/text",
  equals: "/text",
  result: "/note",
};

function catalogOf(
  verify_with: Orchestration["verify_with"],
  write: Partial<ToolDeclaration> = {},
  read: Partial<ToolDeclaration> = {},
) {
  return createCatalog([
    defineTool(
      declareTool({
        name: "put_note",
        isWrite: true,
        actions: ["update"],
        input: z.strictObject({ note: z.looseObject({ id: z.string() }), text: z.string() }),
        ...write,
        orchestration: { mode: "parallel-safe", ...(verify_with !== undefined && { verify_with }) },
      }),
    ),
    defineTool(declareTool({ ...READ, ...read })),
  ]);
}

test("a sound 'verify_with' is found by the write's name, and by no other's", () => {
  const catalog = catalogOf(SOUND);
  expect(catalog.verifierOf("put_note")).toEqual({
    tool: catalog.get("get_note"),
    args: [["id", ["note", "id"]]],
    found: ["text"],
    equals: ["text"],
    result: ["note"],
  });
  for (const name of ["get_note", "", "toString"]) expect(catalog.verifierOf(name)).toBeUndefined();
  expect(catalogOf(undefined).verifierOf("put_note")).toBeUndefined();
});

test("all that was sent may be what is compared", () => {
  expect(catalogOf({ ...SOUND, equals: "" }).verifierOf("put_note")).toMatchObject({ equals: [] });
});

test("a key that may only write has its write verified all the same", () => {
  const mine = catalogOf(SOUND).restrictTo(["put_note"]);
  expect(mine.get("get_note")).toBeUndefined();
  expect(mine.verifierOf("put_note")?.tool.name).toBe("get_note");
});

test("it travels with the contract", () => {
  expect(toolSchema(catalogOf(SOUND).get("put_note")!)).toMatchObject({
    "x-orchestration": { verify_with: SOUND },
  });
});

describe("createCatalog() refuses a 'verify_with' that cannot work, naming the write", () => {
  const limited = {
    mode: "parallel-safe",
    rate_limit: { limit: 1, window_s: 1, scope: "tenant" },
  } as const;

  test.each<
    [string, string, Orchestration["verify_with"], Partial<ToolDeclaration>?, Partial<ToolDeclaration>?]
  >([
    ["an unknown tool", "names the unknown tool 'get_nite'", { ...SOUND, tool: "get_nite" }],
    ["itself", "needs a read", { ...SOUND, tool: "put_note" }],
    ["a write", "needs a read", SOUND, {}, { isWrite: true, actions: ["update"] }],
    ["a rate-limited read", "has a rate limit", SOUND, {}, { orchestration: limited }],
    [
      "a shared read",
      "has a rate limit",
      SOUND,
      {},
      { orchestration: { mode: "parallel-safe", global_concurrency: 1 } },
    ],
    [
      "a confirmed read",
      "a read without a confirmation",
      SOUND,
      {},
      { orchestration: { mode: "parallel-safe", confirm: "always" } },
    ],
    ["a read of a read", "is for writes", SOUND, { isWrite: false, actions: ["read"] }],
    ["what may be repeated", "is of no use", SOUND, { idempotent: true }],
    [
      "an argument the read does not take",
      "'which', which it does not take",
      { ...SOUND, args: { id: "/text", which: "/text" } },
    ],
    [
      "a prototype's name",
      "'toString', which it does not take",
      { ...SOUND, args: { id: "/text", toString: "/text" } },
    ],
    ["a missing argument", "does not give 'get_note' its argument 'id'", { ...SOUND, args: {} }],
    [
      "an argument the write does not have",
      "takes 'args.id' from '/name'",
      { ...SOUND, args: { id: "/name" } },
    ],
    ["an 'equals' the write does not have", "takes 'equals' from '/body'", { ...SOUND, equals: "/body" }],
    ["no pointer", "no JSON Pointer", { ...SOUND, args: { id: "note" } }],
    [
      "no pointer into the output",
      "has 'text' as 'found', which is no JSON Pointer",
      { ...SOUND, found: "text" },
    ],
    [
      "'equals' alone",
      "'equals' without 'found'",
      { tool: "get_note", args: { id: "/text" }, equals: "/text" },
    ],
  ])("%s", (_, problem, verify, write, read) => {
    expect(() => catalogOf(verify, write, read)).toThrow(
      "Cannot create catalog: 'verify_with' of 'put_note'",
    );
    expect(() => catalogOf(verify, write, read)).toThrow(problem);
  });

  test("a misspelt field, when the tool is defined", () => {
    expect(() => catalogOf({ ...SOUND, argz: {} } as typeof SOUND)).toThrow("Cannot define tool 'put_note'");
  });
});
