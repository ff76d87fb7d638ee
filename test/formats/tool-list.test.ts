import { expect, test } from "vitest";

import { TOOL_FORMATS, toToolList } from "../../src/formats/tool-list.ts";

const PING = {
  name: "ping",
  description: "Say hello.",
  inputSchema: { type: "object", "x-orchestration": {} },
};

test("toToolList() writes json-schema with the schema as it is", () => {
  expect(toToolList([PING], "json-schema")).toEqual([
    { name: "ping", description: "Say hello.", input_schema: PING.inputSchema },
  ]);
});

test("toToolList() writes openai functions", () => {
  expect(toToolList([PING], "openai")).toEqual([
    {
      type: "function",
      function: { name: "ping", description: "Say hello.", parameters: PING.inputSchema },
    },
  ]);
});

test.each(TOOL_FORMATS)(
  "toToolList() keeps the order of the tools in %s and lists none of none",
  (format) => {
    const list = JSON.stringify(toToolList([PING, { ...PING, name: "pong" }], format));
    expect(list.indexOf('"ping"')).toBeLessThan(list.indexOf('"pong"'));
    expect(toToolList([], format)).toEqual([]);
  },
);
