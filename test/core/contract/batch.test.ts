import fc from "fast-check";
import { expect, test } from "vitest";

import { parseBatch } from "../../../src/core/contract/batch.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { readJsonText } from "../../../src/core/contract/run-schema.ts";
import { parseBatchText } from "../../support/parse-batch-text.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

const PING = '{"tool": "ping"}';

test("parseBatch() keeps the actions in order and fills in the defaults", () => {
  const batch = valueOf(parseBatchText(`{"actions": [{"tool": "b", "id": "second"}, {"tool": "a"}]}`));
  expect(batch).toMatchObject({
    onError: "partial-success",
    deadlineMs: 15_000,
    dryRun: false,
    maxTokens: null,
  });
  expect(batch.entries.map(({ index, id, tool }) => [index, id, tool])).toEqual([
    [0, "second", "b"],
    [1, "a1", "a"],
  ]);
});

test("parseBatch() keeps what the batch says about failures and time", () => {
  const text = `{"actions": [${PING}], "on_error": "fail-fast", "deadline_ms": 60000}`;
  expect(valueOf(parseBatchText(text))).toMatchObject({ onError: "fail-fast", deadlineMs: 60_000 });
});

test("parseBatch() refuses the second action of an idempotency_key, and says whose the first is", () => {
  const keyed = '"tool": "ping", "idempotency_key": "k"';
  const { entries } = valueOf(
    parseBatchText(`{"actions": [{${keyed}, "id": "first"}, {${keyed}}, ${PING}]}`),
  );
  expect(entries.map(({ action }) => action.ok)).toEqual([true, false, true]);
  expect(errorOf(entries[1]!.action)).toMatchObject({
    code: "INVALID_ACTION",
    hint: expect.stringContaining("Action 'first' has this idempotency_key already"),
    issues: [{ path: "/idempotency_key", expected: "a key of its own", received: 'the string "k"' }],
  });
});

test("parseBatch() keeps dry_run and max_tokens", () => {
  const text = `{"actions": [${PING}], "dry_run": true, "max_tokens": 500}`;
  expect(valueOf(parseBatchText(text))).toMatchObject({ dryRun: true, maxTokens: 500 });
});

test.each([
  ["null", "null", "", "null"],
  ["an array", `[${PING}]`, "", "an array of 1"],
  ["a string", '"ping"', "", 'the string "ping"'],
  ["no actions", "{}", "/actions", "nothing"],
  ["actions that are null", '{"actions": null}', "/actions", "null"],
  ["actions as an object", `{"actions": {"0": ${PING}}}`, "/actions", "an object"],
  ["no action", '{"actions": []}', "/actions", "an array of 0"],
  ["51 actions", `{"actions": [${Array(51).fill(PING).join()}]}`, "/actions", "an array of 51"],
  ["100,000 actions", `{"actions": [${Array(100_000).fill("0").join()}]}`, "/actions", "an array of 100000"],
  ["a deadline of 0", `{"actions": [${PING}], "deadline_ms": 0}`, "/deadline_ms", "the number 0"],
  [
    "a deadline over 60 s",
    `{"actions": [${PING}], "deadline_ms": 60001}`,
    "/deadline_ms",
    "the number 60001",
  ],
  ["a fractional deadline", `{"actions": [${PING}], "deadline_ms": 1.5}`, "/deadline_ms", "the number 1.5"],
  ["a deadline as text", `{"actions": [${PING}], "deadline_ms": "15"}`, "/deadline_ms", 'the string "15"'],
  [
    "an endless deadline",
    `{"actions": [${PING}], "deadline_ms": 1e400}`,
    "/deadline_ms",
    "the number Infinity",
  ],
  ["another on_error", `{"actions": [${PING}], "on_error": "retry"}`, "/on_error", 'the string "retry"'],
  ["a dry_run as text", `{"actions": [${PING}], "dry_run": "yes"}`, "/dry_run", 'the string "yes"'],
  ["no tokens at all", `{"actions": [${PING}], "max_tokens": 0}`, "/max_tokens", "the number 0"],
  ["half a token", `{"actions": [${PING}], "max_tokens": 0.5}`, "/max_tokens", "the number 0.5"],
  [
    "tokens beyond any window",
    `{"actions": [${PING}], "max_tokens": 2000001}`,
    "/max_tokens",
    "the number 2000001",
  ],
  ["an unknown field", `{"actions": [${PING}], "colour": 1}`, "/colour", "the number 1"],
  ["__proto__", `{"actions": [${PING}], "__proto__": {"on_error": "fail-fast"}}`, "/__proto__", "an object"],
  ["constructor", `{"actions": [${PING}], "constructor": {}}`, "/constructor", "an object"],
  ["prototype", `{"actions": [${PING}], "prototype": null}`, "/prototype", "null"],
])("parseBatch() refuses %s whole", (_, text, path, received) => {
  const refusal = errorOf(parseBatchText(text));
  expect(refusal.code).toBe("INVALID_BATCH");
  expect(refusal.issue).toEqual({ path, expected: expect.any(String), received });
  expect(refusal.hint).toContain(path);
});

test("parseBatch() takes 50 actions", () => {
  expect(valueOf(parseBatchText(`{"actions": [${Array(50).fill(PING).join()}]}`)).entries).toHaveLength(50);
});

test("parseBatch() suggests the field that a misspelt one may have meant", () => {
  expect(errorOf(parseBatchText(`{"action": [${PING}]}`)).hint).toBe(
    "/actions must be an array, received nothing; there is no field /action. " +
      "Did you mean 'actions' instead of 'action'?",
  );
});

test("parseBatch() shows invisible characters in a field's name as escapes", () => {
  const refusal = errorOf(parseBatchText(`{"actions": [${PING}], "\\u202e\\u200b": 1}`));
  expect(JSON.stringify(refusal)).not.toMatch(/[\u202E\u200B]/);
  expect(refusal.issue?.path).toBe("/\\u{202e}\\u{200b}");
});

test.each([
  ["two equal ids", '{"tool": "a", "id": "x"}', '{"tool": "b", "id": "x"}', "x"],
  ["an id that is a later one's default", '{"tool": "a", "id": "a1"}', PING, "a1"],
  ["an id that is an earlier one's default", PING, '{"tool": "a", "id": "a0"}', "a0"],
  ["an id that a broken action falls back to", "null", '{"tool": "a", "id": "a0"}', "a0"],
])("parseBatch() refuses %s, naming both positions", (_, first, second, id) => {
  const refusal = errorOf(parseBatchText(`{"actions": [${first}, ${second}]}`));
  expect(refusal.code).toBe("INVALID_BATCH");
  expect(refusal.hint).toBe(`Actions 0 and 1 both have the id '${id}'; give every action its own id.`);
  expect(refusal.issue?.path).toBe("/actions/1/id");
});

test("parseBatch() tells ids apart by case", () => {
  const text = '{"actions": [{"tool": "a", "id": "x"}, {"tool": "a", "id": "X"}]}';
  expect(parseBatchText(text).ok).toBe(true);
});

test("parseBatch() takes ids that objects inherit for ids like any other", () => {
  const ids = ["constructor", "__proto__", "toString"];
  const actions = ids.map((id) => ({ tool: "ping", id }));
  expect(valueOf(parseBatchText(JSON.stringify({ actions }))).entries.map(({ id }) => id)).toEqual(ids);
});

const json = fc.jsonValue({ maxDepth: 4 });
/** Objects close enough to an action that most checks are reached. */
const nearAction = fc.record(
  {
    tool: fc.oneof(fc.constant("ping"), fc.string(), json),
    args: fc.oneof(fc.dictionary(fc.constantFrom("a", "constructor", "$ref", "__proto__"), json), json),
    id: fc.oneof(fc.constantFrom("a0", "a1", "x"), fc.string(), json),
    depends_on: fc.oneof(fc.array(fc.string()), json),
    timeout_ms: fc.oneof(fc.integer(), json),
    constructor: json,
  },
  { requiredKeys: [] },
);
const nearBatch = fc.record(
  {
    actions: fc.oneof(fc.array(fc.oneof(nearAction, json), { maxLength: 52 }), json),
    on_error: fc.oneof(fc.constantFrom("fail-fast", "partial-success"), json),
    deadline_ms: fc.oneof(fc.integer({ min: 1, max: LIMITS.maxDeadlineMs }), json),
  },
  { requiredKeys: ["actions"] },
);

trial("parseBatch() never throws, whatever JSON it is given", () => {
  fc.assert(
    fc.property(fc.oneof(nearBatch, json), fc.boolean(), (value, large) => {
      expect(typeof parseBatch(value, large ? LIMITS.bodyBytes : 0).ok).toBe("boolean");
    }),
    { numRuns: samples(500) },
  );
});

trial("parseBatch() gives every action exactly one entry, in order, each with its own id", () => {
  const actions = fc.array(fc.oneof(nearAction, json), {
    minLength: 1,
    maxLength: LIMITS.actions,
    size: "max",
  });
  fc.assert(
    fc.property(actions, (actions) => {
      const batch = parseBatch({ actions }, 0);
      fc.pre(batch.ok);
      const { entries } = batch.value;
      expect(entries.map(({ index }) => index)).toEqual(actions.map((_, index) => index));
      expect(new Set(entries.map(({ id }) => id)).size).toBe(actions.length);
      for (const { id } of entries) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
    { numRuns: samples(300) },
  );
});

test("parseBatch() reads skip_approval, which is off unless said", () => {
  expect(valueOf(parseBatchText(`{"actions": [${PING}], "skip_approval": true}`)).skipApproval).toBe(true);
  expect(valueOf(parseBatchText(`{"actions": [${PING}]}`)).skipApproval).toBe(false);
  expect(errorOf(parseBatchText(`{"actions": [${PING}], "skip_approval": "yes"}`)).code).toBe(
    "INVALID_BATCH",
  );
});

test.each([
  ["a list of actions", `[${PING}]`, 'Wrap the list of actions: {"actions": [...]}.'],
  ["one action", PING, 'There is no /actions, and the body is one action: wrap it as {"actions": [{...}]}.'],
  ["one action under another name", '{"name": "ping", "arguments": {}}', "the body is one action"],
  ["one call of OpenAI's", '{"function": {"name": "ping"}}', "the body is one action"],
  ["an action for the list", `{"actions": ${PING}}`, 'Put it into a list: {"actions": [{...}]}.'],
  [
    "actions as text that is no JSON",
    `{"actions": ${JSON.stringify(`[${PING}`)}}`,
    "Send the list itself, not JSON text of it.",
  ],
  [
    "a body as JSON text",
    JSON.stringify(`{"actions": [${PING}]}`),
    "Send the object itself, not JSON text of it.",
  ],
  ["a text that is no JSON", '"hello"', 'Send {"actions": [{"tool": "...", "args": {...}}]}.'],
  ["tools for actions", `{"tools": [${PING}]}`, "Did you mean 'actions' instead of 'tools'?"],
  ["tool_calls for actions", `{"tool_calls": [${PING}]}`, "Did you mean 'actions' instead of 'tool_calls'?"],
  ["an object with nothing in it", "{}", 'Send {"actions": [{"tool": "...", "args": {...}}]}.'],
  ["null", "null", 'Send {"actions": [{"tool": "...", "args": {...}}]}.'],
])("parseBatch() says how %s is sent rightly", (_, text, hint) => {
  const said = errorOf(parseBatchText(text)).hint;
  expect(said).toContain(hint);
  expect(said).not.toMatch(/JSON text.*JSON text/);
});

test("parseBatch() takes null in an optional field as if it were not there, of the batch and of an action", () => {
  const optional = { id: null, args: null, depends_on: null, for_each: null, select: null, timeout_ms: null };
  const keyed = { idempotency_key: null, callback_url: null, run_at: null, arguments: null, name: null };
  const sent = {
    actions: [{ tool: "t", ...optional, ...keyed }],
    on_error: null,
    deadline_ms: null,
    dry_run: null,
    max_tokens: null,
    skip_approval: null,
  };
  const { sent: left, ...batch } = valueOf(parseBatch(sent, 0));
  expect(batch).toEqual({ ...valueOf(parseBatch({ actions: [{ tool: "t" }] }, 0)), sent: undefined });
  expect(Object.keys(left!)).toEqual(["actions"]);
});

test("parseBatch() refuses null where something has to be said, and in a field that there is not", () => {
  expect(parseBatch({ actions: null }, 0).ok).toBe(false);
  expect(parseBatch({ actions: [{ tool: "t" }], what: null }, 0).ok).toBe(false);
  const { entries } = valueOf(parseBatch({ actions: [{ tool: null }, { tool: "t", what: null }] }, 0));
  expect(entries.map(({ action }) => action.ok)).toEqual([false, false]);
});

test("parseBatch() reads ids that are numbers as text", () => {
  const actions = [
    { id: 7, tool: "t" },
    { id: 8, tool: "t", depends_on: [7] },
    { id: 1.5, tool: "t" },
  ];
  const { entries } = valueOf(parseBatch({ actions }, 0));
  expect(entries.map(({ id, action }) => [id, action.ok && action.value.dependsOn])).toEqual([
    ["7", []],
    ["8", ["7"]],
    ["a2", false],
  ]);
});

test("actions that came as JSON text are read", () => {
  const body = { actions: JSON.stringify([{ tool: "ping" }, { tool: "ping", args: '{"n":1}' }]) };
  const batch = parseBatch(body, 100);
  expect(batch.ok && batch.value.entries.map(({ action }) => action.ok && action.value.args)).toEqual([
    {},
    { n: 1 },
  ]);
});

test("JSON text may nest as deep as a body in which it stood itself", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(readJsonText(nested(LIMITS.nesting - 4), "array", 4)).toBeDefined();
  expect(readJsonText(nested(LIMITS.nesting - 3), "array", 4)).toBeUndefined();
});
