import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { defineTool, type Tool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import type { DeclaredContract } from "../../../src/core/contract/orchestration.ts";
import { toolSchema } from "../../../src/core/catalog/tool-schema.ts";
import { toPlainSchema } from "../../../src/features/discovery/plain-schema.ts";
import {
  COMPENSATE,
  type Compensation,
  findFlaw,
  resolveCompensation,
} from "../../../src/features/undo/compensation.ts";
import { wayBackOf } from "../../../src/features/undo/resolve-reversal.ts";
import { OPT_IN_TOOLS } from "../../../src/tools/opt-in-tools.ts";
import type { Declaration } from "../../../src/features/added-tools/declared/declaration.ts";
import { toTool } from "../../../src/features/added-tools/declared/to-tool.ts";
import { keepTool } from "../../../src/features/added-tools/put-tool.ts";
import { declareCustomers, RULES } from "../../support/sample-declarations.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { SHIPPED_TOOLS } from "../../../src/package/tools.ts";
import { WORKSPACE_TOOLS } from "../../../src/tools/workspace-tools.ts";
import { checkFeatures } from "../../../src/cloudflare/declared.ts";
import { declareTool } from "../../support/sample-tools.ts";

const SOUND = { tool: "cancel", args: { id: { $ref: "result#/id" }, note: { $ref: "args#/note" } } };

function makeWrite(name: string, changes: Partial<ToolDeclaration> = {}): Tool {
  return defineTool(
    declareTool({
      name,
      isWrite: true,
      actions: ["update"],
      input: z.strictObject({ id: z.string(), note: z.string().optional() }),
      ...changes,
    }),
  );
}

/** A catalog with a write and how it says that it is taken back. */
function catalogOf(compensate: unknown, ...others: readonly Tool[]) {
  const book = makeWrite("book", {
    input: z.strictObject({ n: z.int(), note: z.string().optional() }),
    orchestration: { mode: "parallel-safe", compensate: compensate as Compensation },
  });
  return createCatalog([book, makeWrite("cancel"), ...others], null, { fields: [COMPENSATE] });
}

describe("A write says how it is taken back", () => {
  test("in its contract, as every schema shows it and in a line to a model", () => {
    const catalog = catalogOf(SOUND);
    const schema = toolSchema(catalog.get("book")!, catalog.hidden);
    expect(schema["x-orchestration"]).toEqual({
      mode: "parallel-safe",
      on_error: "fail-fast",
      confirm: "never",
      compensate: SOUND,
    });
    expect(toPlainSchema(schema)["description"]).toBe(
      "Contract: parallel-safe, fail-fast, cancel takes it back.",
    );
    expect(wayBackOf(catalog.get("book")!, catalog).compensation).toEqual(SOUND);
  });

  test("to a key that may call that tool only", () => {
    const catalog = catalogOf(SOUND).restrictTo(["book"]);
    const schema = toolSchema(catalog.get("book")!, catalog.hidden);
    expect(schema["x-orchestration"]).not.toHaveProperty("compensate");
    expect(JSON.stringify(toPlainSchema(schema))).not.toContain("cancel");
    expect(wayBackOf(catalog.get("book")!, catalog).compensation).toBeUndefined();
  });

  test("and nothing of it is checked or shown without the feature", () => {
    const book = makeWrite("book", {
      orchestration: { mode: "parallel-safe", compensate: { tool: "none" } },
    });
    const catalog = createCatalog([book]);
    expect(toolSchema(book, catalog.hidden)["x-orchestration"]).not.toHaveProperty("compensate");
    expect(() => checkFeatures([], [book])).not.toThrow();
  });

  test("in a field that the Worker knows: another is refused at its start", () => {
    const orchestration = { mode: "parallel-safe", compensates: SOUND } as DeclaredContract;
    const book = makeWrite("book", { orchestration });
    expect(() => checkFeatures([], [book])).toThrow(
      "Cannot create Volley: 'orchestration' of the tool 'book' has the field 'compensates', which no feature brings",
    );
  });
});

describe("What cannot be taken back as it says is refused where it is declared", () => {
  const read = defineTool(declareTool({ name: "look" }));
  const back = makeWrite("back", {
    orchestration: { mode: "parallel-safe", compensate: { tool: "book", args: { n: 1 } } },
  });
  test.each<[string, string, unknown]>([
    ["a field that there is not", "'compensate.arguments' of 'book'", { ...SOUND, arguments: {} }],
    ["no tool", "'compensate.tool' of 'book'", { args: {} }],
    ["an unknown tool", "There is no tool 'cancle'", { ...SOUND, tool: "cancle" }],
    ["a read", "A read takes nothing back", { tool: "look", args: { page: "a" } }],
    ["itself", "A write cannot take itself back", { tool: "book", args: { n: 1 } }],
    ["one that it takes back", "received book → back → book", { tool: "back", args: { id: "1" } }],
    ["an argument that is missing", "'compensate.args.id' of 'book'", { tool: "cancel", args: {} }],
    ["no arguments at all", "'compensate.args.id' of 'book'", { tool: "cancel" }],
    [
      "an unknown argument",
      "'compensate.args.ids' of 'book'",
      { tool: "cancel", args: { id: "1", ids: [] } },
    ],
    ["a value of another type", "'compensate.args.id' of 'book'", { tool: "cancel", args: { id: 1 } }],
    [
      "another action's data",
      'expected a reference to "result#" or "args#", received "book#/id"',
      { tool: "cancel", args: { id: { $ref: "book#/id" } } },
    ],
    [
      "an argument that the write does not have",
      "expected an argument of 'book', received \"args#/memo\"",
      { tool: "cancel", args: { id: { $ref: "args#/memo" } } },
    ],
    [
      "a reference that is none",
      "'compensate.args.id.$ref' of 'book'",
      { tool: "cancel", args: { id: { $ref: "result/id" } } },
    ],
  ])("%s", (_, problem, compensate) => {
    expect(() => catalogOf(compensate, read, back)).toThrow(problem);
  });

  test("a read", () => {
    const orchestration: ToolDeclaration["orchestration"] = { mode: "parallel-safe", compensate: SOUND };
    const look = defineTool(declareTool({ name: "look", orchestration }));
    expect(() => catalogOf(SOUND, look)).toThrow("'compensate' of 'look': expected nothing for a read");
  });

  test("while a chain of writes, each taken back by the next, is none", () => {
    const orchestration: ToolDeclaration["orchestration"] = {
      mode: "parallel-safe",
      compensate: { tool: "cancel", args: { id: { $ref: "args#/id" } } },
    };
    expect(() =>
      catalogOf({ tool: "move", args: { id: "1" } }, makeWrite("move", { orchestration })),
    ).not.toThrow();
  });

  test("every shipped pair is one that works, although its arguments are not looked at when a Worker starts", () => {
    const all = [...SHIPPED_TOOLS, ...Object.values(OPT_IN_TOOLS).flat(), ...WORKSPACE_TOOLS];
    const tools = new Map(all.map((tool): [string, Tool] => [tool.name, tool]));
    const pairs = all.filter(({ brought }) => brought?.compensate !== undefined);
    expect(pairs.map(({ name, brought }) => `${name} → ${brought!.compensate!.tool}`)).toEqual([
      "add_calendar_event → delete_calendar_event",
      "update_calendar_event → restore_calendar_event",
      "add_task → delete_task",
      "complete_task → reopen_task",
      "create_contacts → delete_contacts",
      "write → restore_file",
      "edit → restore_file",
    ]);
    for (const tool of pairs) expect(findFlaw(tool, tools)).toBeNull();
  });
});

describe("resolveCompensation()", () => {
  const ended = { args: { n: 1, note: "window" }, output: { id: "b1", rows: [{ n: 2 }] } };

  test("puts in what the write was sent and what it gave", () => {
    expect(resolveCompensation(SOUND, ended)).toEqual({
      ok: true,
      value: { tool: "cancel", args: { id: "b1", note: "window" } },
    });
    const all = { $ref: "result#" };
    const text = { $template: "{{args#/n}} of {{result#/rows/0/n}}" };
    expect(
      resolveCompensation({ tool: "cancel", args: { all, text, as: { $literal: all } } }, ended),
    ).toEqual({
      ok: true,
      value: { tool: "cancel", args: { all: ended.output, text: "1 of 2", as: all } },
    });
  });

  test("leaves out an argument that stands for one which was not given", () => {
    expect(resolveCompensation(SOUND, { ...ended, args: { n: 1 } })).toEqual({
      ok: true,
      value: { tool: "cancel", args: { id: "b1" } },
    });
  });

  test.each([[{}], [null], ["b1"], [{ id: undefined }]])(
    "makes no call of an output without what it needs: %j",
    (output) => {
      expect(resolveCompensation(SOUND, { ...ended, output })).toMatchObject({
        ok: false,
        error: { code: "BAD_REFERENCE" },
      });
    },
  );
});

describe("A registered tool says how it is taken back", () => {
  const cancel = makeWrite("cancel");
  const catalog = createCatalog([cancel], null, { fields: [COMPENSATE] });
  const keep = (compensate: unknown, others: readonly Tool[] = [], contract = ["compensate"]) =>
    keepTool(
      declareCustomers({
        is_write: true,
        orchestration: { mode: "sequential-only", compensate: compensate as Compensation },
      }),
      {
        rules: { ...RULES, contract },
        isShipped: () => false,
        catalog: others.length === 0 ? catalog : catalog.extend(others, 1),
        sha256: async () => "digest",
      },
    );
  const BY_ID = { tool: "cancel", args: { id: { $ref: "result#/id" } } };

  test("and keeps it as it was sent", async () => {
    const { declaration, tool } = valueOf(await keep(BY_ID));
    expect(declaration.orchestration).toEqual({ mode: "sequential-only", compensate: BY_ID });
    const made = toTool(JSON.parse(tool.json) as Declaration, { secrets: null });
    expect(toolSchema(made, catalog.hidden)["x-orchestration"]).toMatchObject({ compensate: BY_ID });
    expect(wayBackOf(made, catalog).compensation).toEqual(BY_ID);
  });

  test.each<[unknown, string]>([
    ["cancel", "/orchestration/compensate"],
    [{ tool: "cancle", args: { id: "1" } }, "/orchestration/compensate/tool"],
    [{ tool: "cancel" }, "/orchestration/compensate/args/id"],
    [{ tool: "cancel", args: { id: { $ref: "args#/emial" } } }, "/orchestration/compensate/args"],
    [{ ...BY_ID, when: {} }, "/orchestration/compensate/when"],
    [{ tool: "find_customers", args: {} }, "/orchestration/compensate/tool"],
  ])("or is refused at the place: %j", async (compensate, path) => {
    expect(errorOf(await keep(compensate)).map((issue) => issue.path)).toContain(path);
  });

  test("but never by each other", async () => {
    const { tool } = valueOf(await keep(BY_ID));
    const orchestration: ToolDeclaration["orchestration"] = {
      mode: "parallel-safe",
      compensate: { tool: "find_customers", args: { email: "a@b.c" } },
    };
    const other = makeWrite("reorder", { orchestration });
    const [issue] = errorOf(await keep({ tool: "reorder", args: { id: "1" } }, [other]));
    expect(issue).toMatchObject({ received: "find_customers → reorder → find_customers" });
    expect(tool.needs).toEqual([]);
  });

  test("in a field that the Worker knows: another is refused", async () => {
    const issues = errorOf(await keep(BY_ID, [], []));
    expect(issues.map(({ path }) => path)).toEqual(["/orchestration/compensate"]);
  });

  test("although its Worker lists no feature that obeys it", async () => {
    const plain = createCatalog([cancel]);
    const kept = await keepTool(
      declareCustomers({
        is_write: true,
        orchestration: { mode: "sequential-only", compensate: { tool: "none" } },
      }),
      {
        rules: { ...RULES, contract: ["compensate"] },
        isShipped: () => false,
        catalog: plain,
        sha256: async () => "digest",
      },
    );
    const made = toTool(valueOf(kept).declaration, { secrets: null });
    expect(toolSchema(made, plain.hidden)["x-orchestration"]).not.toHaveProperty("compensate");
  });
});
