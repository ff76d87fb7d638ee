import { expect, test } from "vitest";

import { type Entry, parseAction } from "../../../src/core/contract/action.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { parseBatchText } from "../../support/parse-batch-text.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

/** Parse the text of one action between two that are right, and make sure that those stay right. */
function parseAmongSiblings(text: string): Entry {
  const [before, entry, after] = valueOf(
    parseBatchText(`{"actions": [{"tool": "ping"}, ${text}, {"tool": "pong"}]}`),
  ).entries;
  expect(valueOf(before!.action).tool).toBe("ping");
  expect(valueOf(after!.action).tool).toBe("pong");
  return entry!;
}

test("parseAction() fills in what an action may leave out", () => {
  expect(parseAction({ tool: "ping" }, 7, false)).toEqual({
    index: 7,
    id: "a7",
    tool: "ping",
    action: {
      ok: true,
      value: {
        tool: "ping",
        args: {},
        mayRefer: false,
        dependsOn: [],
        timeoutMs: undefined,
        forEach: undefined,
        select: null,
      },
    },
  });
});

test("parseAction() says whether anything in the arguments may be a reference", () => {
  const mayRefer = (args: object): boolean | null => {
    const { action } = parseAction({ tool: "ping", args }, 0, false);
    return action.ok ? action.value.mayRefer : null;
  };
  expect(mayRefer({ price: "$5", n: [{ a: 1 }] })).toBe(false);
  expect(mayRefer({ n: [{ a: { $ref: "b#" } }] })).toBe(true);
  expect(mayRefer({ $schema: "x" })).toBe(true);
});

test("parseAction() keeps everything an action says", () => {
  const raw = {
    tool: "ping",
    args: { n: [1] },
    id: "p_1-A",
    depends_on: ["b"],
    timeout_ms: 500,
    for_each: [1, 2],
    select: ["/a~1b/0", ""],
  };
  expect(parseAction(raw, 0, false)).toEqual({
    index: 0,
    id: "p_1-A",
    tool: "ping",
    action: {
      ok: true,
      value: {
        tool: "ping",
        args: { n: [1] },
        mayRefer: false,
        dependsOn: ["b"],
        timeoutMs: 500,
        forEach: [1, 2],
        select: [["a/b", "0"], []],
      },
    },
  });
});

test.each([
  ["a string", '"ping"', "", 'the string "ping"'],
  ["an array", '["ping"]', "", "an array of 1"],
  ["a number", "5", "", "the number 5"],
  ["no tool", "{}", "/tool", "nothing"],
  ["a tool that is null", '{"tool": null}', "/tool", "null"],
  ["an empty tool", '{"tool": ""}', "/tool", 'the string ""'],
  ["args as an array", '{"tool": "x", "args": []}', "/args", "an array of 0"],
  ["args as a string", '{"tool": "x", "args": "n=1"}', "/args", 'the string "n=1"'],
  ["args as JSON text of an array", '{"tool": "x", "args": "[1]"}', "/args", 'the string "[1]"'],
  ["an id with a space", '{"tool": "x", "id": "my id"}', "/id", 'the string "my id"'],
  ["an empty id", '{"tool": "x", "id": ""}', "/id", 'the string ""'],
  ["an id as a fraction", '{"tool": "x", "id": 1.5}', "/id", "the number 1.5"],
  ["an id with a line break", '{"tool": "x", "id": "a\\n"}', "/id", String.raw`the string "a\n"`],
  ["depends_on as a string", '{"tool": "x", "depends_on": "a0"}', "/depends_on", 'the string "a0"'],
  ["depends_on of fractions", '{"tool": "x", "depends_on": [0.5]}', "/depends_on/0", "the number 0.5"],
  ["a timeout of nothing", '{"tool": "x", "timeout_ms": 0}', "/timeout_ms", "the number 0"],
  ["a timeout over a minute", '{"tool": "x", "timeout_ms": 60001}', "/timeout_ms", "the number 60001"],
  ["a fractional timeout", '{"tool": "x", "timeout_ms": 1.5}', "/timeout_ms", "the number 1.5"],
  ["a misspelt field", '{"tool": "x", "depend_on": []}', "/depend_on", "an array of 0"],
  ["__proto__", '{"tool": "x", "__proto__": {"tool": "y"}}', "/__proto__", "an object"],
  ["constructor", '{"tool": "x", "constructor": null}', "/constructor", "null"],
  ["prototype", '{"tool": "x", "prototype": 1}', "/prototype", "the number 1"],
])("parseAction() refuses %s, for this action only", (_, text, path, received) => {
  const failure = errorOf(parseAmongSiblings(text).action);
  expect(failure.code).toBe("INVALID_ACTION");
  expect(failure.issues).toEqual([{ path, expected: expect.any(String), received }]);
  expect(failure.hint).toContain(path);
});

test("parseAction() shows no tool where none was named", () => {
  for (const raw of [null, "ping", [], {}, { tool: null }, { tool: 5 }])
    expect(parseAction(raw, 0, false).tool).toBeNull();
});

test.each([
  ["__proto__", '{"__proto__": {"admin": true}}', "/args/__proto__"],
  ["constructor", '{"constructor": null}', "/args/constructor"],
  ["prototype", '{"prototype": {}}', "/args/prototype"],
  ["__proto__ further in", '{"a": [{"b": {"__proto__": null}}]}', "/args/a/0/b/__proto__"],
  ["a chain to a prototype", '{"a": {"constructor": {"prototype": 1}}}', "/args/a/constructor"],
  ["a number beyond all numbers", '{"n": 1e400}', "/args/n"],
  ["an integer that is not exact", '{"ids": [1, 9007199254740993]}', "/args/ids/1"],
])("parseAction() refuses %s in args, for this action only", (_, args, path) => {
  const failure = errorOf(parseAmongSiblings(`{"tool": "x", "args": ${args}}`).action);
  expect(failure.code).toBe("INVALID_ARGS");
  expect(failure.issues).toMatchObject([{ path }]);
  expect(failure.hint).toContain(path);
});

test("parseAction() takes 64 characters for an id, not 65", () => {
  expect(parseAction({ tool: "x", id: "i".repeat(64) }, 3, false).id).toBe("i".repeat(64));
  expect(errorOf(parseAction({ tool: "x", id: "i".repeat(65) }, 3, false).action).code).toBe(
    "INVALID_ACTION",
  );
});

test("parseAction() gives an action with a bad id the id of its position", () => {
  for (const id of ["my id", "i".repeat(65), 3.5, null, ["a"], {}])
    expect(parseAction({ tool: "x", id }, 3, false).id).toBe("a3");
});

test("parseAction() keeps the id and the tool of an action that is wrong elsewhere", () => {
  expect(parseAction({ tool: "x", id: "mine", args: 1 }, 3, false)).toMatchObject({ id: "mine", tool: "x" });
});

test("parseAction() suggests the field that a misspelt one may have meant", () => {
  expect(errorOf(parseAmongSiblings('{"tool": "x", "depend_on": []}').action).hint).toContain(
    "Did you mean 'depends_on' instead of 'depend_on'?",
  );
});

test("parseAction() says of arguments beside the tool's name where they go", () => {
  const flat = errorOf(parseAmongSiblings('{"tool": "x", "query": "a", "id": "q"}').action);
  expect(flat).toMatchObject({ code: "INVALID_ACTION", issues: [{ path: "/query" }] });
  expect(flat.hint).toMatch(/The tool's own arguments go into 'args'\.$/);
  const beside = errorOf(parseAmongSiblings('{"tool": "x", "query": "a", "args": {}}').action);
  expect(beside.hint).not.toContain("go into 'args'");
});

test.each([
  ["NUL", "ping\\u0000", "ping\\u{0}"],
  ["a right-to-left override", "\\u202egnip", "\\u{202e}gnip"],
  ["a zero-width space", "pi\\u200bng", "pi\\u{200b}ng"],
  ["a line break", "ping\\nERROR", "ping\\u{a}ERROR"],
  ["a lone surrogate", "ping\\ud800", "ping\\u{d800}"],
])("parseAction() shows %s in a tool's name as an escape, and never repairs the name", (_, name, shown) => {
  const entry = parseAmongSiblings(`{"tool": "${name}"}`);
  expect(entry.tool).toBe(shown);
  expect(valueOf(entry.action).tool).toBe(JSON.parse(`"${name}"`));
});

test("parseAction() shows invisible characters in a field's name as escapes", () => {
  const failure = errorOf(parseAmongSiblings('{"tool": "x", "\\u202e\\u0000": 1}').action);
  expect(JSON.stringify(failure)).not.toMatch(/\u202E|\\u0000/);
  expect(failure.hint).toContain("There is no field /\\u{202e}\\u{0}.");
});

test("parseAction() echoes little of a name that is long", () => {
  const entry = parseAmongSiblings(JSON.stringify({ tool: "t".repeat(9_000), ["f".repeat(9_000)]: 1 }));
  expect(JSON.stringify(entry).length).toBeLessThan(1_500);
});

test("parseAction() takes args of 64 KiB as JSON, not one byte more, counted in UTF-8", () => {
  const frame = '{"text":""}'.length;
  const fits = { text: "x".repeat(LIMITS.argsBytes - frame) };
  const wide = { text: "é".repeat((LIMITS.argsBytes - frame + 1) / 2) };
  expect(parseAmongSiblings(JSON.stringify({ tool: "x", args: fits })).action.ok).toBe(true);
  for (const args of [{ text: `${fits.text}x` }, wide]) {
    const failure = errorOf(parseAmongSiblings(JSON.stringify({ tool: "x", args })).action);
    expect(failure).toMatchObject({
      code: "INVALID_ARGS",
      hint: expect.stringContaining("65536 bytes"),
      issues: [{ path: "/args", expected: "at most 65536 bytes as JSON", received: "more" }],
    });
  }
});

test("parseAction() does not count what stands around the args", () => {
  const depends_on = Array.from({ length: 50 }, () => "d".repeat(2_000));
  expect(parseAmongSiblings(JSON.stringify({ tool: "x", args: { n: 1 }, depends_on })).action.ok).toBe(true);
});

test.each([
  ["a pointer without its slash", '["id"]', "/select/0", 'the string "id"'],
  ["a pointer with a lone tilde", '["/a", "/~2"]', "/select/1", 'the string "/~2"'],
  ["no pointer", "[]", "/select", "an array of 0"],
  ["one pointer that is not in a list", '"/id"', "/select", 'the string "/id"'],
  ["51 pointers", JSON.stringify(Array(51).fill("/id")), "/select", "an array of 51"],
])("parseAction() refuses to select %s", (_, select, path, received) => {
  const failure = errorOf(parseAmongSiblings(`{"tool": "x", "select": ${select}}`).action);
  expect(failure).toMatchObject({ code: "INVALID_ACTION", issues: [{ path, received }] });
});

test.each([
  ["an array", "[]"],
  ["a reference", '{"$ref": "a0#/items"}'],
  ["references in an array", '[{"$ref": "a0#/id"}, 2]'],
])("parseAction() takes %s to loop over", (_, forEach) => {
  const action = valueOf(parseAmongSiblings(`{"tool": "x", "for_each": ${forEach}}`).action);
  expect(action.forEach).toEqual(JSON.parse(forEach));
});

test.each([
  ["an object", '{"a": 1}', "an object"],
  ["a template", '{"$template": "{{a0#}}"}', "an object"],
  ["a literal", '{"$literal": []}', "an object"],
  ["a reference beside something else", '{"$ref": "a0#", "limit": 5}', "an object"],
  ["text", '"a0#/items"', 'the string "a0#/items"'],
])("parseAction() refuses %s to loop over", (_, forEach, received) => {
  const failure = errorOf(parseAmongSiblings(`{"tool": "x", "for_each": ${forEach}}`).action);
  const expected = 'an array, or a reference to one such as {"$ref": "shops#/places"}';
  expect(failure).toMatchObject({
    code: "INVALID_ACTION",
    issues: [{ path: "/for_each", expected, received }],
  });
});

test.each([
  ["without #", '"a0"', "a JSON Pointer, e.g.", 'the string "a0"'],
  ["that is a number", "5", "a JSON Pointer, e.g.", "the number 5"],
  ["with a wrong pointer", '"a0#items"', 'which begins with "/"', 'the string "a0#items"'],
])("parseAction() says what is wrong with a reference %s to loop over", (_, ref, expected, received) => {
  const failure = errorOf(parseAmongSiblings(`{"tool": "x", "for_each": {"$ref": ${ref}}}`).action);
  expect(failure).toMatchObject({
    code: "INVALID_ACTION",
    issues: [{ path: "/for_each/$ref", expected: expect.stringContaining(expected), received }],
  });
});

test("parseAction() refuses what no argument may be in the elements of a loop too", () => {
  const failure = errorOf(parseAmongSiblings('{"tool": "x", "for_each": [1, {"__proto__": 1}]}').action);
  expect(failure).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/for_each/1/__proto__" }] });
});

test("parseAction() refuses an action called item, which stands for the element of a loop", () => {
  const entry = parseAmongSiblings('{"tool": "x", "id": "item"}');
  expect(entry.id).toBe("item");
  expect(errorOf(entry.action)).toMatchObject({
    code: "INVALID_ACTION",
    hint: expect.stringContaining("give the action another id"),
    issues: [{ path: "/id", received: 'the string "item"' }],
  });
});

test("parseAction() keeps an idempotency_key with what it was sent for", () => {
  const { action } = parseAmongSiblings(
    '{"tool": "x", "args": {"n": {"$ref": "a#/n"}}, "idempotency_key": "\\"k\\"", "depends_on": ["a"], "select": ["/n"]}',
  );
  expect(action).toMatchObject({
    ok: true,
    value: { keyed: { key: "k", content: { tool: "x", args: { n: { $ref: "a#/n" } }, select: ["/n"] } } },
  });
});

test.each([
  ["an empty key", '""', "1 to 255 printable ASCII"],
  ["a key that is no text", "7", "a string"],
  ["a key with a line break", '"a\\nb"', "1 to 255 printable ASCII"],
  ["a key with a line break at its end", '"a\\n"', "1 to 255 printable ASCII"],
])("parseAction() refuses %s, and says where it stands", (_, key, expected) => {
  const failure = errorOf(parseAmongSiblings(`{"tool": "x", "idempotency_key": ${key}}`).action);
  expect(failure).toMatchObject({
    code: "INVALID_ACTION",
    hint: expect.stringContaining(`/idempotency_key must be ${expected}`),
    issues: [{ path: "/idempotency_key", expected: expect.stringContaining(expected) }],
  });
});

const OTHER_ARGS = ["arguments", "parameters", "params", "input"];
const OTHER_TOOLS = ["name", "function", "tool_name"];

test.each(OTHER_TOOLS.flatMap((tool) => OTHER_ARGS.map((args) => [tool, args] as const)))(
  "parseAction() reads %s as tool and %s as args, as an object and as JSON text of one",
  (tool, args) => {
    for (const sent of [{ n: [1], text: "é" }, '{"n": [1], "text": "é"}']) {
      const entry = parseAmongSiblings(JSON.stringify({ [tool]: "ping", [args]: sent, id: "mine" }));
      expect(entry).toMatchObject({ id: "mine", tool: "ping", readAs: { tool, args } });
      expect(valueOf(entry.action)).toMatchObject({ tool: "ping", args: { n: [1], text: "é" } });
    }
  },
);

test("parseAction() says nothing of names where all of them are right", () => {
  expect(parseAmongSiblings('{"tool": "ping", "args": {}}')).not.toHaveProperty("readAs");
});

test("parseAction() reads only the name that is wrong", () => {
  expect(parseAmongSiblings('{"tool": "ping", "input": {"n": 1}}').readAs).toEqual({ args: "input" });
  expect(parseAmongSiblings('{"name": "ping", "args": {"n": 1}}').readAs).toEqual({ tool: "name" });
  expect(parseAmongSiblings('{"tool": null, "name": "ping"}')).toMatchObject({
    tool: "ping",
    action: { ok: true },
    readAs: { tool: "name" },
  });
  expect(parseAmongSiblings('{"function": {"name": "ping", "arguments": null}}').readAs).toEqual({
    tool: "function.name",
  });
});

test("parseAction() reads args that are JSON text of an object", () => {
  const entry = parseAmongSiblings('{"tool": "ping", "args": "{\\"n\\": 1}"}');
  expect(valueOf(entry.action).args).toEqual({ n: 1 });
  expect(entry.readAs).toEqual({ args: "JSON text" });
});

test.each(["", "  "])("parseAction() reads the empty text '%s' as no arguments", (text) => {
  const entry = parseAmongSiblings(JSON.stringify({ tool: "ping", arguments: text }));
  expect(valueOf(entry.action).args).toEqual({});
});

test("parseAction() reads a call as OpenAI writes it", () => {
  const call = { id: "call_1", type: "function", function: { name: "ping", arguments: '{"n": 1}' } };
  const entry = parseAmongSiblings(JSON.stringify(call));
  expect(entry).toMatchObject({ id: "call_1", tool: "ping" });
  expect(valueOf(entry.action).args).toEqual({ n: 1 });
  expect(entry.readAs).toEqual({ tool: "function.name", args: "function.arguments" });
});

test("parseAction() reads a call as Anthropic writes it", () => {
  const call = { type: "tool_use", id: "toolu_1", name: "ping", input: { n: 1 } };
  const entry = parseAmongSiblings(JSON.stringify(call));
  expect(entry).toMatchObject({ id: "toolu_1", tool: "ping", readAs: { tool: "name", args: "input" } });
  expect(valueOf(entry.action).args).toEqual({ n: 1 });
});

test.each([
  ['{"name": "ping", "arguments": "{n: 1}"}', "ping"],
  ['{"type": "function", "function": {"name": "ping", "arguments": "{\\"n\\""}}', "ping"],
  ['{"name": "ping", "tool_name": "pong", "arguments": "{"}', null],
])("parseAction() keeps the name that stands alone beside arguments that are broken: %s", (text, tool) => {
  expect(parseAmongSiblings(text)).toMatchObject({ tool, action: { ok: false } });
});

test.each([
  ["two names for args", '{"tool": "x", "input": {}, "params": {}}', ["/params", "/input", "'args'"]],
  ["two names for tool", '{"name": "x", "tool_name": "x"}', ["/name", "/tool_name", "'tool'"]],
  [
    "args under its own and another name",
    '{"tool": "x", "args": {}, "input": {}}',
    ["/input", "'args' is there"],
  ],
  ["tool under its own and another name", '{"tool": "x", "name": "step one"}', ["/name", "'tool' is there"]],
  [
    "args inside and outside of a function",
    '{"function": {"name": "x", "arguments": {}}, "input": {}}',
    ["/input", "/function/arguments"],
  ],
  ["more inside a function", '{"function": {"name": "x", "strict": true}}', ["/function/strict"]],
  ["a type without a function", '{"tool": "x", "type": "function"}', ["/type"]],
  ["a type of Anthropic's without its input", '{"name": "x", "type": "tool_use"}', ["/type"]],
  ["arguments that are no object", '{"tool": "x", "arguments": [1]}', ["/arguments", "an array of 1"]],
  [
    "arguments that are no JSON",
    '{"tool": "x", "arguments": "{n: 1}"}',
    ["/arguments", "line 1, column 2", "unquoted"],
  ],
  [
    "arguments that are JSON text of a number",
    '{"tool": "x", "arguments": "5"}',
    ["/arguments", "the number 5"],
  ],
  ["another unknown field beside another name", '{"name": "x", "input": {}, "colour": 1}', ["/colour"]],
  ["a name that is no text", '{"name": 5}', ["/tool", "the number 5"]],
])("parseAction() refuses %s, for this action only, and says which", (_, text, said) => {
  const failure = errorOf(parseAmongSiblings(text).action);
  expect(failure.code).toBe("INVALID_ACTION");
  for (const part of said) expect(failure.hint).toContain(part);
  expect(failure.issues!.length).toBeGreaterThan(0);
});

test("parseAction() holds arguments that were JSON text to all that args are held to", () => {
  const send = (text: string) => parseAmongSiblings(JSON.stringify({ tool: "x", arguments: text })).action;
  expect(errorOf(send('{"__proto__": {"a": 1}}'))).toMatchObject({ code: "INVALID_ARGS" });
  expect(errorOf(send('{"n": 1e400}'))).toMatchObject({ code: "INVALID_ARGS" });
  expect(errorOf(send(`{"a": "${"x".repeat(LIMITS.argsBytes)}"}`))).toMatchObject({ code: "INVALID_ARGS" });
  const nested = (depth: number) => `{"a": ${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  expect(send(nested(LIMITS.nesting - 3)).ok).toBe(true);
  expect(errorOf(send(nested(LIMITS.nesting - 2))).hint).toContain("nests too deep");
});

test.each(["shops#/places", "$shops.places", "{{shops.places}}", "${shops.places}", "shops.places"])(
  "parseAction() says how %s is written to loop over it",
  (for_each) => {
    const { action } = parseAmongSiblings(JSON.stringify({ tool: "x", for_each }));
    expect(errorOf(action).hint).toMatch(/Write \{"\$ref":"shops#\/places"\}\.$/);
  },
);

test("parseAction() reads a time with its offset, keeps it with the action's key, and refuses any other", () => {
  const at = (run_at: unknown) =>
    parseAction({ tool: "ping", args: { n: 1 }, run_at, idempotency_key: "k" }, 0, false);
  const entry = at("2027-12-01T08:00:00+01:00");
  expect(valueOf(entry.action).runAt).toBe(Date.UTC(2027, 11, 1, 7));
  expect(valueOf(entry.action).keyed?.content).toMatchObject({ run_at: "2027-12-01T08:00:00+01:00" });
  for (const text of ["tomorrow", "2027-12-01T08:00:00", ""])
    expect(errorOf(at(text).action)).toMatchObject({ code: "INVALID_ACTION", issues: [{ path: "/run_at" }] });
  const usual = parseAction({ tool: "ping", idempotency_key: "k" }, 0, false);
  expect(valueOf(usual.action)).not.toHaveProperty("runAt");
  expect(valueOf(usual.action).keyed?.content).not.toHaveProperty("run_at");
});
