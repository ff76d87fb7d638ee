import { describe, expect, test } from "vitest";

import type { JsonObject } from "../../src/core/contract/json.ts";
import type { ParseTurn } from "../../src/turns/read-turn.ts";
import { type Speech, whatIsDone } from "../../src/turns/turn-table.ts";
import { TURN_TABLE } from "../support/turn-table.ts";
import { parseAnthropicTurn } from "../../src/features/formats/anthropic.ts";
import { parseGeminiTurn } from "../../src/features/formats/gemini.ts";
import { parseChatTurn, parseResponsesTurn } from "../../src/features/formats/openai.ts";
import { errorOf, valueOf } from "../support/unwrap.ts";

/** How each provider's turn is read that a caller sends, and how a call stands in one. */
const PROVIDERS: Readonly<
  Record<Speech, { parse: ParseTurn; call: (name: string, args: unknown) => JsonObject }>
> = {
  chat: {
    parse: parseChatTurn,
    call: (name, args) => ({ id: "a", type: "function", function: { name, arguments: args } }),
  },
  messages: {
    parse: parseAnthropicTurn,
    call: (name, input) => ({ type: "tool_use", id: "a", name, input }),
  },
  responses: {
    parse: parseResponsesTurn,
    call: (name, args) => ({ type: "function_call", call_id: "a", name, arguments: args }),
  },
  gemini: { parse: parseGeminiTurn, call: (name, args) => ({ functionCall: { name, args } }) },
};
const SPEECHES = Object.keys(PROVIDERS) as Speech[];

const ARGUMENTS: readonly (readonly [comes: string, sent: unknown, read: JsonObject | readonly string[]])[] =
  [
    ["no arguments", undefined, {}],
    ["arguments that are null", null, {}],
    ["arguments as an object", '{"n":2}', { n: 2 }],
    ["arguments that are JSON text of JSON text", JSON.stringify(JSON.stringify('{"n":2}')), { n: 2 }],
    ["two objects in the arguments of one call", '{"n":1} {"n":2}', ['{"n":1}', '{"n":2}']],
    ["arguments that are no JSON", "n is two", ["n is two"]],
    ["arguments that are a list", "[1,2]", ["an array of 2"]],
  ];

describe("T66 A turn that a caller sends has the same done with", () => {
  test.each(SPEECHES.flatMap((speech) => ARGUMENTS.map((row) => [speech, ...row] as const)))(
    "%s: %s",
    (speech, comes, sent, read) => {
      expect(TURN_TABLE.map((row) => row.comes)).toContain(comes);
      const { parse, call } = PROVIDERS[speech];
      const [{ args }] = valueOf(parse([call("double", sent)])).calls as unknown as [{ args: never }];
      if (!Array.isArray(read)) return expect(valueOf(args)).toEqual(read);
      const { code, hint } = errorOf(args) as { code: string; hint: string };
      expect(code).toBe("INVALID_ARGS");
      for (const part of read as readonly string[]) expect(hint).toContain(part);
    },
  );

  test("chat: one call without a list around it", () => {
    const tool_calls = PROVIDERS.chat.call("double", '{"n":2}');
    const message = { role: "assistant", content: null, tool_calls };
    const bodies = [message, { message }, { choices: [{ message }] }, { tool_calls }];
    for (const body of bodies) expect(valueOf(parseChatTurn(body)).calls).toMatchObject([{ name: "double" }]);
  });

  test.each(SPEECHES)("%s: an empty name", (speech) => {
    const { parse, call } = PROVIDERS[speech];
    const [{ args }] = valueOf(parse([call("", "{}")])).calls as unknown as [{ args: never }];
    expect(errorOf(args)).toMatchObject({ code: "UNKNOWN_TOOL" });
  });

  test.each(
    TURN_TABLE.flatMap(({ comes, done, types }) =>
      done === "handed over" ? (types.responses ?? []).map((type) => [comes, type] as const) : [],
    ),
  )("%s, which is left to whom it asks", (_, type) => {
    const item = { type: type.replace("*", "browser"), call_id: "b", action: {} };
    const { calls } = valueOf(
      parseResponsesTurn({ output: [item, PROVIDERS.responses.call("double", "{}")] }),
    );
    expect(calls.map(({ name }) => name)).toEqual(["double"]);
  });

  test("a part that no row knows: nobody has to answer it", () => {
    for (const speech of SPEECHES)
      expect(whatIsDone(speech, speech === "chat" ? undefined : "sparkles")).toBe(
        speech === "chat" ? "handed over" : "kept",
      );
  });
});
