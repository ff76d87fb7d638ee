import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { declareTool } from "../../support/sample-tools.ts";

/** Declare a tool as an author of plain JavaScript may. */
const define = (declaration: unknown) => () => defineTool(declaration as never);
const changed = (changes: object) => define({ ...declareTool(), ...changes });

test.each<[string, object, string]>([
  ["no name", { name: undefined }, "Cannot define a tool without a name: 'name' must be a letter, then"],
  [
    "a name that is a number",
    { name: 5 },
    "Cannot define a tool without a name: 'name' must be a letter, then",
  ],
  ["a summary that is an object", { summary: {} }, "'summary' must be text, received an object"],
  ["no description", { description: undefined }, "'description' must be text, received nothing"],
  ["a category that is null", { category: null }, "'category' must be in lower case: a letter, then"],
  ["one action as text", { actions: "read" }, `'actions' must be one or more words`],
  ["isWrite as text", { isWrite: "no" }, `'isWrite' must be true or false, received the string "no"`],
  [
    "another execution",
    { execution: "async" },
    `'execution' must be 'sync' or 'fire-and-forget', received the string "async"`,
  ],
  [
    "JSON Schema as input",
    { input: { type: "object" } },
    "'input' must be a Zod 4 schema, or a function that makes one, received an object",
  ],
  ["no input", { input: undefined }, "'input' must be a Zod 4 schema, or a function that makes one"],
  [
    "one host as text",
    { hosts: "api.example.com" },
    `'hosts' must be an array of host names, or 'public', received the string "api.example.com"`,
  ],
  [
    "a host that is a URL object",
    { hosts: [new URL("https://a.example")] },
    "'hosts' must be an array of host names, or 'public'",
  ],
  ["one secret as text", { secrets: "KEY" }, "'secrets' must be an array of names"],
  [
    "a binding that is no name",
    { bindings: [{}] },
    "'bindings' must be an array of names, received an array of 1",
  ],
  [
    "a secret without a name beside one with",
    { secrets: ["KEY", ""] },
    "'secrets' must be an array of names, received an array of 2",
  ],
  ["Volley's own binding", { bindings: ["TENANT_GATE"] }, "the binding 'TENANT_GATE' is Volley's own"],
  [
    "a time as text",
    { timeoutMs: "5s" },
    `'timeoutMs' must be a number of milliseconds, received the string "5s"`,
  ],
  [
    "not a number of time",
    { timeoutMs: Number.NaN },
    "'timeoutMs' must be an integer from 1 to 60000, received NaN",
  ],
  ["bytes as text", { maxResponseBytes: "1" }, "'maxResponseBytes' must be an integer"],
  ["idempotent as text", { idempotent: "yes" }, "'idempotent' must be true, false or 'with-key'"],
  ["another delivery", { delivery: "once" }, "'delivery' must be 'at-least-once' or 'at-most-once'"],
  ["other retries", { retries: "daily" }, "'retries' must be 'backoff' or 'standard-webhooks'"],
  [
    "retries of what a batch waits for",
    { retries: "standard-webhooks" },
    "'retries' is for fire-and-forget tools: a batch does not wait for days",
  ],
  ["another whenLimiterDown", { whenLimiterDown: "wait" }, "'whenLimiterDown' must be 'run' or 'refuse'"],
  ["a contract that is a word", { orchestration: "parallel-safe" }, "'orchestration' must be an object"],
  ["a run that is no function", { run: "fetch" }, `'run' must be a function, received the string "fetch"`],
  ["a run that was called", { run: Promise.resolve() }, "'run' must be a function, received an object"],
  ["a misspelt field", { timeoutMS: 5 }, "there is no field 'timeoutMS'; did you mean 'timeoutMs'?"],
  ["a field that is nothing like any", { zzzzzz: 1 }, "there is no field 'zzzzzz'"],
])("defineTool() refuses %s, saying the field, what was expected and what came", (_, changes, problem) => {
  expect(changed(changes)).toThrow("Cannot define ");
  expect(changed(changes)).toThrow(problem);
});

test("defineTool() suggests no field for one that is nothing like any", () => {
  expect(changed({ zzzzzz: 1 })).toThrow(new Error("Cannot define tool 'ping': there is no field 'zzzzzz'"));
});

test.each<[string, unknown, string]>([
  ["undefined", undefined, "received nothing"],
  ["null", null, "received null"],
  ["a list", [declareTool()], "received an array of 1"],
  ["a function", () => declareTool(), "received a function"],
])("defineTool() refuses %s for a declaration", (_, declaration, received) => {
  expect(define(declaration)).toThrow(
    `Cannot define a tool without a name: the declaration must be an object, ${received}`,
  );
});

test("defineTool() says everything that is wrong with a declaration at once, a line each", () => {
  expect(changed({ summary: 5, hosts: "x", run: undefined, exection: "sync" })).toThrow(
    [
      "Cannot define tool 'ping':",
      "  - 'summary' must be text, received 5",
      `  - 'hosts' must be an array of host names, or 'public', received the string "x"`,
      "  - 'run' must be a function, received nothing",
      "  - there is no field 'exection'; did you mean 'execution'?",
    ].join("\n"),
  );
  expect(changed({ summary: 5, orchestration: { mode: "dependent", cap: 1 } })).toThrow(
    /- 'summary' must be text.*\n.*- 'orchestration' is invalid: cap: expected no such field/,
  );
  expect(changed({ summary: 5, orchestration: { mode: "dependent" } })).toThrow(
    /- 'summary' must be text.*\n.*- mode 'dependent' needs 'depends_on'/,
  );
  expect(changed({ execution: "fire-and-forget", timeoutMs: 99_999, hosts: ["*.a.example"] })).toThrow(
    /- a fire-and-forget tool must be a write.*\n.*- 'timeoutMs' must be.*\n.*- host '\*\.a\.example' must be/,
  );
});

test("defineTool() takes a class's instance, whose run is on its prototype", async () => {
  class Ping {
    constructor() {
      Object.assign(this, { ...declareTool(), run: undefined });
      delete (this as { run?: unknown }).run;
    }
    async run() {
      return "pong";
    }
  }
  await expect(defineTool(new Ping() as never).run({}, {} as never)).resolves.toBe("pong");
});

test.each([
  ["", ""],
  ["*.example.com", ""],
  ["*", ""],
  ["api.example.com/v1", "; write 'api.example.com'"],
  ["api.example.com?a", "; write 'api.example.com'"],
  ["user:pass@api.example.com", "; write 'api.example.com'"],
  ["api.example.com:0", ""],
  ["api.example.com:99999", ""],
  ["ftp://api.example.com", ""],
  ["API.example.com", "; write 'api.example.com'"],
  ["HTTPS://api.example.com:8443", "; write 'api.example.com:8443'"],
  ["bücher.example", "; write 'xn--bcher-kva.example'"],
  ["api.example.com:443", "; write 'api.example.com'"],
  ["two words", ""],
])("defineTool() refuses the host '%s', and says how it is written", (host, meant) => {
  const rule = "must be a host name or an origin, without path, user or wildcard, and a port from 1 to 65535";
  expect(changed({ hosts: [host] })).toThrow(
    new Error(`Cannot define tool 'ping': host '${host}' ${rule}${meant}`),
  );
});

describe("createCatalog()", () => {
  test.each<[string, unknown, string]>([
    ["no list", undefined, "'tools' must be an array, received nothing"],
    ["a hole", [undefined], "item 0 of 'tools' must be what defineTool() gives, received nothing"],
    [
      "a declaration that was not defined",
      [declareTool()],
      "item 0 of 'tools' must be what defineTool() gives, received an object that is none",
    ],
  ])("refuses %s", (_, tools, problem) => {
    expect(() => createCatalog(tools as never)).toThrow(`Cannot create catalog: ${problem}`);
  });

  test("refuses an input that is a schema of something else than an object, naming the tool", () => {
    expect(() => createCatalog([defineTool({ ...declareTool(), input: z.string() })])).toThrow(
      "Cannot write the schema of 'ping': 'input' must be an object schema",
    );
  });
});
