import { expect, test } from "vitest";

import type { RefusalCode } from "../../../src/core/contract/failure-codes.ts";
import { makeRefusal } from "../../../src/core/contract/refusal.ts";
import {
  INTERNAL_ERROR,
  parseBatchRequest,
  parsePartitionRequest,
  toApiError,
} from "../../../src/features/orchestration/orchestration-api.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const CALL = { id: "t1", toolName: "read", input: { path: "/src/a.ts" } };
const PARSERS = [
  ["parseBatchRequest()", parseBatchRequest],
  ["parsePartitionRequest()", parsePartitionRequest],
] as const;

const error = (text: string) => ({ status: 400, body: { error: text } });

test.each(PARSERS)("%s makes every call one place of a batch, in the order asked", (_, parse) => {
  const calls = valueOf(parse({ tools: [CALL, { ...CALL, id: "t2", input: {} }] }, 0));
  expect(calls).toEqual([
    {
      sent: CALL,
      toolId: "t1",
      toolName: "read",
      entry: {
        index: 0,
        id: "a0",
        tool: "read",
        action: {
          ok: true,
          value: expect.objectContaining({ tool: "read", args: CALL.input, dependsOn: [] }),
        },
      },
    },
    expect.objectContaining({ toolId: "t2", entry: expect.objectContaining({ index: 1, id: "a1" }) }),
  ]);
});

test.each(PARSERS)("%s ignores userId and fields it does not know", (_, parse) => {
  const calls = valueOf(parse({ userId: { any: "thing" }, x: 1, tools: [{ ...CALL, y: 2 }] }, 0));
  expect(calls[0]!.entry.action.ok).toBe(true);
});

test.each(PARSERS)("%s takes calls with one id for two calls", (_, parse) => {
  const calls = valueOf(parse({ tools: [CALL, CALL] }, 0));
  expect(calls.map(({ toolId, entry }) => [toolId, entry.id, entry.action.ok])).toEqual([
    ["t1", "a0", true],
    ["t1", "a1", true],
  ]);
});

test.each(
  PARSERS.flatMap(([name, parse]) =>
    [undefined, null, 5, "tools", [], [CALL], {}, { tools: null }, { tools: {} }, { tools: "read" }].map(
      (body) => [name, body, parse] as const,
    ),
  ),
)("%s refuses %j: tools array required", (_, body, parse) => {
  expect(errorOf(parse(body, 0))).toEqual(error("tools array required"));
});

test("parseBatchRequest() does not find tools on a prototype", () => {
  expect(errorOf(parseBatchRequest(Object.create({ tools: [CALL] }), 0)).status).toBe(400);
});

test("parseBatchRequest() takes 1 to 20 calls", () => {
  const tools = (count: number) => ({ tools: Array.from({ length: count }, () => CALL) });
  expect(errorOf(parseBatchRequest(tools(0), 0))).toEqual(error("tools array required"));
  expect(valueOf(parseBatchRequest(tools(1), 0))).toHaveLength(1);
  expect(valueOf(parseBatchRequest(tools(20), 0))).toHaveLength(20);
  expect(errorOf(parseBatchRequest(tools(21), 0))).toEqual(error("Maximum 20 tools per batch"));
});

test("parsePartitionRequest() takes none, and more than a batch may hold", () => {
  const tools = (count: number) => ({ tools: Array.from({ length: count }, () => CALL) });
  expect(valueOf(parsePartitionRequest(tools(0), 0))).toEqual([]);
  expect(valueOf(parsePartitionRequest(tools(21), 0))).toHaveLength(21);
  expect(valueOf(parsePartitionRequest(tools(1_000), 0))).toHaveLength(1_000);
  expect(errorOf(parsePartitionRequest(tools(1_001), 0))).toEqual(error("Maximum 1000 tools per partition"));
});

test.each([
  [null, "", "", "A tool call must be an object with id, toolName and input, received null."],
  [5, "", "", "A tool call must be an object with id, toolName and input, received the number 5."],
  [[CALL], "", "", "A tool call must be an object with id, toolName and input, received an array of 1."],
  [{}, "", "", "'id' of a tool call must be a string, received nothing."],
  [{ ...CALL, id: 7 }, "", "read", "'id' of a tool call must be a string, received the number 7."],
  [
    { ...CALL, toolName: undefined },
    "t1",
    "",
    "'toolName' of a tool call must be a string, received nothing.",
  ],
  [{ ...CALL, toolName: null }, "t1", "", "'toolName' of a tool call must be a string, received null."],
  [
    { id: "t1", toolName: "read" },
    "t1",
    "read",
    "'input' of a tool call must be an object, received nothing.",
  ],
  [{ ...CALL, input: [] }, "t1", "read", "'input' of a tool call must be an object, received an array of 0."],
  [
    { ...CALL, input: "ls" },
    "t1",
    "read",
    `'input' of a tool call must be an object, received the string "ls".`,
  ],
])("parseBatchRequest() keeps the malformed call %j in its place", (sent, toolId, toolName, hint) => {
  const [before, bad, after] = valueOf(parseBatchRequest({ tools: [CALL, sent, CALL] }, 0));
  expect(bad).toMatchObject({ sent, toolId, toolName, entry: { index: 1, id: "a1" } });
  expect(errorOf(bad!.entry.action)).toEqual({ code: "INVALID_ACTION", retryable: false, hint });
  expect([before!.entry.action.ok, after!.entry.action.ok]).toEqual([true, true]);
});

test("tools and an input that are JSON text are read as what they are", () => {
  const parsed = valueOf(parseBatchRequest({ tools: [CALL] }, 0)).map(({ entry }) => entry.action);
  const asText = { ...CALL, input: JSON.stringify(CALL.input) };
  for (const tools of [[asText], JSON.stringify([CALL]), JSON.stringify([asText])]) {
    const read = valueOf(parseBatchRequest({ tools }, 0)).map(({ entry }) => entry.action);
    expect(read).toEqual(parsed);
  }
  expect(errorOf(parseBatchRequest({ tools: '{"tools":[]}' }, 0))).toEqual(error("tools array required"));
});

test("parseBatchRequest() holds input to the limits of every action", () => {
  const input: unknown = JSON.parse('{"__proto__": 1}');
  const huge = { text: "x".repeat(65 * 1024) };
  const calls = valueOf(
    parseBatchRequest(
      {
        tools: [
          { ...CALL, input },
          { ...CALL, input: huge },
          { ...CALL, toolName: "" },
        ],
      },
      70_000,
    ),
  );
  expect(calls.map(({ entry }) => errorOf(entry.action).code)).toEqual([
    "INVALID_ARGS",
    "INVALID_ARGS",
    "INVALID_ACTION",
  ]);
});

test.each<[RefusalCode, number, string]>([
  ["UNAUTHORIZED", 401, "Unauthorized"],
  ["MALFORMED_JSON", 400, "What to change."],
  ["BODY_TOO_LARGE", 413, "What to change."],
  ["QUOTA_EXCEEDED", 429, "What to change."],
  ["UNAVAILABLE", 503, "What to change."],
])("toApiError() answers %s with %i", (code, status, text) => {
  expect(toApiError(makeRefusal(code, "What to change."))).toEqual({ status, body: { error: text } });
});

test("INTERNAL_ERROR is the document's", () => {
  expect(INTERNAL_ERROR).toEqual({ status: 500, body: { error: "Internal server error" } });
});
